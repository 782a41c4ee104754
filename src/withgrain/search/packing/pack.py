"""Choose and lay out: a few hits whole, then the nearest part of the others, and whole ones again while they fit."""

from __future__ import annotations

from collections.abc import Sequence

from withgrain.errors import UsageError
from withgrain.model import Hit, Results
from withgrain.search.packing.layout import laid_out, naming, render
from withgrain.search.packing.packed import LeftOut, Pack
from withgrain.search.packing.piece import Piece, parts_of, pieces_of
from withgrain.search.packing.room import Room
from withgrain.types import Tokenizer

#: Hits are taken whole before parts of others until they fill this share of the budget, paths counted; measured by
#: benchmarks/packed.py.
SHARE = 0.6


def pack(results: Results, *, max_tokens: int, tokenizer: Tokenizer, whole: int | None = None) -> Pack:
    """Return the best context for a budget.

    The first hits are taken whole; of the others the part nearest to the question (a paragraph, list item or table row)
    as long as it fits; what is left of the budget completes hits of which only a part is there. A budget that is too
    small for any of these gets the beginning of the best hit; where not even that fits the context is empty, and a
    notice says what it takes: a worse hit is no substitute because its path is short. A text that is there already is
    not repeated; each path stands once above its pieces; inside a document the pieces stand in its order, documents in
    the order of their best hit.

    Args:
        results: The hits.
        max_tokens: Budget for the whole text, marks and paths included; 0 gives an empty context that says what was
            left out.
        tokenizer: Whose tokens count.
        whole: Hits that are taken whole first; by default as many as fill six tenths of the budget.

    Raises:
        UsageError: The budget or ``whole`` is negative.
    """
    if max_tokens < 0 or (whole or 0) < 0:
        raise UsageError(f"max_tokens is {max_tokens} and whole is {whole}; neither can be negative.")
    hits, repeated = _distinct(results.hits)
    room = _filled(hits, whole, Room(tokenizer, max_tokens))
    text, items = laid_out(list(room.chosen.values()))
    tokens = tokenizer.count(text) if text else 0
    if tokens > max_tokens:  # the tokenizer is less additive than it says
        room = _filled(hits, whole, Room(tokenizer, max_tokens, by_sums=False))
        text, items = laid_out(list(room.chosen.values()))
        tokens = tokenizer.count(text) if text else 0
    chosen = room.chosen
    left = [
        LeftOut(
            rank=hit.rank,
            chunk_id=hit.chunk.id,
            citation=hit.citation,
            tokens=room.tokens(hit),
            why="part" if hit.rank in chosen else "duplicate" if hit.rank in repeated else "budget",
        )
        for hit in results.hits
        if hit.rank not in chosen or not chosen[hit.rank].whole
    ]
    apart = tuple(
        LeftOut(rank=h.rank, chunk_id=h.chunk.id, citation=h.citation, tokens=room.tokens(h), why="no_domain")
        for h in results.apart
    )
    notices = [*results.trace.get("notices", ())]
    if hits and not chosen:
        notices.append(_too_small(hits[0], tokenizer, max_tokens))
    else:
        text, tokens = _with_names(text, tokens, apart, max_tokens, tokenizer)
    return Pack(text=text, items=items, tokens=tokens, left_out=tuple(left), notices=tuple(notices), apart=apart)


def _with_names(
    text: str, tokens: int, apart: Sequence[LeftOut], max_tokens: int, tokenizer: Tokenizer
) -> tuple[str, int]:
    """Return a text and its tokens with a line behind it that names what is apart, as many as fit."""
    for named in range(len(apart), 0, -1):
        longer = "\n\n".join(filter(None, (text, naming([one.citation for one in apart[:named]]))))
        count = tokenizer.count(longer)
        if count <= max_tokens:
            return longer, count
    return text, tokens


def _filled(hits: Sequence[Hit], whole: int | None, room: Room) -> Room:
    """Put one piece of each hit into the room, as long as there is any; nothing where nothing of the best hit fits."""
    parts = parts_of(hits)
    for number, hit in enumerate(hits):
        options = pieces_of(hit, parts.get(hit.rank))
        first = room.used() < SHARE if whole is None else number < whole
        taken = any(room.take(p) for p in (options if first else options[::-1]))
        if not taken and not room.chosen:
            _take_beginning(options[0], room)
        if not room.chosen:
            return room
    for hit in hits:
        if hit.rank in room.chosen and not room.chosen[hit.rank].whole:
            room.take(Piece(hit=hit, text=hit.text, span=hit.span, whole=True))
    return room


def _take_beginning(piece: Piece, room: Room) -> None:
    """Take the longest beginning of a text that fits and says something: better than an empty context."""
    low, high = piece.least(), len(piece.text)
    if low >= high or not room.take(piece.beginning(low)):
        return
    while low < high:
        middle = (low + high + 1) // 2
        if room.take(piece.beginning(middle)):
            low = middle
        else:
            high = middle - 1


def _too_small(best: Hit, tokenizer: Tokenizer, max_tokens: int) -> str:
    """Return what the shortest useful piece of the best hit takes, in a plain sentence."""
    whole, *parts = pieces_of(best, parts_of([best]).get(best.rank))
    beginning = whole.beginning(whole.least())
    least = min(tokenizer.count(render([piece])) for piece in (whole, *parts, beginning))
    return f"Nothing fits into {max_tokens} tokens: the shortest piece of the best hit takes {least} with its path."


def _distinct(hits: Sequence[Hit]) -> tuple[list[Hit], set[int]]:
    """Return the hits without those whose text is in a better one, and the ranks of those.

    The place alone does not tell: hits of two collections may have the same document with other words.
    """
    kept: list[Hit] = []
    seen: set[str] = set()
    wider: dict[str, list[Hit]] = {}
    repeated: set[int] = set()
    for hit in hits:
        key = " ".join(hit.text.split())
        there = wider.setdefault(hit.chunk.doc_id, [])
        if key in seen or any(_holds(better, hit) for better in there):
            repeated.add(hit.rank)
            continue
        seen.add(key)
        kept.append(hit)
        there.append(hit)
    return kept, repeated


def _holds(better: Hit, hit: Hit) -> bool:
    spans = better.span is not None and hit.span is not None and better.span.contains(hit.span)
    return spans and hit.body in better.body
