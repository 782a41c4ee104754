"""What a question says: terms, identifiers, quoted phrases, facts, and the filters written in it.

The same detectors and the same terms as at ingestion, so that both sides meet.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from withgrain.errors import UsageError
from withgrain.model import Facts, Filter
from withgrain.search.inline import split_filters
from withgrain.signals import detect
from withgrain.tokens.terms import terms

#: A longer question is cut, with a notice: nobody asks so much, but people paste.
MAX_CHARACTERS = 8_000
MAX_TERMS = 200
MAX_IDENTIFIERS = 20

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_QUOTED = re.compile(r'"([^"]{2,200})"|“([^”]{2,200})”|`([^`]{2,200})`')


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, understood.

    Attributes:
        text: The question without its filters and control characters: what is embedded.
        terms: Lexical terms with their counts, in order of appearance.
        identifiers: Literal identifiers, and phrases in quotes or backticks.
        facts: What the detectors found.
        where: The filters written in the question.
        notices: What was cut or could not be used, in plain sentences.
    """

    text: str
    terms: Mapping[str, int]
    identifiers: tuple[str, ...] = ()
    facts: Facts = field(default_factory=Facts)
    where: Filter | None = None
    notices: tuple[str, ...] = ()


def analyse(query: str) -> Question:
    """Understand a question. Pure, and linear in the length of the question.

    Raises:
        UsageError: Nothing to search for is in it.
    """
    notices: list[str] = []
    text = _CONTROL.sub(" ", query[: MAX_CHARACTERS + 1]).encode("utf-8", "replace").decode("utf-8")
    if len(query) > MAX_CHARACTERS:
        text = text[:MAX_CHARACTERS].rsplit(maxsplit=1)[0] if " " in text.strip() else text[:MAX_CHARACTERS]
        notices.append(f"The question has {len(query)} characters; only the first {len(text)} are used.")
    text, where = split_filters(text.strip())
    if not text.strip():
        asked = "only filters" if where else "empty"
        raise UsageError(f"The question is {asked}. Write what you are looking for in a few words.")
    counts = Counter(terms(text))
    if len(counts) > MAX_TERMS:
        notices.append(f"The question has {len(counts)} different terms; the first {MAX_TERMS} are used.")
        counts = Counter(dict(list(counts.items())[:MAX_TERMS]))
    facts = detect(text)
    return Question(
        text=text,
        terms=counts,
        identifiers=_identifiers(text, facts),
        facts=facts,
        where=where,
        notices=tuple(notices),
    )


def _identifiers(text: str, facts: Facts) -> tuple[str, ...]:
    quoted = (next(filter(None, groups)).strip() for groups in _QUOTED.findall(text))
    found = dict.fromkeys((*facts.identifiers(), *(q for q in quoted if len(q) > 1)))
    return tuple(found)[:MAX_IDENTIFIERS]
