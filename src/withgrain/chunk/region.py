"""A region: a stretch of a document that is packed on its own, as units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from withgrain.chunk.symbols import Nest
from withgrain.chunk.unit import Unit
from withgrain.model import Block

#: Blocks that are not content. Front matter becomes metadata; its title stays searchable.
DROPPED_KINDS = ("comment", "link_definition", "front_matter")


@dataclass(slots=True, kw_only=True)
class Region:
    """Units that may share a chunk.

    Attributes:
        units: In order, without gaps other than blank lines.
        path: Heading path of the chunks.
        section: Index of the section that the chunks belong to.
        members: Indices of all sections inside, when several share the region.
        start: Why it begins: ``document`` | ``section`` | ``page`` | ``topic`` | ``block`` (behind dropped text).
        end: Why it ends; the same words.
        nest: Finds the section of each chunk where symbols share the region; None elsewhere.
    """

    units: list[Unit]
    path: tuple[str, ...]
    section: int
    members: tuple[int, ...] = ()
    start: str = "section"
    end: str = "section"
    small: bool = field(default=False)
    nest: Nest | None = None

    def home(self, start: int, end: int) -> tuple[int, tuple[str, ...]]:
        """Return the section, as its index, and the heading path of a chunk of the region."""
        if self.nest is None:
            return self.section, self.path
        index = self.nest.home(start, end)
        return index, self.nest.parts[index].path


def runs(blocks: Iterable[Block], *, part_tables: bool = False) -> Iterator[list[Block]]:
    """Cut a sequence of blocks at the dropped ones; blank blocks vanish.

    With ``part_tables`` also between two tables that follow each other without a word in between: they are two
    sets of records, and a chunk of one table has one header and one number of columns.
    """
    run: list[Block] = []
    for block in blocks:
        if block.kind == "blank":
            continue
        dropped = block.kind in DROPPED_KINDS
        parted = part_tables and block.kind == "table" and run and run[-1].kind == "table"
        if run and (dropped or parted):
            yield run
            run = []
        if not dropped:
            run.append(block)
    if run:
        yield run
