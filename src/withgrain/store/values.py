"""What the fields of one state hold, remembered: how many chunks have each value, and what documents are called."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from withgrain.model import Filter
from withgrain.store.matching import check_field
from withgrain.store.payload import facet
from withgrain.store.rows import facet_counts
from withgrain.store.sql import storable

if TYPE_CHECKING:
    import pyarrow as pa

    from withgrain.store.reading import Reader

#: Answers that are remembered, and the values that one may have for that.
_ANSWERS, _VALUES = 64, 5_000


class FieldValues:
    """The values of one state."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._known: dict[tuple[str, Filter | None], dict[str, int]] = {}

    def counted(self, field: str, where: Filter | None) -> dict[str, int]:
        """Return how many chunks inside a filter have each value, the most frequent first."""
        check_field(field)
        known = self._known.get((field, where))
        if known is None:
            self._reader.check_column(field)
            table = self._reader.select("chunks", (field,), self._reader.condition(where))
            column = table.column(field).combine_chunks()
            known = facet(field, facet_counts(column))
            if len(known) <= _VALUES:
                if len(self._known) >= _ANSWERS:
                    self._known = {}  # who reads the old one at this moment goes on with it
                self._known[field, where] = known
        return dict(known)

    def documents_called(self, path: str) -> list[str]:
        """Return the documents whose uri is, or ends with, a path, in the order of their uris."""
        import pyarrow.compute as pc

        uris, ids = self._uris
        end = storable(f"/{path}")
        same = pc.or_(pc.ends_with(uris, end), pc.equal(uris, end[1:]))
        found = zip(uris.filter(same).to_pylist(), ids.filter(same).to_pylist(), strict=True)
        return [doc_id for _, doc_id in sorted(found)]

    @cached_property
    def _uris(self) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
        table = self._reader.select("documents", ("uri", "doc_id"), None)
        return table.column("uri"), table.column("doc_id")
