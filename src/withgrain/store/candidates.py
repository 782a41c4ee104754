"""Light rows for ranking, from few columns; from whole records where a collection of an old schema has no others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from withgrain.model import Candidate, Candidates, Chunk, ChunkRecord
from withgrain.model.candidates import counts_at
from withgrain.store.rows import CANDIDATE_COLUMNS, CHUNK_COLUMNS, bodies, chunk_records, split_terms

if TYPE_CHECKING:
    import pyarrow as pa

    from withgrain.model.candidates import Occurrences
    from withgrain.store.lexicon import Positions
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


def text_of(chunk: Chunk) -> str:
    """Return body, headings, title and markers of a chunk."""
    return "\n".join((chunk.body, *chunk.heading_path, chunk.title, *chunk.facts.markers))


class LightRows:
    """The light rows of one state."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def of(self, ids: Sequence[str], terms: Sequence[str]) -> Candidates:
        """Return the rows in the order asked, missing ones left out."""
        reader = self._reader
        if not ids:
            return Candidates.of([])
        if "term_counts" not in reader.existing("chunks", ("term_counts",)):
            return Candidates.of(self._from_records(ids, frozenset(terms)))
        positions, found = self._there(ids)
        counts = reader.lexicon.counts(positions, terms)
        lengths = reader.lexicon.lengths[positions]
        rows = _Rows(self._table, positions, found, lengths, counts)
        documents = self._documents
        return Candidates(
            ids=found,
            doc_ids=[documents.ids[n] for n in documents.of[positions].tolist()],
            lengths=lengths,
            totals=documents.totals[positions].tolist(),
            counts=counts,
            stating=rows.stating,
            names=rows.names,
            row=rows.row,
        )

    def of_documents(self, doc_ids: Sequence[str]) -> Positions | None:
        """Return the positions of the chunks of some documents, ascending; None in a collection of an old schema."""
        import numpy as np

        if len(self._reader.existing("chunks", ("doc_id", "total"))) < 2:
            return None
        documents = self._documents
        places = [place for i in doc_ids if (place := documents.places.get(i)) is not None]
        found: Positions = np.flatnonzero(np.isin(documents.of, places))
        return found

    def warm(self) -> None:
        """Have the columns at hand that are in memory."""
        self._documents  # noqa: B018  # made on first use

    def texts(self, ids: Sequence[str]) -> dict[str, str]:
        """Return body, headings, title and markers of chunks, by id."""
        reader = self._reader
        positions, names = self._there(ids)
        if len(reader.existing("chunks", CANDIDATE_COLUMNS)) < len(CANDIDATE_COLUMNS):
            records = chunk_records(reader.chunks(positions).to_pylist())
            return {r.chunk.id: text_of(r.chunk) for r in records}
        beside = self._table(positions, ("heading_path", "title", "markers"))
        columns = (beside.column(name).to_pylist() for name in ("heading_path", "title", "markers"))
        parts = zip(names, bodies(reader.chunks(positions, ("body", "exact"))), *columns, strict=True)
        return {name: "\n".join((body, *path, title, *markers)) for name, body, path, title, markers in parts}

    def bodies(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the bodies of chunks, by id."""
        positions, names = self._there(ids)
        return dict(zip(names, bodies(self._reader.chunks(positions, ("body", "exact"))), strict=True))

    def _there(self, ids: Sequence[str]) -> tuple[Positions, list[str]]:
        """Return the positions and ids of the chunks that are there, in the order asked."""
        positions = self._reader.positions(ids)
        there = positions >= 0
        return positions[there], [i for i, known in zip(ids, there.tolist(), strict=True) if known]

    def _table(self, positions: Positions, columns: Sequence[str] = CANDIDATE_COLUMNS) -> pa.Table:
        """Return some of the `CANDIDATE_COLUMNS` at some positions."""
        if self._all is None:
            return self._reader.light(positions, columns)
        return self._all.select(self._reader.existing("chunks", columns)).take(positions)

    def _from_records(self, ids: Sequence[str], terms: Collection[str]) -> list[Candidate]:
        tables = self._reader.by_ids("chunks", CHUNK_COLUMNS, "chunk_id", ids)
        records = {r.chunk.id: r for table in tables for r in chunk_records(table.to_pylist())}
        return [candidate(records[i], terms) for i in ids if i in records]

    @cached_property
    def _documents(self) -> _Documents:
        table = self._all if self._all is not None else self._reader.ordered(("doc_id", "total"))
        coded = table.column("doc_id").combine_chunks().dictionary_encode()
        return _Documents(
            ids=coded.dictionary.to_pylist(), of=coded.indices.to_numpy(), totals=table.column("total").to_numpy()
        )

    @cached_property
    def _all(self) -> pa.Table | None:
        if len(self._reader.row_ids) > MOST_KEPT:
            return None
        return self._reader.ordered(CANDIDATE_COLUMNS).drop_columns("_rowid").combine_chunks()


@dataclass(frozen=True, kw_only=True)
class _Documents:
    """The document of every chunk (12 bytes a chunk).

    Attributes:
        ids: The documents.
        of: For every chunk the place of its document among these.
        totals: For every chunk, how many its document has.
    """

    ids: Sequence[str]
    of: Positions
    totals: Positions

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each document."""
        return {doc_id: place for place, doc_id in enumerate(self.ids)}


class _Rows:
    """Some light rows as they are stored: read and decoded where somebody looks."""

    def __init__(
        self,
        read: Callable[[Positions, Sequence[str]], pa.Table],
        positions: Positions,
        ids: Sequence[str],
        lengths: Positions,
        counts: Mapping[str, Occurrences],
    ) -> None:
        self._read, self._positions = read, positions
        self._ids, self._lengths, self._counts = ids, lengths, counts

    @cached_property
    def _table(self) -> pa.Table:
        return self._read(self._positions, CANDIDATE_COLUMNS)

    def stating(self, wanted: Sequence[str]) -> dict[str, list[int]]:
        """Return for each of some identifiers the places of the rows that state it as a fact."""
        import pyarrow.compute as pc

        lists = self._read(self._positions, ("identifiers",)).column("identifiers").combine_chunks()
        stated, places = lists.flatten(), pc.list_parent_indices(lists)
        return {i: sorted(set(places.filter(pc.equal(stated, i)).to_pylist())) for i in wanted}

    def names(self, places: Sequence[int]) -> list[tuple[str, ...]]:
        """Return title and heading path of the rows at some places."""
        table = self._read(self._positions[places], ("title", "heading_path"))
        titles, paths = table.column("title").to_pylist(), table.column("heading_path").to_pylist()
        return [(title, *path) for title, path in zip(titles, paths, strict=True)]

    def row(self, place: int) -> Candidate:
        """Return the row at a place."""
        values: dict[str, Any] = self._table.slice(place, 1).drop_columns("markers").to_pylist()[0]
        for name in ("heading_path", "identifiers"):
            values[name] = tuple(values[name])
        return Candidate(
            chunk_id=self._ids[place], length=int(self._lengths[place]), counts=counts_at(place, self._counts), **values
        )
