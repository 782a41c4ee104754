"""A region: a stretch of a document that is packed on its own, as units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from withgrain.chunk.bonds import bond
from withgrain.chunk.symbols import Nest
from withgrain.chunk.unit import Unit
from withgrain.model import Block

#: Blocks that are not content. Front matter becomes metadata; its title stays searchable.
DROPPED_KINDS = ("comment", "link_definition", "front_matter")


class Region:
    """Units that may share a chunk.

    Most regions fit into one chunk, and then nobody asks for their units: those of a run of blocks are made on demand.

    Attributes:
        run: The blocks whose units it holds; empty where units were given.
        path: Heading path of the chunks.
        section: Index of the section that the chunks belong to.
        members: Indices of all sections inside, when several share the region.
        start: Why it begins: ``document`` | ``section`` | ``page`` | ``topic`` | ``block`` (behind dropped text).
        end: Why it ends; the same words.
        nest: Finds the section of each chunk where symbols or a page share the region; None elsewhere.
    """

    __slots__ = ("_bonds", "_text", "_units", "end", "members", "nest", "path", "run", "section", "start")

    def __init__(  # noqa: PLR0913
        self,
        *,
        units: list[Unit] | None = None,
        path: tuple[str, ...],
        section: int,
        members: tuple[int, ...] = (),
        start: str = "section",
        end: str = "section",
        nest: Nest | None = None,
        run: Sequence[Block] = (),
        text: str = "",
        bonds: tuple[str, ...] = (),
    ) -> None:
        """Make a region of units, or of a run of blocks of ``text`` with bonds of the given kinds between them."""
        self._units, self._text, self._bonds = units, text, bonds
        self.path, self.section, self.members, self.nest = path, section, members, nest
        self.start, self.end, self.run = start, end, run

    @property
    def units(self) -> list[Unit]:
        """The units in order, without gaps other than blank lines."""
        if self._units is None:
            self._units = [Unit(start=b.span.start, end=b.span.end, block=b) for b in self.run]
            if self._bonds:
                bond(self._units, self._text, self._bonds)
        return self._units

    def of(self, units: list[Unit]) -> Region:
        """Return this region with other units."""
        return Region(
            units=units,
            path=self.path,
            section=self.section,
            members=self.members,
            start=self.start,
            end=self.end,
            nest=self.nest,
        )

    def home(self, start: int, end: int) -> tuple[int, tuple[str, ...]]:
        """Return the section, as its index, and the heading path of a chunk of the region."""
        if self.nest is None:
            return self.section, self.path
        return self.nest.home(start, end)


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
