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

    from withgrain.store.reading import Reader

#: Up to so many chunks, the columns of all of them stay in memory (about 300 bytes a chunk).
MOST_KEPT = 200_000


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
        rows = (
            self._all.take(positions) if self._all is not None else reader.taken(CANDIDATE_COLUMNS, positions)
        ).to_pylist()
        lengths = reader.lexicon.lengths[positions].tolist()
        counts = reader.lexicon.counts(positions, terms)
        found = (i for i, known in zip(ids, there.tolist(), strict=True) if known)
        return [_decoded(*values) for values in zip(found, rows, lengths, counts, strict=True)]

    def _from_records(self, ids: Sequence[str], terms: Collection[str]) -> list[Candidate]:
        tables = self._reader.by_ids("chunks", CHUNK_COLUMNS, "chunk_id", ids)
        records = {r.chunk.id: r for table in tables for r in chunk_records(table.to_pylist())}
        return [candidate(records[i], terms) for i in ids if i in records]

    @cached_property
    def _all(self) -> pa.Table | None:
        if len(self._reader.row_ids) > MOST_KEPT:
            return None
        return self._reader.ordered(CANDIDATE_COLUMNS).drop_columns("_rowid").combine_chunks()


def _decoded(chunk_id: str, row: dict[str, Any], length: int, counts: dict[str, int]) -> Candidate:
    return Candidate(
        chunk_id=chunk_id,
        doc_id=row["doc_id"],
        title=row["title"],
        heading_path=tuple(row["heading_path"]),
        kind=row["kind"],
        quality=row["quality"],
        ordinal=row["ordinal"],
        total=row["total"],
        parent_id=row["parent_id"],
        identifiers=tuple(row["identifiers"]),
        length=length,
        counts=counts,
    )
