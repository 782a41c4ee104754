"""What a document can tell but is rarely asked for: made when somebody looks, once, and the same as if made before.

Most of what a parser could find is never looked at: the items of a list that fits into a chunk, blank lines, links. So
a container keeps its text in the place of its children, and blanks and links are sequences that fill themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, overload

from withgrain.model import Block, Span

T = TypeVar("T")

_children: Any = Block.__dict__["children"]
_set = object.__setattr__


class Later(Sequence[T]):
    """A sequence that is made when it is first looked at. Equal to any sequence of the same elements."""

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], tuple[T, ...]]) -> None:
        self._make = make
        self._made: tuple[T, ...] | None = None

    @property
    def _all(self) -> tuple[T, ...]:
        made = self._made
        if made is None:
            made = self._made = self._make()
        return made

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        return self._all[index]

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[T]:
        return iter(self._all)

    def __eq__(self, other: object) -> bool:
        return self._all == tuple(other) if isinstance(other, Sequence) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._all)

    def __repr__(self) -> str:
        return repr(self._all)


class Tiling(Later[Block]):
    """The blocks of a text, blanks between them: blanks are made when somebody looks at all blocks.

    Attributes:
        content: The blocks that are not blank.
    """

    __slots__ = ("content",)

    def __init__(self, content: tuple[Block, ...], fill: Callable[[tuple[Block, ...]], tuple[Block, ...]]) -> None:
        super().__init__(lambda: fill(content))
        self.content = content


#: Reads the children of the container that stands at a span of a text.
Unfold = Callable[[str, Span], tuple[Block, ...]]


class _Held:
    """What a folded container holds in the place of its children."""

    __slots__ = ("text", "unfold")

    def __init__(self, text: str, unfold: Unfold) -> None:
        self.text, self.unfold = text, unfold


class Folded(Block):
    """A container whose children were not looked at yet: their slot holds how to read them.

    It becomes a plain `Block` when its children are first asked for.
    """

    __slots__ = ()

    @property
    def children(self) -> tuple[Block, ...]:
        """The children, read from the text of the container."""
        held = _children.__get__(self)
        if held.__class__ is _Held:
            held = held.unfold(held.text, self.span)
            _children.__set__(self, held)
            _set(self, "__class__", Block)
        return held  # type: ignore[no-any-return]

    def __eq__(self, other: object) -> bool:
        _ = self.children
        return self == other

    __hash__ = None  # type: ignore[assignment]


Folded.__qualname__ = "Block"


def fold(block: Block, text: str, unfold: Unfold) -> None:
    """Leave the children of a block, which has none yet, for later."""
    _set(block, "__class__", Folded)
    _children.__set__(block, _Held(text, unfold))
