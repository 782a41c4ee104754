"""Reading the tables of one state: columns under a condition, rows by id, and chunks by their place in the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from itertools import repeat
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from withgrain.errors import UsageError
from withgrain.model import Filter
from withgrain.store.engine import open_tables
from withgrain.store.failures import guarded
from withgrain.store.head import Head
from withgrain.store.idplaces import Places
from withgrain.store.lexicon import COLUMNS, Lexicon
from withgrain.store.mapped import Mapped
from withgrain.store.matching import fields_of
from withgrain.store.rows import CANDIDATE_COLUMNS, CHUNK_COLUMNS, DOCUMENT_COLUMNS, IDS
from withgrain.store.sql import is_one_of, where_sql

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb.table import Table

    from withgrain.store.lexicon import Positions

#: Rows of a batch, and of one with vectors: larger ones are new memory each, and getting that takes most of the time.
_ROWS = 16384
VECTOR_ROWS = 4096
#: Ids in one question to the engine.
BATCH = 1000
#: Up to so many chunks, a table of their ids finds their places (about 200 bytes a chunk).
_TABLED = 300_000
#: Of larger collections, so many ids of chunks that were given out are remembered with their places.
_NAMED = 100_000
#: Who reads whole chunks, or documents, more often than this gets them all in memory, where they are no larger than
#: that: all of some ten thousand chunks cost about as much as a few of them by id. One question alone reads up to half
#: a dozen times, where many of its hits are copies of others.
_READ_BEFORE, _MOST_READ_BEFORE = 2, 12
_AS_MUCH = 10_000
_KEPT_BYTES = 256 << 20
#: Chunks that tell how large all are, and the size with the columns for ranking.
_SAMPLED = 200
_BESIDE = 1.3


class Reader:
    """The tables of one state, and what is remembered of them while it is read.

    Attributes:
        path: The collection.
        tables: The tables, each at its version.
    """

    def __init__(self, path: Path, head: Head) -> None:
        """Open the tables that ``head`` names."""
        self.path = path
        self.tables: dict[str, Table] = open_tables(path, head)
        self._columns: dict[str, frozenset[str]] = {}
        self._taken = self._taken_bytes = self._taken_rows = 0
        self._whole: pa.Table | Mapped | None = None
        self._light: Mapped | None = None  # those for ranking, where all chunks are mapped
        self._unheld = False  # there is no room for them, or they are out of order
        self._making = Lock()
        self._read = self._read_bytes = 0
        self._texts: tuple[pa.Table, dict[str, int]] | None = None
        self._named: dict[str, int] = {}

    def select(self, name: str, columns: Sequence[str], condition: str | None, *, row_ids: bool = False) -> pa.Table:
        """Return columns of the rows for which the condition holds; columns that an old schema lacks are left out."""
        with guarded(self.path, f"reading {name}"):
            query = self.tables[name].search().select(self.existing(name, columns)).limit(None)
            if condition is not None:
                query = query.where(condition)
            return (query.with_row_id(True) if row_ids else query).to_arrow()

    def condition(self, where: Filter | None) -> str | None:
        """Return the SQL of a filter.

        Raises:
            UsageError: The filter has no meaning, or the collection is of an older version and lacks one of its fields.
        """
        sql = where_sql(where)
        for field in sorted(fields_of(where)) if where is not None else ():
            self.check_column(field)
        return sql

    def check_column(self, field: str) -> None:
        """Refuse a field that chunks of the collection do not have.

        Raises:
            UsageError: The collection was written by an older version.
        """
        if len(self.existing("chunks", ("page", "pages") if field == "page" else (field,))) < 1 + (field == "page"):
            raise UsageError(
                f'The collection was written by an older version, which stored no "{field}": make it anew with '
                "`withgrain migrate`, or ingest its documents into a new one."
            )

    def by_ids(self, name: str, columns: Sequence[str], column: str, ids: Sequence[str]) -> Iterator[pa.Table]:
        """Yield the rows whose ``column`` is one of the ids."""
        wanted = list(dict.fromkeys(ids))
        for start in range(0, len(wanted), BATCH):
            yield self.select(name, columns, is_one_of(column, wanted[start : start + BATCH]))

    def batches(
        self,
        name: str,
        columns: Sequence[str],
        condition: str | None = None,
        *,
        row_ids: bool = False,
        rows: int = _ROWS,
    ) -> Iterator[pa.RecordBatch]:
        """Yield columns of all rows in bounded memory."""
        with guarded(self.path, f"reading {name}"):
            query = self.tables[name].search().select(self.existing(name, columns)).limit(None)
            if condition is not None:
                query = query.where(condition)
            yield from (query.with_row_id(True) if row_ids else query).to_batches(rows)

    def existing(self, name: str, columns: Sequence[str]) -> list[str]:
        """Return those of the columns that the table has."""
        if name not in self._columns:
            with guarded(self.path, f"reading {name}"):
                names = frozenset(self.tables[name].schema.names)
                if IDS[name] not in names:  # the engine reads a manifest of zeros as a table of nothing
                    raise LookupError(f"the table has no column {IDS[name]}")
                self._columns[name] = names
        return [c for c in columns if c in self._columns[name]]

    # Chunks by position: their order in the table.

    @cached_property
    def row_ids(self) -> Positions:
        """Row id of every chunk by position, ascending."""
        row_ids: Positions = self._rows.column("_rowid").to_numpy()
        return row_ids

    @cached_property
    def chunk_ids(self) -> pa.Array:
        """Id of every chunk by position."""
        return self._rows.column("chunk_id").combine_chunks()

    @cached_property
    def lexicon(self) -> Lexicon:
        """The exact statistics."""
        return Lexicon(self.ordered(COLUMNS))

    def ordered(self, columns: Sequence[str]) -> pa.Table:
        """Return columns of all chunks in the order of their row ids, which is nearly always the order of reading."""
        table = self.select("chunks", columns, None, row_ids=True)
        row_ids = table.column("_rowid").to_numpy()
        return table if (row_ids[1:] > row_ids[:-1]).all() else table.sort_by("_rowid")

    def names(self, positions: Positions) -> list[str]:
        """Return the ids of the chunks at some positions: up to `_TABLED` chunks, always the same strings."""
        if len(self.chunk_ids) <= _TABLED:
            return list(map(self._names.__getitem__, positions.tolist()))
        found: list[str] = self.chunk_ids.take(positions).to_pylist()
        if len(self._named) + len(found) > _NAMED:
            self._named = {}  # who reads the old one at this moment goes on with it
        self._named.update(zip(found, positions.tolist(), strict=True))
        return found

    def positions(self, ids: Sequence[str]) -> Positions:
        """Return the positions of chunks, in the order of the ids; -1 for an id that is not there."""
        import numpy as np

        if len(self.chunk_ids) <= _TABLED:
            return np.fromiter(map(self._places.get, ids, repeat(-1)), dtype=np.int64, count=len(ids))
        named = self._named
        unknown = [i for i in ids if i not in named]
        found = dict(zip(unknown, self._sorted.of(unknown).tolist(), strict=True)) if unknown else {}
        return np.array([found[i] if i in found else named.get(i, -1) for i in ids], dtype=np.int64)

    def chunks(self, positions: Positions, columns: Sequence[str] = CHUNK_COLUMNS) -> pa.Table:
        """Return what rebuilds the chunks at some positions, or some of these columns.

        From memory where many are asked for, and it has room; else from a mapped file.
        """
        if self._taken >= self._read_before and self._whole is None:
            self._hold()
        if isinstance(self._whole, Mapped):
            return self._whole.take(positions, self.existing("chunks", columns))
        if self._whole is not None:
            return self._whole.select(self.existing("chunks", columns)).take(positions)
        found = self.taken(columns, positions)
        if columns is CHUNK_COLUMNS:
            self._taken += 1
            self._taken_bytes += found.nbytes
            self._taken_rows += found.num_rows
        return found

    def light(self, positions: Positions, columns: Sequence[str]) -> pa.Table:
        """Return some of the `CANDIDATE_COLUMNS` of the chunks at some positions; mapped where all chunks are."""
        if self._light is not None:
            return self._light.take(positions, self.existing("chunks", columns))
        return self.taken(columns, positions)

    def warm(self) -> None:
        """Have all chunks at hand now, for who will ask often."""
        if not self._taken_rows:  # nothing tells yet how large they are
            self.chunks(np_positions(range(0, len(self.chunk_ids), max(1, len(self.chunk_ids) // _SAMPLED))))
        self._hold()

    def _hold(self) -> None:
        """Have all chunks in memory, or mapped where they are too large for that; threads that ask meanwhile wait."""
        with self._making:
            if self._whole is not None or self._unheld:
                return
            expected = len(self.chunk_ids) * self._taken_bytes / max(1, self._taken_rows)
            if expected <= _KEPT_BYTES:
                self._whole = self.ordered(CHUNK_COLUMNS).drop_columns("_rowid").combine_chunks()
            else:
                columns = tuple(dict.fromkeys((*CHUNK_COLUMNS, *CANDIDATE_COLUMNS)))
                read = partial(self.batches, "chunks", columns, row_ids=True)
                made = Mapped.made(read, self.path, int(_BESIDE * expected), (CHUNK_COLUMNS, CANDIDATE_COLUMNS))
                self._whole, self._light = made or (None, None)
                self._unheld = made is None

    def documents(self, ids: Sequence[str]) -> pa.Table:
        """Return what rebuilds some documents with their texts; from memory as `chunks`."""
        if self._texts is None and self._read >= self._read_before:
            expected = self.tables["documents"].count_rows() * self._read_bytes / self._read
            if expected <= _KEPT_BYTES:
                table = self.select("documents", ("doc_id", *DOCUMENT_COLUMNS), None).combine_chunks()
                self._texts = table, {doc_id: row for row, doc_id in enumerate(table.column("doc_id").to_pylist())}
        if self._texts is not None:
            table, rows = self._texts
            return table.take(np_positions([rows[i] for i in ids if i in rows]))
        found = self._some_documents(ids)
        self._read += 1
        self._read_bytes += found.nbytes
        return found

    def _some_documents(self, ids: Sequence[str]) -> pa.Table:
        """Return what rebuilds some documents; from the second time on without a look at the ids of all."""
        if self._read:
            places, row_ids = self._document_rows
            found = places.of(ids)
            rows = row_ids[found[found >= 0]].tolist()
            if rows:  # the engine takes no empty list
                with guarded(self.path, "reading documents"):
                    query = self.tables["documents"].take_row_ids(rows)
                    return query.select(self.existing("documents", DOCUMENT_COLUMNS)).to_arrow()
        return self.select("documents", DOCUMENT_COLUMNS, is_one_of("doc_id", ids))

    def taken(self, columns: Sequence[str], positions: Positions) -> pa.Table:
        """Return columns of the chunks at some positions, in their order, as often as they are asked for."""
        import numpy as np

        once, places = np.unique(positions, return_inverse=True)  # the engine gives each row once, in its own order
        with guarded(self.path, "reading chunks"):
            query = self.tables["chunks"].take_row_ids(self.row_ids[once].tolist())
            return query.select(self.existing("chunks", columns)).to_arrow().take(places)

    @cached_property
    def _read_before(self) -> int:
        return min(_READ_BEFORE + len(self.chunk_ids) // _AS_MUCH, _MOST_READ_BEFORE)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {chunk_id: place for place, chunk_id in enumerate(self._names)}

    @cached_property
    def _names(self) -> list[str]:
        names: list[str] = self.chunk_ids.to_pylist()
        return names

    @cached_property
    def _sorted(self) -> Places:
        return Places(self.chunk_ids)

    @cached_property
    def _document_rows(self) -> tuple[Places, Positions]:
        """Where each document is, and its row id there."""
        table = self.select("documents", ("doc_id",), None, row_ids=True)
        row_ids: Positions = table.column("_rowid").to_numpy()
        return Places(table.column("doc_id").combine_chunks()), row_ids

    @cached_property
    def _rows(self) -> pa.Table:
        return self.ordered(("chunk_id",))


def np_positions(places: Sequence[int]) -> Positions:
    """Return positions as an array."""
    import numpy as np

    return np.array(places, dtype=np.int64)
