"""The chunks inside a filter, and what is counted of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from withgrain.store.bestfirst import Inside
from withgrain.store.statistics import LexicalStatistics

if TYPE_CHECKING:
    import numpy as np

    from withgrain.store.lexicon import Lexicon

    Positions = np.ndarray[Any, np.dtype[np.int64]]
    Flags = np.ndarray[Any, np.dtype[np.bool_]]

#: Terms whose frequencies are remembered.
_TERMS = 10_000


class Selection:
    """Chunks by position, ascending; None for all of them."""

    def __init__(self, positions: Positions | None, size: int) -> None:
        """Take some chunks of a collection of ``size``."""
        self.positions = positions
        self.asked = 0  # how often the best of them were asked for
        self._size = size
        self._frequencies: dict[str, int] = {}
        self._average: float | None = None

    @cached_property
    def flags(self) -> Flags | None:
        """For every chunk of the collection whether it is inside; None for all."""
        import numpy as np

        if self.positions is None:
            return None
        flags = np.zeros(self._size, dtype=bool)
        flags[self.positions] = True
        return flags

    @cached_property
    def inside(self) -> Inside:
        """The same for who looks for the best."""
        import numpy as np

        if self.positions is None:
            return Inside(size=self._size)
        places = np.full(self._size, -1, dtype=np.int32)
        places[self.positions] = np.arange(len(self.positions), dtype=np.int32)
        return Inside(size=len(self.positions), positions=self.positions, places=places)

    def among(self, positions: Positions) -> Positions:
        """Return those of the positions that are inside, ascending, each once; negative ones are none."""
        import numpy as np

        found: Positions = np.unique(positions)
        found = found[np.searchsorted(found, 0) :]
        return found if self.flags is None else found[self.flags[found]]

    def statistics(self, lexicon: Lexicon, terms: Sequence[str]) -> LexicalStatistics:
        """Return how many chunks inside have each term, how many there are, and how long they are."""
        if self._average is None:
            self._average = lexicon.average_length(self.positions)
        if len(self._frequencies) + len(terms) > _TERMS:
            self._frequencies = {}
        known = self._frequencies
        for term in terms:
            if term not in known:
                having = lexicon.having(term)
                known[term] = len(having) if self.flags is None else int(self.flags[having].sum())
        return LexicalStatistics(
            chunks=self._size if self.positions is None else len(self.positions),
            average_length=self._average,
            frequencies={term: known[term] for term in terms},
        )
