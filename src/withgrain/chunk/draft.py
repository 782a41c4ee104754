"""What becomes a chunk: planned, with its parts, and drafted. Data; `withgrain.chunk.drafter` makes it."""

from __future__ import annotations

from dataclasses import dataclass

from withgrain.chunk.pack import Pack
from withgrain.chunk.region import Region
from withgrain.chunk.unit import Unit
from withgrain.model import Boundary, Part, Span
from withgrain.types import Fits


class Draft:
    """A chunk before it has an id, facts and neighbours.

    Attributes:
        region: Where it comes from.
        section: Index of the section that it belongs to.
        path: Its heading path.
        span: Where its body stands.
        parts: What stands beside the body.
        boundary: Why it begins and ends where it does.
        tokens: Exact tokens of the whole string.
        size: Tokens (or characters) of the body.
        units: What it was packed of; empty when it is a run of whole blocks, which nobody measured one by one.
        block_kinds: Distinct kinds of its blocks, in order, where they are known already.
    """

    __slots__ = ("block_kinds", "boundary", "parts", "path", "region", "section", "size", "span", "tokens", "units")

    def __init__(  # noqa: PLR0913, PLR0917 - a draft has that many attributes, and names cost time
        self,
        region: Region,
        section: int,
        path: tuple[str, ...],
        span: Span,
        parts: tuple[Part, ...],
        boundary: Boundary,
        tokens: int,
        size: int,
        units: tuple[Unit, ...] = (),
        block_kinds: tuple[str, ...] = (),
    ) -> None:
        """Make a draft of all its attributes."""
        self.region, self.section, self.path, self.span = region, section, path, span
        self.parts, self.boundary, self.tokens, self.size = parts, boundary, tokens, size
        self.units, self.block_kinds = units, block_kinds

    def rebound(self, *, start: str | None = None, end: str | None = None) -> None:
        """Set other reasons for its boundaries."""
        old = self.boundary
        self.boundary = Boundary(start=start or old.start, end=end or old.end, oversize=old.oversize)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a final string must satisfy.

    Attributes:
        maximum: Of the policy, in the policy's unit.
        tokens: The hard limit in tokens (an embedder's window); None when there is none.
        fits: A plain predicate that replaces counting; None when tokens are counted.
    """

    maximum: int
    tokens: int | None = None
    fits: Fits | None = None


#: A region, its units, and which of them make a chunk.
Plan = tuple[Region, list[Unit], Pack]


class Final:
    """A planned chunk with its parts.

    Attributes:
        region: Where it comes from.
        units: The list of units that the pack indexes.
        pack: Which of them.
        span: Where the body stands; None when it is white space only.
        parts: What stands beside the body.
        tokens: Exact tokens of the whole string; -1 before they are known.
        text: The whole string, where it was needed.
    """

    __slots__ = ("pack", "parts", "region", "span", "text", "tokens", "units")

    def __init__(
        self, region: Region, units: list[Unit], pack: Pack, span: Span | None, parts: tuple[Part, ...], tokens: int
    ) -> None:
        """Make it of its attributes; the text comes when it is needed."""
        self.region, self.units, self.pack, self.span = region, units, pack, span
        self.parts, self.tokens, self.text = parts, tokens, ""
