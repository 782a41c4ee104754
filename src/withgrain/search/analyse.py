"""What a question says: terms, identifiers, quoted phrases, facts, and the filters written in it.

The same detectors and the same terms as at ingestion, so that both sides meet.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from withgrain.errors import UsageError
from withgrain.model import Facts, Filter
from withgrain.search.files import files_in
from withgrain.search.inline import split_filters
from withgrain.search.literal import plain
from withgrain.search.unfound import Values
from withgrain.signals import detect
from withgrain.signals.profile import shipped_profile
from withgrain.tokens.terms import identifiers as shaped_like_identifiers
from withgrain.tokens.terms import query_terms, terms

#: A longer question is cut, with a notice: nobody asks so much, but people paste.
MAX_CHARACTERS = 8_000
MAX_TERMS = 200
MAX_IDENTIFIERS = 20
MAX_RELATED = 40

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
# What only code looks like: ``user_id``, ``a=1``, ``/path``, ``--flag``, ``@@MARK``, ``selfRevoke`` (not "OpenShift").
_CODE = re.compile(r"--|/|.*[_=@{]|[a-z]{2,}[a-z0-9]*[A-Z]")
# All that the detectors state of words in small letters.
_KEY = re.compile(r"[a-z]{1,37}key|[a-z]{3,78}id")

#: Words of a sentence that asks for a thing by its name and says nothing else about it: "what does X mean?".
FRAME = re.compile(
    r"an?|about|and|any|are|by|called|can|chunk|define[ds]?|definition|describe[ds]?|do|docs|documents?|documented"
    r"|documentation|does|explain(ed)?|find|for|give|how|i|in|is|its?|look|me|mean(s|ing)?|mention(ed)?|of|on|please"
    r"|search|section|see|show|stands?|tell|that|the|there|this|to|up|use[ds]?|what('s)?|when|where('s)?|which|who|why"
    r"|you",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, understood.

    Attributes:
        text: The question without its filters and control characters: what is embedded.
        terms: Lexical terms with their counts, in order of appearance.
        identifiers: Literal identifiers, and phrases in quotes or backticks: a chunk that has one comes first.
        related: Terms of other words for the operations and entities of the question ("deactivate" for "suspend").
        names: Names that may be identifiers or ordinary ("cert-manager", "OAuth2"): they decide where they are rare.
        keys: Words in small letters that may name a key ("statuskey"): they count where the collection states them as
            such. In a question of other words they are among the ``names``, too.
        files: Paths or names of files: chunks of such documents come first.
        facts: What the detectors found.
        where: The filters written in the question.
        notices: What was cut or could not be used, in plain sentences.
    """

    text: str
    terms: Mapping[str, int]
    identifiers: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    facts: Facts = field(default_factory=Facts)
    where: Filter | None = None
    notices: tuple[str, ...] = ()


def analyse(query: str, languages: Sequence[str] = (), values: Values | None = None) -> Question:
    """Understand a question. Pure but for what it asks of ``values``, and linear in the length of the question.

    Args:
        query: The question.
        languages: Languages of the collection's documents: the question's words are read by the rules of each.
        values: What the collection has, for filters that are loosely written.

    Raises:
        UsageError: Nothing to search for is in it.
    """
    notices: list[str] = []
    text = _CONTROL.sub(" ", query[: MAX_CHARACTERS + 1]).encode("utf-8", "replace").decode("utf-8")
    if len(query) > MAX_CHARACTERS:
        text = text[:MAX_CHARACTERS].rsplit(maxsplit=1)[0] if " " in text.strip() else text[:MAX_CHARACTERS]
        notices.append(f"The question has {len(query)} characters; only the first {len(text)} are used.")
    read = split_filters(text.strip(), values)
    text, notices = read.text, [*notices, *read.notices]
    if not text.strip():
        asked = "only filters" if read.where else "empty"
        raise UsageError(f"The question is {asked}. Write what you are looking for in a few words.")
    counts = Counter(query_terms(text, languages))
    if len(counts) > MAX_TERMS:
        notices.append(f"The question has {len(counts)} different terms; the first {MAX_TERMS} are used.")
        counts = Counter(dict(list(counts.items())[:MAX_TERMS]))
    facts = detect(text)
    identifiers, names, keys = _identifiers(plain(text), facts)
    return Question(
        text=text,
        terms=counts,
        identifiers=identifiers,
        names=names,
        keys=keys,
        files=files_in(plain(text)),
        related=_related(facts, counts),
        facts=facts,
        where=read.where,
        notices=tuple(notices),
    )


def _related(facts: Facts, asked: Mapping[str, int]) -> tuple[str, ...]:
    """Return the terms of the single words that mean what an operation or entity of the question means."""
    profile = shipped_profile()
    words = (
        word
        for found, table in ((facts.operations, profile.operations), (facts.entities, profile.entities))
        for name in found
        for word in (name, *table.get(name, ()))
        if " " not in word
    )
    return tuple(dict.fromkeys(t for t in terms(" ".join(words)) if t not in asked))[:MAX_RELATED]


def _identifiers(text: str, facts: Facts) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return what is surely meant literally, what may be an ordinary name, and what may be the name of a key.

    Surely: what the detectors found, what is quoted, what only code looks like, and all of a question that names
    identifiers and nothing else ("what does X mean?"). Words in capitals are no names: parties and headings are written
    so.
    """
    shaped = shaped_like_identifiers(text)
    words = [word.strip("?!.,;:") for word in text.split()]
    typed = [word for word in words if not FRAME.fullmatch(word)] or words
    if len(typed) == 1 and typed[0].isascii() and not typed[0][1:].islower():  # no sentence has it: "TOKEN", "404"
        shaped = tuple(dict.fromkeys((*shaped, typed[0])))
    alone = set(typed) <= set(shaped)
    sure = dict.fromkeys(facts.identifiers())
    names: dict[str, None] = {}
    for name in shaped:
        quoted = any(f"{mark}{name}{mark}" in text for mark in '`"')
        if not name:
            continue
        if alone or quoted or " " in name or _CODE.match(name):
            sure[name] = None
        elif not name.isupper():
            names[name] = None
    keys = tuple(dict.fromkeys(w for w in words if _KEY.fullmatch(w) and w not in sure))[:MAX_IDENTIFIERS]
    if not set(typed) <= {*shaped, *keys}:
        names |= dict.fromkeys(keys)
    return tuple(sure)[:MAX_IDENTIFIERS], tuple(n for n in names if n not in sure)[:MAX_IDENTIFIERS], keys
