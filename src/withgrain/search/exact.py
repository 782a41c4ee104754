"""The exact channel: chunks that have the identifiers of the question literally."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from withgrain.model import Candidates, Filter
from withgrain.search.bm25 import idf
from withgrain.search.literal import contains
from withgrain.tokens.terms import terms
from withgrain.types import Snapshot

#: A name that so few chunks have is telling, however small the collection is.
RARE = 3
#: Chunks of which the text is read to check one identifier; those that state it as a fact need no check.
CHECKED = 64

_SPACE = re.compile(r"\s+")


def exact_candidates(snapshot: Snapshot, identifiers: Sequence[str], where: Filter | None, limit: int) -> list[str]:
    """Return ids of chunks that may have one of the identifiers: by its terms, or side by side for a phrase.

    The whole identifier is the rarest of its terms, so that chunks that have it come first; its parts find it inside
    longer tokens (``--tls`` in ``--tls=on``).
    """
    found: dict[str, None] = {}
    languages = ("en", *snapshot.languages())
    for identifier in identifiers:
        readings = dict.fromkeys(tuple(terms(identifier, language)) for language in languages)
        for wanted in filter(None, readings):
            if _SPACE.search(identifier):
                ids: Iterable[str] = snapshot.phrase(wanted, where, limit)
            else:
                ids = (chunk_id for chunk_id, _ in snapshot.lexical(wanted, where, min(limit, CHECKED)))
            found.update(dict.fromkeys(ids))
    return list(found)


def literally(snapshot: Snapshot, candidates: Candidates, identifiers: Sequence[str]) -> dict[str, list[str]]:
    """Return, for each identifier that is there, the candidates that have it literally.

    A chunk that states it as a fact has it. Of the others, those that have all its terms are read (at most `CHECKED`,
    the shortest first: there the terms stand closest) and looked through: body, headings, title and inherited markers;
    a phrase with spaces also across line breaks and in any case. An identifier that is nowhere as written is looked for
    in any case.
    """
    if not identifiers:
        return {}
    languages = ("en", *snapshot.languages())
    stated = candidates.stating(list(dict.fromkeys(identifiers)))
    unread: dict[str, list[str]] = {}
    for identifier in identifiers:
        readings = {frozenset(terms(identifier, language)) for language in languages} - {frozenset()}
        having = set().union(*(_having(candidates, reading) for reading in readings))
        others = sorted((candidates.lengths[n], candidates.ids[n]) for n in having.difference(stated[identifier]))
        unread[identifier] = [chunk_id for _, chunk_id in others[:CHECKED]]
    texts = snapshot.texts(list(dict.fromkeys(c for ids in unread.values() for c in ids)))
    found: dict[str, list[str]] = {}
    for identifier in identifiers:
        read = {c: texts[c] for c in unread[identifier] if c in texts}
        has = [candidates.ids[n] for n in stated[identifier]] + [
            c for c, text in read.items() if _has(text, identifier)
        ]
        if not has:
            has = [c for c, text in read.items() if _has(text.casefold(), identifier.casefold())]
        if has:
            found[identifier] = has
    return found


def _having(candidates: Candidates, reading: Iterable[str]) -> set[int]:
    """Return the places of the candidates that have all these terms."""
    return set.intersection(*(set(map(int, candidates.counts.get(term, ((), ()))[0])) for term in reading))


def telling(found: Mapping[str, Sequence[str]], names: Sequence[str], chunks: int) -> dict[str, Sequence[str]]:
    """Return what decides the order: every sure identifier, and of the mere ``names`` those that are rare.

    "cert-manager" in a collection about it tells nothing; a name that one chunk in 200 has (at most three in a small
    collection) tells where to look.
    """
    most = min(max(RARE, chunks // 200), CHECKED - 1)
    return {i: ids for i, ids in found.items() if i not in names or len(ids) <= most}


def exact_scores(found: Mapping[str, Sequence[str]], chunks: int) -> dict[str, float]:
    """Return for each chunk the summed weight of the identifiers that it has; the rarer, the more one weighs."""
    scores: dict[str, float] = {}
    for ids in found.values():
        for chunk_id in ids:
            scores[chunk_id] = scores.get(chunk_id, 0.0) + idf(chunks, len(ids))
    return scores


def _has(text: str, identifier: str) -> bool:
    if not _SPACE.search(identifier):
        return contains(text, identifier)
    return contains(_SPACE.sub(" ", text).casefold(), _SPACE.sub(" ", identifier).casefold())
