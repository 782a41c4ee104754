"""The exact channel: chunks that have the identifiers of the question literally."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import dropwhile
from typing import NamedTuple

from withgrain.model import Candidates, Filter
from withgrain.search.bm25 import idf
from withgrain.search.literal import contains, plain
from withgrain.tokens.terms import terms
from withgrain.types import Snapshot, Statistics

#: A name that so few chunks have is telling, however small the collection is.
RARE = 3
#: Chunks of which the text is read to check one identifier; those that state it as a fact need no check.
CHECKED = 64
#: Of these so many that have only its parts, where others have it as a token of its own.
CHECKED_INSIDE = 8
#: The parts of an identifier are looked for side by side where the rarest is in no more chunks than this.
SIDE_BY_SIDE = 2_000

_SPACE = re.compile(r"\s+")

#: Each identifier with its terms, as the rules of each language of the collection give them.
Readings = Mapping[str, Sequence[tuple[str, ...]]]


class Standing(NamedTuple):
    """Where an identifier stands literally.

    Attributes:
        whole: Chunks that have it as a token of its own, or state it as a fact.
        inside: Chunks that have it only inside a longer token, between signs that are not its own (``role/Admin`` in
            ``arn:aws:iam::1:role/Admin``).
    """

    whole: tuple[str, ...]
    inside: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """Return all of them, the better ones first."""
        return (*self.whole, *self.inside)


def readings_of(identifiers: Iterable[str], languages: Sequence[str]) -> Readings:
    """Return the terms of identifiers by the rules of English and of some languages; one without terms is left out."""
    every = ("en", *languages)
    found = {i: [r for r in dict.fromkeys(tuple(terms(i, one)) for one in every) if r] for i in identifiers}
    return {identifier: readings for identifier, readings in found.items() if readings}


def exact_candidates(
    snapshot: Snapshot,
    readings: Readings,
    where: Filter | None,
    limit: int,
    *,
    names: Collection[str] = (),
    frequencies: Mapping[str, int],
) -> list[str]:
    """Return ids of chunks that may have one of the identifiers: by its terms, or side by side for a phrase.

    The whole identifier is the rarest of its terms, so that chunks that have it come first. Where none has it whole,
    its parts side by side find it inside longer tokens.

    Args:
        snapshot: The state to search.
        readings: The identifiers.
        where: The filter.
        limit: Most ids for a phrase; for an identifier they are `CHECKED` at most.
        names: Those of them that may be ordinary names: their parts are not looked for.
        frequencies: How many chunks have each of their terms.
    """
    found: dict[str, None] = {}
    for identifier, each in readings.items():
        for wanted in each:
            parts = _parts(identifier, wanted)
            if _SPACE.search(identifier):
                ids: Iterable[str] = snapshot.phrase(wanted, where, limit)
            elif parts and identifier not in names and _only_inside(wanted, parts, frequencies):
                ids = snapshot.phrase(parts, where, min(limit, CHECKED))
            else:
                ids = (chunk_id for chunk_id, _ in snapshot.lexical(wanted, where, min(limit, CHECKED)))
            found.update(dict.fromkeys(ids))
    return list(found)


def _parts(identifier: str, reading: tuple[str, ...]) -> tuple[str, ...]:
    """Return the terms that an identifier gives inside a longer token, too; none where it gives all of them there."""
    if _SPACE.search(identifier):
        return ()
    parts = tuple(dropwhile(lambda term: not term.isalnum(), reading))
    return parts if 1 < len(parts) < len(reading) else ()


def _only_inside(reading: tuple[str, ...], parts: tuple[str, ...], frequencies: Mapping[str, int]) -> bool:
    """Return whether an identifier can stand inside longer tokens only, and few chunks can have it there."""
    whole = reading[: len(reading) - len(parts)]
    rarest = min(frequencies.get(term, 0) for term in parts)
    return min(frequencies.get(term, 0) for term in whole) == 0 < rarest <= SIDE_BY_SIDE


def literally(
    snapshot: Snapshot,
    candidates: Candidates,
    readings: Readings,
    *,
    names: Collection[str] = (),
    keys: Collection[str] = (),
) -> dict[str, Standing]:
    """Return, for each identifier that is there, the candidates that have it literally.

    A chunk that states it as a fact has it. Of the others, those that have all its terms are read, then some that have
    all its parts (at most `CHECKED`, the shortest first: there the terms stand closest) and looked through: body,
    headings, title and inherited markers; a phrase with spaces also across line breaks and in any case; quotes,
    apostrophes and hyphens are alike however they are set. An identifier that is nowhere as written is looked for in
    any case.

    Args:
        snapshot: The state to search.
        candidates: The chunks that compete, with the counts of the terms.
        readings: The identifiers.
        names: Those of them that may be ordinary names: inside longer tokens they are looked for only where no
            candidate has them whole.
        keys: Those of them that count only where a candidate states them as a fact.
    """
    if not readings:
        return {}
    stated = candidates.stating(list(readings))
    readings = {i: each for i, each in readings.items() if i not in keys or stated[i]}
    unread = {i: _unread(candidates, i, each, stated[i], i in names) for i, each in readings.items()}
    texts = {c: plain(t) for c, t in snapshot.texts(list(_all(unread.values()))).items()}
    found: dict[str, Standing] = {}
    for identifier in readings:
        facts, wanted, places = [candidates.ids[n] for n in stated[identifier]], plain(identifier), unread[identifier]
        standing = Standing(*(tuple(c for c in ids if _has(texts.get(c, ""), wanted)) for ids in places))
        standing = standing._replace(whole=(*facts, *standing.whole))
        if not standing.ids:
            folded = wanted.casefold()
            standing = Standing(*(tuple(c for c in ids if _has(texts.get(c, "").casefold(), folded)) for ids in places))
        if standing.ids:
            found[identifier] = standing
    return found


def _all(standings: Iterable[Standing]) -> dict[str, None]:
    return dict.fromkeys(chunk_id for standing in standings for chunk_id in standing.ids)


def _unread(
    candidates: Candidates, identifier: str, readings: Sequence[tuple[str, ...]], stated: Collection[int], name: bool
) -> Standing:
    """Return the candidates that have all terms of an identifier, and those that have only its parts; not all."""
    whole = set[int]().union(*(_having(candidates, reading) for reading in readings))
    inside = set[int]()
    if not (name and whole):
        parts = ({t for t in _parts(identifier, reading) if t.isalnum()} for reading in readings)
        inside = inside.union(*(_having(candidates, some) for some in parts if some)) - whole
    first, second = (
        [i for _, i in sorted((candidates.lengths[n], candidates.ids[n]) for n in places.difference(stated))]
        for places in (whole, inside)
    )
    first = first[:CHECKED]
    return Standing(tuple(first), tuple(second[: CHECKED_INSIDE if first else CHECKED][: CHECKED - len(first)]))


def _having(candidates: Candidates, reading: Collection[str]) -> set[int]:
    """Return the places of the candidates that have all these terms."""
    return set.intersection(*(set(map(int, candidates.counts.get(term, ((), ()))[0])) for term in reading))


def rare(readings: Sequence[tuple[str, ...]], statistics: Statistics) -> bool:
    """Return whether few chunks, but at least one, can have a word."""
    most = _most(statistics.chunks)
    return any(0 < min(statistics.frequencies.get(term, 0) for term in reading) <= most for reading in readings)


def _most(chunks: int) -> int:
    return min(max(RARE, chunks // 200), CHECKED - 1)


def telling(found: Mapping[str, Standing], names: Sequence[str], chunks: int) -> dict[str, Standing]:
    """Return what decides the order: every sure identifier, and of the mere ``names`` those that are rare.

    "cert-manager" in a collection about it tells nothing; a name that one chunk in 200 has (at most three in a small
    collection) tells where to look.
    """
    return {i: standing for i, standing in found.items() if i not in names or len(standing.ids) <= _most(chunks)}


def exact_scores(found: Mapping[str, Standing], named: Iterable[str], chunks: int) -> dict[str, float]:
    """Return for each chunk the summed weight of the identifiers that it has; the rarer, the more one weighs.

    Inside a longer token an identifier weighs half; chunks of a document that the question names stand before all.
    """
    scores: dict[str, float] = {}
    for standing in found.values():
        for chunk_id in standing.whole:
            scores[chunk_id] = scores.get(chunk_id, 0.0) + idf(chunks, len(standing.whole))
        for chunk_id in standing.inside:
            scores[chunk_id] = scores.get(chunk_id, 0.0) + idf(chunks, len(standing.ids)) / 2
    first = 1.0 + max(scores.values(), default=0.0)
    return {**scores, **{chunk_id: first + scores.get(chunk_id, 0.0) for chunk_id in named}}


def _has(text: str, identifier: str) -> bool:
    if not _SPACE.search(identifier):
        return contains(text, identifier)
    return contains(_SPACE.sub(" ", text).casefold(), _SPACE.sub(" ", identifier).casefold())
