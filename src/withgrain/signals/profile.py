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
        operations: Canonical verb -> other names for it, without inflected forms.
        entities: Canonical noun -> other names for it, without plurals.
        auth: Canonical authentication term -> other names for it.
    """

    name: str
    version: str
    operations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    entities: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    auth: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def read_profile(text: str, *, where: str = "profile") -> Profile:
    """Read a profile from TOML: ``name``, ``version`` and the tables ``[operations]``, ``[entities]``, ``[auth]``.

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
        if not isinstance(synonyms, list) or not all(isinstance(s, str) and s.strip() for s in synonyms):
            raise ConfigError(f'{where} {canonical}: not a list of words. Write {canonical} = ["word", "two words"].')
        result[canonical] = tuple(synonyms)
    return result
