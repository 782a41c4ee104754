"""All detectors in one pass over the tokens, and a few guarded looks at the text."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from withgrain.model import Facts
from withgrain.signals.codes import CODES, SQLSTATE, STATUSES, find_numbered
from withgrain.signals.environment import ACCESSES, ENVIRONMENT, find_percents, find_references
from withgrain.signals.family import Family, Token
from withgrain.signals.flags import FLAGS
from withgrain.signals.found import Found
from withgrain.signals.http import ENDPOINTS, METHODS
from withgrain.signals.keys import CAMEL, LOWER, PAIRS, SNAKE, UPPER, find_compared
from withgrain.signals.links import ADDRESSES, ATTRIBUTES, find_links
from withgrain.signals.markers import MARKERS
from withgrain.signals.pattern import Pattern
from withgrain.signals.profile import VOCABULARIES
from withgrain.signals.reading import Reader
from withgrain.signals.roles import ROLES
from withgrain.signals.rules import NO_RULES, Rules, compiled_detectors, compiled_words
from withgrain.signals.versions import VERSIONS
from withgrain.signals.view import View
from withgrain.signals.vocabulary import Vocabulary

#: Changes whenever the facts of an unchanged text can change.
DETECTORS_VERSION = "3"

_PUNCTUATION = ".:!?&{}“”‘’«»…—–-"

# In this order: a token belongs to the first family that matches it whole.
_FAMILIES = (
    MARKERS,
    ADDRESSES,
    ATTRIBUTES,
    FLAGS,
    METHODS,
    STATUSES,
    ROLES,
    SQLSTATE,
    CODES,
    ACCESSES,
    ENVIRONMENT,
    PAIRS,
    UPPER,
    LOWER,
    SNAKE,
    VERSIONS,
    ENDPOINTS,
    CAMEL,
)


_NO_FACTS = Facts()
_FIELDS = tuple(Facts.__slots__)


class _FactsTwin:
    """Is filled and then becomes the frozen class: several times as fast as its constructor."""

    __slots__ = tuple(sorted(Facts.__slots__))


def detect(text: str, *, vocabulary: Vocabulary | None = None, rules: Rules = NO_RULES) -> Facts:
    """Return the facts that a text states. Pure, total, and linear in the length of the text.

    Args:
        text: Any text; Markdown is understood (code spans, fences, tables, links).
        vocabulary: Words to find as operations, entities and auth terms; None for the shipped IAM profile.
        rules: Detectors and words of the user beside the shipped ones.
    """
    view, found = View(text), Found()
    words: dict[tuple[str, str], None] = {}
    reader = _reader(vocabulary, rules)
    for start, fenced, tokens in view.segments():
        place = start
        for raw, identifier, family, meanings, phrases in reader.read(tokens):
            for meaning in meanings:
                words[meaning] = None
            for phrase, phrase_meanings in phrases:
                if view.has_phrase(phrase):
                    words.update(dict.fromkeys(phrase_meanings))
            if family is not None:
                # Distinct tokens come in order of first appearance: the search never goes back, it is linear in total.
                place = max(text.find(raw, place), place)
                family.collect(Token(identifier, place, fenced, view), found)
    if "$" in text:
        find_references(view, found)
    if "%" in text:
        find_percents(view, found)
    if "rror" in text or "RROR" in text or "vent" in text:
        find_numbered(view, found)
    if "key" in text or "KEY" in text:
        find_compared(view, found)
    if "](" in text or "]:" in text:
        find_links(view, found)
    return _facts(words, found)


def _facts(words: dict[tuple[str, str], None], found: Found) -> Facts:
    fields = found.fields()
    if not words and not fields:
        return _NO_FACTS
    if words:
        for field in VOCABULARIES:
            fields[field] = tuple([canonical for table, canonical in words if table == field])
    facts: Any = object.__new__(_FactsTwin)
    for name in _FIELDS:
        setattr(facts, name, fields.get(name, ()))
    facts.__class__ = Facts
    return facts  # type: ignore[no-any-return]


@lru_cache(maxsize=8)
def _reader(vocabulary: Vocabulary | None, rules: Rules) -> Reader:
    own = tuple((_identifier(pattern), _family(field)) for field, pattern in compiled_detectors(rules))
    return Reader(_FAMILIES, vocabulary or compiled_words(rules), own)


def _identifier(pattern: Pattern) -> Callable[[str], str | None]:
    """Return what finds an identifier in a token: the token itself, or without the punctuation around it."""

    def find(token: str) -> str | None:
        bare = token.strip(_PUNCTUATION)
        return next((text for text in dict.fromkeys((token, bare)) if text and pattern.matches(text)), None)

    return find


def _family(field: str) -> Family:
    return Family(name="own", pattern="", collect=lambda token, found: found.add(field, token.text, token.place))
