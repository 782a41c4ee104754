"""Choose and lay out: a few hits whole, then the nearest part of the others, and whole ones again while they fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from withgrain.errors import UsageError
from withgrain.model import Hit, Results
from withgrain.search.packing.layout import laid_out, render
from withgrain.search.packing.packed import LeftOut, Pack
from withgrain.search.packing.piece import Piece, parts_of, pieces_of
from withgrain.types import Tokenizer

#: Hits that are taken whole before parts of others: a choice, not measured.
WHOLE = 4


def pack(results: Results, *, max_tokens: int, tokenizer: Tokenizer, whole: int = WHOLE) -> Pack:
    """Return the best context for a budget.

    The first hits are taken whole; of the others the part nearest to the question (a paragraph, list item or table row)
    as long as it fits; what is left of the budget completes hits of which only a part is there. A text that is there
    already is not repeated; each path stands once above its pieces; inside a document the pieces stand in its order,
    documents in the order of their best hit.

    Args:
        results: The hits.
        max_tokens: Budget for the whole text, marks and paths included; 0 gives an empty context that says what was
            left out.
        tokenizer: Whose tokens count.
        whole: Hits that are taken whole first.

    Raises:
        UsageError: The budget or ``whole`` is negative.
    """
    if max_tokens < 0 or whole < 0:
        raise UsageError(f"max_tokens is {max_tokens} and whole is {whole}; neither can be negative.")
    hits, repeated = _distinct(results.hits)
    chosen = _choose(hits, whole, lambda pieces: tokenizer.count(render(pieces)) <= max_tokens)
    text, items = laid_out(list(chosen.values()))
    left = [
        LeftOut(
            rank=hit.rank,
            chunk_id=hit.chunk.id,
            citation=hit.citation,
            tokens=tokenizer.count(hit.text),
            why="part" if hit.rank in chosen else "duplicate" if hit.rank in repeated else "budget",
        )
        for hit in results.hits
        if hit.rank not in chosen or not chosen[hit.rank].whole
    ]
    return Pack(text=text, items=items, tokens=tokenizer.count(text) if text else 0, left_out=tuple(left))


def _choose(hits: Sequence[Hit], whole: int, fits: Callable[[Sequence[Piece]], bool]) -> dict[int, Piece]:
    """Return one piece for each hit that gets into the context, by rank."""
    chosen: dict[int, Piece] = {}

    def take(piece: Piece) -> bool:
        if not fits([*(p for rank, p in chosen.items() if rank != piece.hit.rank), piece]):
            return False
        chosen[piece.hit.rank] = piece
        return True

    parts = parts_of(hits)
    for number, hit in enumerate(hits):
        options = pieces_of(hit, parts.get(hit.rank))
        taken = any(take(p) for p in (options if number < whole else options[::-1]))
        if not taken and not chosen:
            _take_beginning(options[0], take)
    for hit in hits:
        if hit.rank in chosen and not chosen[hit.rank].whole:
            take(Piece(hit=hit, text=hit.text, span=hit.span, whole=True))
    return chosen


def _take_beginning(piece: Piece, take: Callable[[Piece], bool]) -> None:
    """Take the longest beginning of a text that fits, cut at a line or a word: better than an empty context."""
    low, high = 0, len(piece.text)
    while low < high:
        middle = (low + high + 1) // 2
        if take(piece.beginning(middle)):
            low = middle
        else:
            high = middle - 1


def _distinct(hits: Sequence[Hit]) -> tuple[list[Hit], set[int]]:
    """Return the hits without those whose text is in a better one, and the ranks of those."""
    kept: list[Hit] = []
    seen: set[str] = set()
    repeated: set[int] = set()
    for hit in hits:
        key = " ".join(hit.text.split())
        covered = any(
            hit.span and k.span and k.chunk.doc_id == hit.chunk.doc_id and k.span.contains(hit.span) for k in kept
        )
        if key in seen or covered:
            repeated.add(hit.rank)
            continue
        seen.add(key)
        kept.append(hit)
    return kept, repeated
