"""A profile: the vocabulary of one field of work, as data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from withgrain.errors import ConfigError

#: The tables that a profile may have, which are fields of `Facts`.
VOCABULARIES = ("operations", "entities", "auth")


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Words of a field and what they mean.

    Attributes:
        name: Name of the profile ("iam").
        version: Changes whenever a word does.
        operations: Canonical verb -> all words for it, without inflected forms.
        entities: Canonical noun -> all words for it, without plurals.
        auth: Canonical authentication term -> all words for it.
    """

    name: str
    version: str
    operations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    entities: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    auth: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def read_profile(text: str, *, where: str = "profile") -> Profile:
    """Read a profile from TOML: ``name``, ``version`` and the tables ``[operations]``, ``[entities]``, ``[auth]``.

    A line of a table is ``canonical = ["other word", "phrase of words"]``; with ``{ only = [...] }`` the canonical word
    itself does not count.

    Args:
        text: The TOML.
        where: What to call the text in an error message, for example its file's name.

    Raises:
        ConfigError: The text is not TOML, has an unknown key, or a table is not "word = list of words".
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where}: not valid TOML: {error}. Correct the line that it names.") from error
    unknown = sorted(set(data) - {"name", "version", *VOCABULARIES})
    if unknown:
        allowed = ", ".join(("name", "version", *VOCABULARIES))
        raise ConfigError(f"{where}: unknown key {unknown[0]!r}. A profile has: {allowed}.")
    tables = {table: _vocabulary(data.get(table, {}), f"{where}: [{table}]") for table in VOCABULARIES}
    return Profile(name=_text(data, "name", where), version=_text(data, "version", where), **tables)


@cache
def shipped_profile(name: str = "iam") -> Profile:
    """Return a profile that is part of the package.

    Raises:
        ConfigError: There is no profile of that name.
    """
    folder = files("withgrain.signals") / "data"
    names = sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))
    if name not in names:
        raise ConfigError(f"There is no profile {name!r}. Choose one of: {', '.join(names)}.")
    return read_profile((folder / f"{name}.toml").read_text(encoding="utf-8"), where=f"{name}.toml")


def _text(data: Mapping[str, object], key: str, where: str) -> str:
    value = data.get(key)
    if not isinstance(value, str) or not value:
        raise ConfigError(f'{where}: {key!r} is missing or no text. Write {key} = "…".')
    return value


def _vocabulary(table: object, where: str) -> dict[str, tuple[str, ...]]:
    if not isinstance(table, dict):
        raise ConfigError(f'{where} is not a table. Write lines such as disable = ["suspend"].')
    result: dict[str, tuple[str, ...]] = {}
    for canonical, synonyms in table.items():
        only = isinstance(synonyms, dict) and set(synonyms) == {"only"}
        words = synonyms["only"] if only else synonyms
        if not isinstance(words, list) or not all(isinstance(w, str) and w.strip() for w in words):
            raise ConfigError(f'{where} {canonical}: not a list of words. Write {canonical} = ["word", "two words"].')
        result[canonical] = tuple(words) if only else (canonical, *words)
    return result
