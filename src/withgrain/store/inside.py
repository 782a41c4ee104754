"""Which chunks of one state are inside a filter."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from withgrain.model import And, Compare, Filter
from withgrain.store.matching import check_filter
from withgrain.store.selection import Selection
from withgrain.store.sql import storable

if TYPE_CHECKING:
    from withgrain.store.candidates import LightRows
    from withgrain.store.lexicon import Positions
    from withgrain.store.reading import Reader

#: Filters whose answer is remembered.
_FILTERS = 32
#: Up to so many documents that a filter lists, their chunks are found without the engine.
_FEW_DOCUMENTS = 32


class Filtered:
    """The chunks inside filters: the engine finds them once for each filter."""

    def __init__(self, reader: Reader, light: LightRows) -> None:
        self._reader, self._light = reader, light
        self._known: dict[Filter, Selection] = {}

    def by(self, where: Filter | None) -> Selection:
        """Return the chunks inside a filter.

        Raises:
            UsageError: The filter names an unknown field, or a value does not fit.
        """
        check_filter(where)
        if where is None:
            return self._all
        listed = self.listed(where)
        if listed is not None:
            return Selection(listed, len(self._reader.chunk_ids))
        found = self._known.get(where)
        if found is None:
            found = self._found(where)
            if len(self._known) >= _FILTERS:
                self._known.clear()
            self._known[where] = found
        return found

    def listed(self, where: Filter) -> Positions | None:
        """Return the positions inside a filter that lists ids of chunks or of a few documents, perhaps beside others.

        Such filters are asked once each: they are answered without the engine and not remembered. None for others.
        """
        import numpy as np

        if isinstance(where, Compare):
            return self._compared(where)
        if not isinstance(where, And):
            return None
        parts = [(part, self.listed(part)) for part in where.parts]
        lists = [positions for _, positions in parts if positions is not None]
        if not lists:
            return None
        others = tuple(part for part, positions in parts if positions is None)
        rest = self.by(others[0] if len(others) == 1 else And(parts=others)).positions if others else None
        found = lists[0]
        for positions in (*lists[1:], *((rest,) if rest is not None else ())):
            found = np.intersect1d(found, positions, assume_unique=True)
        return found

    def _compared(self, part: Compare) -> Positions | None:
        import numpy as np

        several = isinstance(part.value, tuple)
        values = [storable(str(v)) for v in (part.value if isinstance(part.value, tuple) else (part.value,))]
        if part.field == "chunk_id" and several:
            found = self._reader.positions(values)
            return np.unique(found[found >= 0])
        if part.field == "doc_id" and part.operator in ("eq", "in") and len(values) <= _FEW_DOCUMENTS:
            return self._light.of_documents(values)
        return None

    def _found(self, where: Filter) -> Selection:
        import numpy as np

        table = self._reader.select("chunks", ("ordinal",), self._reader.condition(where), row_ids=True)
        rows = np.searchsorted(self._reader.row_ids, np.sort(table.column("_rowid").to_numpy()))
        return Selection(rows, len(self._reader.chunk_ids))

    @cached_property
    def _all(self) -> Selection:
        return Selection(None, len(self._reader.chunk_ids))
