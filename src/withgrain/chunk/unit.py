"""Units: what the packer puts into chunks, with the cost of a cut in front of them and what it makes us repeat."""

from __future__ import annotations

from dataclasses import dataclass, field

from withgrain.model import Block, Part

#: What a cut in front of a unit costs, by the joint that it was found at. The packer takes the cheapest cut near its
#: goal, so the order is the cascade: blocks, then items and rows, then lines and sentences, then words, then graphemes.
COST: dict[str, int] = {
    "section": 0,
    "block": 0,
    "paragraph": 0,
    "item": 10,
    "row": 10,
    "statement": 10,
    "line": 20,
    "cell": 20,
    "sentence": 20,
    "word": 30,
    "window": 30,
    "grapheme": 40,
}
#: Added to the cost where two units belong together: a weak bond gives way before items and rows are parted, a strong
#: one only before sentences are.
WEAK_BOND = 5
STRONG_BOND = 15


@dataclass(slots=True, kw_only=True)
class Unit:
    """A contiguous piece of the canonical text.

    Attributes:
        start: First code point.
        end: Behind the last one.
        kind: The joint in front of it; a key of `COST`.
        block: The block that it is, when it is a whole block that can be split at its own joints.
        bond: Extra cost of parting it from the unit before.
        lead: Parts in front of the body of a chunk that begins with this unit.
        trail: Parts behind the body of a chunk that ends with this unit.
        inner_lead: The same at a cut inside this unit.
        inner_trail: The same at a cut inside this unit.
        columns: Column names of the table that a row belongs to.
        label: Name of the column that a cell belongs to.
        row: Where the row starts that a cell belongs to; -1 for everything else.
        instead: Renderings that are read instead of this text (table rows as records).
        notes: Footnotes that this text refers to.
        size: Tokens or characters, measured when first needed; -1 before.
    """

    start: int
    end: int
    kind: str = "block"
    block: Block | None = None
    bond: int = 0
    lead: tuple[Part, ...] = ()
    trail: tuple[Part, ...] = ()
    inner_lead: tuple[Part, ...] = ()
    inner_trail: tuple[Part, ...] = ()
    columns: tuple[str, ...] = ()
    label: str = ""
    row: int = -1
    instead: tuple[Part, ...] = ()
    notes: tuple[Part, ...] = ()
    size: int = field(default=-1)

    @property
    def cost(self) -> int:
        """What a cut in front of this unit costs."""
        return COST[self.kind] + self.bond


def tile(
    parent: Unit,
    starts: list[int],
    kind: str,
    blocks: list[Block | None] | None = None,
) -> list[Unit]:
    """Cut ``parent`` at ``starts`` (ascending, the first replaced by the parent's start); the pieces tile it.

    The first piece keeps what the parent repeats at its start, the last what it repeats at its end; cuts inside
    repeat the parent's inner parts.
    """
    edges = [parent.start, *(s for s in starts[1:] if parent.start < s < parent.end), parent.end]
    if blocks is None or len(blocks) != len(edges) - 1:
        blocks = [None] * (len(edges) - 1)
    last = len(edges) - 2
    return [
        Unit(
            start=edges[k],
            end=edges[k + 1],
            kind=parent.kind if k == 0 else kind,
            block=blocks[k],
            bond=parent.bond if k == 0 else 0,
            lead=parent.lead if k == 0 else parent.inner_lead,
            trail=parent.trail if k == last else parent.inner_trail,
            inner_lead=parent.inner_lead,
            inner_trail=parent.inner_trail,
            columns=parent.columns,
            label=parent.label,
            row=parent.row,
        )
        for k in range(last + 1)
    ]
