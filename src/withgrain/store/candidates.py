"""Light rows for ranking, from few columns; from whole records where a collection of an old schema has no others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from withgrain.model import Candidate, ChunkRecord
from withgrain.store.rows import CANDIDATE_COLUMNS, CHUNK_COLUMNS, chunk_records, split_terms

if TYPE_CHECKING:
    import pyarrow as pa

    from withgrain.store.lexicon import Positions
    from withgrain.store.reading import Reader

_Values = tuple[Any, ...]

#: Up to so many chunks, the columns of all of them stay in memory (about 300 bytes a chunk).
MOST_KEPT = 200_000
#: Rows that stay decoded (about 1 kB each).
_REMEMBERED = 50_000


def candidate(record: ChunkRecord, terms: Collection[str]) -> Candidate:
    """Return the light row of a record, counting its terms."""
    chunk, own = record.chunk, split_terms(record.terms)
    return Candidate(
        chunk_id=chunk.id,
        doc_id=chunk.doc_id,
        title=chunk.title,
        heading_path=chunk.heading_path,
        kind=chunk.kind,
        quality=chunk.quality,
        ordinal=chunk.ordinal,
        total=chunk.total,
        parent_id=chunk.parent_id,
        identifiers=chunk.facts.identifiers(),
        length=len(own),
        counts=Counter(t for t in own if t in terms),
    )


class Candidates:
    """The light rows of one state."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._known: dict[int, _Values] = {}

    def rows(self, ids: Sequence[str], terms: Sequence[str]) -> list[Candidate]:
        """Return the rows in the order asked, missing ones left out."""
        reader = self._reader
        if not ids:
            return []
        if "term_counts" not in reader.existing("chunks", ("term_counts",)):
            return self._from_records(ids, frozenset(terms))
        positions = reader.positions(ids)
        there = positions >= 0
        positions = positions[there]
        rows = self._decoded(positions)
        lengths = reader.lexicon.lengths[positions].tolist()
        counts = reader.lexicon.counts(positions, terms)
        found = (i for i, known in zip(ids, there.tolist(), strict=True) if known)
        return [_row(*values) for values in zip(found, rows, lengths, counts, strict=True)]

    def _decoded(self, positions: Positions) -> list[_Values]:
        """Return the values of `CANDIDATE_COLUMNS` at some positions; what was decoded before is remembered."""
        known, wanted = self._known, positions.tolist()
        unknown = [p for p in dict.fromkeys(wanted) if p not in known]
        if len(known) + len(unknown) > _REMEMBERED:
            known = self._known = {}  # another thread goes on with its own
            unknown = list(dict.fromkeys(wanted))
        if unknown:
            at = np_positions(unknown)
            table = self._all.take(at) if self._all is not None else self._reader.taken(CANDIDATE_COLUMNS, at)
            columns = [table.column(name).to_pylist() for name in CANDIDATE_COLUMNS]
            columns = [[tuple(v) if isinstance(v, list) else v for v in column] for column in columns]
            known.update(zip(unknown, zip(*columns, strict=True), strict=True))
        return [known[p] for p in wanted]

    def _from_records(self, ids: Sequence[str], terms: Collection[str]) -> list[Candidate]:
        tables = self._reader.by_ids("chunks", CHUNK_COLUMNS, "chunk_id", ids)
        records = {r.chunk.id: r for table in tables for r in chunk_records(table.to_pylist())}
        return [candidate(records[i], terms) for i in ids if i in records]

    @cached_property
    def _all(self) -> pa.Table | None:
        if len(self._reader.row_ids) > MOST_KEPT:
            return None
        return self._reader.ordered(CANDIDATE_COLUMNS).drop_columns("_rowid").combine_chunks()


def np_positions(places: Sequence[int]) -> Positions:
    """Return positions as an array."""
    import numpy as np

    return np.array(places, dtype=np.int64)


def _row(chunk_id: str, values: _Values, length: int, counts: dict[str, int]) -> Candidate:
    doc_id, title, heading_path, kind, quality, ordinal, total, parent_id, identifiers = values
    return Candidate(
        chunk_id=chunk_id,
        doc_id=doc_id,
        title=title,
        heading_path=heading_path,
        kind=kind,
        quality=quality,
        ordinal=ordinal,
        total=total,
        parent_id=parent_id,
        identifiers=identifiers,
        length=length,
        counts=counts,
    )
