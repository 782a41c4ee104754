"""What a user wants to be found beside what withgrain finds: own detectors, and more words for operations and entities.

Plain data, so that it can be written in a configuration, compared, sent to another process and named in a contract.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from withgrain.errors import ConfigError
from withgrain.model import sha256_hex
from withgrain.signals.pattern import Pattern, PatternError, characters_of
from withgrain.signals.profile import VOCABULARIES, Profile, shipped_profile
from withgrain.signals.vocabulary import Vocabulary, compile_vocabulary

#: Fields of `Facts` that a detector may add to.
DETECTED = ("codes", "keys", "roles", "markers", "api_endpoint", "flags", "environment", "versions", "auth")
#: Detectors and words that one configuration may have.
MOST_DETECTORS = 100
MOST_WORDS = 5_000

_SEPARATORS = " \t\n`|()[],;\"'<>*"
_NAME = re.compile(r"[A-Za-z][\w\-]{0,63}")
_KEYS = ("name", "field", "pattern")


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorRule:
    """One detector: tokens that match ``pattern`` are facts of ``field``.

    Attributes:
        name: What it finds ("ticket").
        field: The field of `Facts`.
        pattern: See `withgrain.signals.pattern`; of a whole token, which is a run of characters without white space,
            brackets, quotes, commas, semicolons, bars and stars.
    """

    name: str
    field: str
    pattern: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Detectors and words that are added to the shipped ones.

    Attributes:
        detectors: They go before the shipped ones: a token that matches is theirs.
        words: (``operations`` | ``entities`` | ``auth``, canonical word, other words for it).
    """

    detectors: tuple[DetectorRule, ...] = ()
    words: tuple[tuple[str, str, tuple[str, ...]], ...] = ()

    def __bool__(self) -> bool:
        """Return whether there is any."""
        return bool(self.detectors or self.words)

    @property
    def fingerprint(self) -> str:
        """16 hex digits over everything: what the contract of a collection remembers; empty for no rules."""
        return sha256_hex(json.dumps(asdict(self), sort_keys=True))[:16] if self else ""


NO_RULES = Rules()


@lru_cache(maxsize=16)
def compiled_detectors(rules: Rules) -> tuple[tuple[str, Pattern], ...]:
    """Return field and pattern of each detector."""
    return tuple((rule.field, Pattern(rule.pattern)) for rule in rules.detectors)


@lru_cache(maxsize=16)
def compiled_words(rules: Rules) -> Vocabulary:
    """Return the shipped vocabulary with the words of the rules."""
    tables: dict[str, dict[str, tuple[str, ...]]] = {name: {} for name in VOCABULARIES}
    for table, canonical, words in rules.words:
        tables[table][canonical] = words
    return compile_vocabulary(shipped_profile("iam"), Profile(name="configuration", version="1", **tables))


def read_rules(detectors: object, vocabulary: object, *, where: str = "") -> Rules:
    """Read ``[[detector]]`` and ``[vocabulary.…]`` tables of a configuration.

    Args:
        detectors: A list of tables ``name``, ``field``, ``pattern``.
        vocabulary: Tables ``operations``, ``entities``, ``auth`` of ``canonical = ["other word", …]``.
        where: The file, for messages.

    Raises:
        ConfigError: A key, name, field, pattern or word that cannot be used; says which, and the nearest right name.
    """
    place = f"{where}: " if where else ""
    if not isinstance(detectors, list):
        raise ConfigError(f"{place}detector is {detectors!r}; write [[detector]], with two brackets.")
    if len(detectors) > MOST_DETECTORS:
        raise ConfigError(f"{place}there are {len(detectors)} detectors; at most {MOST_DETECTORS} are possible.")
    found = tuple(_detector(table, f"{place}detector {number}") for number, table in enumerate(detectors, start=1))
    names = [rule.name for rule in found]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"{place}two detectors have the name {name!r}.")
    return Rules(detectors=found, words=tuple(_words(vocabulary, place)))


def _detector(table: object, what: str) -> DetectorRule:
    if not isinstance(table, Mapping):
        raise ConfigError(f"{what} is {table!r}; it must be a table, [[detector]].")
    for key in table:
        _known(key, _KEYS, f"{what}: there is no key {key!r}")
    values: dict[str, str] = {}
    for key in _KEYS:
        value = table.get(key)
        if not isinstance(value, str) or not value:
            raise ConfigError(f'{what}: {key} is missing or no text. Write {key} = "…".')
        values[key] = value
    if not _NAME.fullmatch(values["name"]):
        raise ConfigError(f"{what}: {values['name']!r} is no name; use letters, digits, - and _.")
    _known(values["field"], DETECTED, f"{what} ({values['name']}): there is no field {values['field']!r}")
    try:
        Pattern(values["pattern"])
    except PatternError as error:
        raise ConfigError(f"{what} ({values['name']}): the pattern cannot be used: {error}.") from None
    for character in characters_of(values["pattern"]):
        if character in _SEPARATORS:
            raise ConfigError(
                f"{what} ({values['name']}): the pattern has {character!r}, which no token holds: a pattern describes "
                "one token, without white space, brackets and quotes."
            )
    return DetectorRule(**values)


def _words(vocabulary: object, place: str) -> list[tuple[str, str, tuple[str, ...]]]:
    if not isinstance(vocabulary, Mapping):
        raise ConfigError(f"{place}vocabulary is {vocabulary!r}; it must be tables, [vocabulary.operations].")
    result: list[tuple[str, str, tuple[str, ...]]] = []
    for table, lines in vocabulary.items():
        _known(table, VOCABULARIES, f"{place}vocabulary.{table}: there is no vocabulary {table!r}")
        if not isinstance(lines, Mapping):
            raise ConfigError(f'{place}vocabulary.{table} is {lines!r}; write lines such as disable = ["suspend"].')
        for canonical, words in lines.items():
            only = isinstance(words, Mapping) and set(words) == {"only"}
            given = words["only"] if only else words
            what = f"{place}vocabulary.{table}.{canonical}"
            result.append((table, canonical, _list(given, what, () if only else (canonical,))))
    if sum(len(words) for _, _, words in result) > MOST_WORDS:
        raise ConfigError(f"{place}vocabulary has more than {MOST_WORDS:,} words.")
    return result


def _list(value: Any, what: str, before: Sequence[str]) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(v, str) and v.strip() and len(v) < 100 for v in value):
        raise ConfigError(f'{what} is {value!r}; it must be a list of words, ["word", "two words"].')
    return (*before, *value)


def _known(key: str, known: Sequence[str], what: str) -> None:
    if key not in known:
        near = get_close_matches(key, known, n=1, cutoff=0.5)
        raise ConfigError(f"{what}. " + (f"Did you mean {near[0]}?" if near else f"There are: {', '.join(known)}."))
