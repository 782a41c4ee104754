"""Settings that are tables of their own: policies, detectors, words, classes, weights of the search."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any

from withgrain.config.files import Found, line_of
from withgrain.errors import ConfigError, UsageError

#: Tables that are read here and name no setting.
TABLES = ("detector", "vocabulary", "search")


def read_tables(found: Found) -> dict[str, tuple[Any, str]]:
    """Return the settings that are tables of their own: policies, which to use, detectors, words, classes, search."""
    path, text, table, prefix = found
    values: dict[str, tuple[Any, str]] = {}

    def place(keys: tuple[str, ...]) -> str:
        """Say where a key is written, or the nearest one around it that is found."""
        for depth in range(len(keys), 0, -1):
            line = line_of(text, prefix + "".join(f"{key}." for key in keys[: depth - 1]), keys[depth - 1])
            if line > 1:
                break
        return f"{path}:{line}"

    policies = table.get("policy")
    if isinstance(policies, dict):
        from withgrain.chunk import POLICIES, load_policies

        written = dict(policies)
        used = written.pop("use", None)
        loaded = load_policies(written, lambda keys: place(("policy", *keys)))
        values["policies"] = (
            {name: one for name, one in loaded.items() if name not in POLICIES},
            place(("policy",)),
        )
        if used is not None:
            if not isinstance(used, str) or used not in loaded:
                raise ConfigError(
                    f"{place(('policy', 'use'))}: {prefix}policy.use is {used!r}; {_one_of(used, loaded)}"
                )
            values["policy"] = (used, place(("policy", "use")))
    if "detector" in table or "vocabulary" in table:
        from withgrain.signals import read_rules

        where = place(("detector",) if "detector" in table else ("vocabulary",))
        rules = read_rules(table.get("detector", []), table.get("vocabulary", {}), where=where)
        values["signals"] = (rules, where)
    classes = table.get("classes")
    if isinstance(classes, dict):
        from withgrain.chunk import CLASSES

        for pattern, doc_class in classes.items():
            if doc_class not in CLASSES:
                where = place(("classes", pattern))
                raise ConfigError(
                    f"{where}: {prefix}classes.{pattern!r} is {doc_class!r}; {_one_of(doc_class, CLASSES)}"
                )
        values["classes"] = (tuple(classes.items()), place(("classes",)))
    if "search" in table:
        values["search"] = (_weights(table["search"], f"{prefix}search", place), place(("search",)))
    return values


def _weights(written: Any, name: str, place: Callable[[tuple[str, ...]], str]) -> dict[str, Any]:
    """Return the weights of the search as they are written, each of them checked.

    Raises:
        ConfigError: It is no table, or a weight is unknown or wrong.
    """
    from withgrain.search.weights import Weights

    if not isinstance(written, dict):
        raise ConfigError(f"{place(('search',))}: {name} is {written!r}; it must be a table of search weights.")
    for key, value in written.items():
        try:
            Weights().having({key: value})
        except UsageError as error:
            raise ConfigError(f"{place(('search', key))}: {name}.{key}: {error}") from None
    return dict(written)


def _one_of(value: object, known: Iterable[str]) -> str:
    """Say what a value must be, and the nearest right one."""
    near = get_close_matches(str(value), list(known), n=1)
    return f"it must be one of {', '.join(known)}." + (f" Did you mean {near[0]}?" if near else "")
