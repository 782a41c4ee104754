"""Where a document went that was moved and edited at once: its bytes say nothing, its lines do. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from withgrain.model import ChunkRecord, DocumentRecord

#: Characters that a line must have to say anything.
SHORTEST = 20

#: So much of a document that vanished, in characters of its lines, the one that arrived must hold.
SHARE = 0.5

#: Lines that are remembered in one run (some 100 bytes each); documents that arrive later are not recognised.
MOST_LINES = 300_000


@dataclass(slots=True, kw_only=True)
class Arrived:
    """The documents that a run added, by their lines.

    Attributes:
        lines: Root and line to the id of the only document that has it; empty where several have.
    """

    lines: dict[int, str] = field(default_factory=dict)

    def note(self, document: DocumentRecord, chunks: Sequence[ChunkRecord]) -> None:
        """Remember a document that was added."""
        for line in set(_lines(chunks)) if len(self.lines) < MOST_LINES else ():
            key = hash((document.root, line))
            self.lines[key] = document.id if self.lines.get(key, document.id) == document.id else ""

    def heir(self, document: DocumentRecord, chunks: Sequence[ChunkRecord]) -> str | None:
        """Return the id of the document that holds most of one that vanished; None when none does.

        Lines that several of the added documents have (what a template gives them all) count for nothing.
        """
        sizes: Counter[str | None] = Counter()
        for line in _lines(chunks) if self.lines else ():
            sizes[self.lines.get(hash((document.root, line)))] += len(line)
        sizes.pop("", None)
        best = max((holder for holder in sizes if holder), key=lambda holder: (sizes[holder], holder), default=None)
        return best if best is not None and sizes[best] >= SHARE * sizes.total() else None


def _lines(chunks: Iterable[ChunkRecord]) -> Iterator[str]:
    stripped = (line.strip() for r in chunks for line in r.chunk.body.splitlines())
    return (line for line in stripped if len(line) >= SHORTEST)
