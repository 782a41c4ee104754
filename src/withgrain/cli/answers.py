"""Show what is found beside ranked sections: a packed context, quotes, related sections, why a chunk is missing."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from withgrain.cli import shapes
from withgrain.cli.screen import Screen, first_lines, plural, write_json
from withgrain.cli.talk import Talk

if TYPE_CHECKING:
    from withgrain.search import LeftOut, Pack, Quote
    from withgrain.search.related import Related
    from withgrain.search.why import WhyNot


def pack(value: Pack, query: str, talk: Talk, collection: str | None = None, *, as_json: bool) -> None:
    """Show a context: its text on stdout, what did not fit on stderr; ``collection`` as it was given by flag."""
    if as_json:
        write_json(pack_shape(value, query))
        return
    for message in value.notices:
        talk.note(f"note: {message}")
    if value.text:
        Screen().text(value.text)
    pieces, hits = plural(len(value.items), "piece"), plural(len(value.left_out), "hit")
    talk.note(f"{plural(value.tokens, 'token')}, {pieces}; {hits} left out or in part")
    there = f" -c {shlex.quote(collection)}" if collection else ""
    for one in (*value.left_out[:5], *value.apart):
        why = one.why.replace("_", " ")
        talk.note(f"  {why}: {one.citation} ({one.tokens} tokens), withgrain get {one.chunk_id}{there}")


def pack_shape(value: Pack, query: str) -> dict[str, Any]:
    """Return a context as JSON."""
    return {
        "schema": shapes.SCHEMA,
        "query": query,
        "text": value.text,
        "tokens": value.tokens,
        "notices": list(value.notices),
        "items": [
            {
                "mark": i.mark,
                "rank": i.rank,
                "chunk_id": i.chunk_id,
                "span": shapes.span(i.span),
                "text": i.text,
                "whole": i.whole,
                "citation": shapes.citation(i.citation),
            }
            for i in value.items
        ],
        "left_out": [_left_out(one) for one in value.left_out],
        "without_domain": [_left_out(one) for one in value.apart],
    }


def _left_out(value: LeftOut) -> dict[str, Any]:
    return {
        "rank": value.rank,
        "chunk_id": value.chunk_id,
        "why": value.why,
        "tokens": value.tokens,
        "citation": shapes.citation(value.citation),
    }


def quotes(found: Sequence[Quote], quote: str, *, as_json: bool) -> None:
    """Show where a quote stands."""
    if as_json:
        write_json(
            {
                "schema": shapes.SCHEMA,
                "quote": quote,
                "found": found[0].found if found else "none",
                "places": [_quote(q) for q in found],
            }
        )
        return
    screen = Screen()
    if not found:
        screen.line("The quote stands nowhere in the collection, and nothing like it.")
    for one in found:
        said = f"  similarity {one.similarity:.2f}" if one.found == "near" else ""
        screen.line(f"{one.found}: {one.citation}{said}", style="bold")
        for text in first_lines(one.text):
            screen.line(f"    {text}")
        for difference in one.differences:
            screen.line(
                f"    quoted {difference.quote or '(nothing)'} | stands there {difference.document or '(nothing)'}",
                style="cyan",
            )


def _quote(value: Quote) -> dict[str, Any]:
    return {
        "found": value.found,
        "citation": shapes.citation(value.citation),
        "chunk_id": value.chunk_id,
        "span": shapes.span(value.span),
        "text": value.text,
        "similarity": value.similarity,
        "differences": [{"quote": d.quote, "document": d.document} for d in value.differences],
        "modified": value.modified,
        "stale": value.stale,
    }


def related(found: Sequence[Related], *, as_json: bool) -> None:
    """Show related sections, and what relates them."""
    if as_json:
        rows = [
            {
                "chunk_id": r.chunk_id,
                "citation": shapes.citation(r.citation),
                "score": r.score,
                "shared": {name: list(values) for name, values in r.shared.items()},
                "link": r.link,
            }
            for r in found
        ]
        write_json({"schema": shapes.SCHEMA, "related": rows})
        return
    screen = Screen()
    if not found:
        screen.line("Nothing shares a key with it, and it links to nothing in the collection.")
    for one in found:
        why = [f"{name}: {', '.join(values)}" for name, values in one.shared.items()]
        why += [f"linked as {one.link}"] if one.link else []
        screen.line(str(one.citation), style="bold")
        screen.line(f"    {'; '.join(why)}", style="cyan")
        screen.line(f"    id {one.chunk_id}", style="dim")


def why_not(value: WhyNot, *, as_json: bool) -> None:
    """Show at which stage a chunk fell out, and what would have brought it."""
    if as_json:
        channels = {name: {"rank": rank, "score": score} for name, (rank, score) in value.channels.items()}
        write_json(
            {
                "schema": shapes.SCHEMA,
                "chunk_id": value.chunk_id,
                "stage": value.stage,
                "rank": value.rank,
                "chunks": value.chunks,
                "channels": channels,
                "matched": list(value.matched),
                "missing": list(value.missing),
                "advice": list(value.advice),
            }
        )
        return
    several = f" (of {value.chunks} chunks)" if value.chunks > 1 else ""
    rows = [
        ("chunk", f"{value.chunk_id}{several}"),
        ("stage", value.stage),
        ("rank", str(value.rank or "-")),
        ("channels", "  ".join(f"{n} #{rank} {score:.2f}" for n, (rank, score) in value.channels.items()) or "-"),
        ("matched", ", ".join(value.matched) or "-"),
        ("missing", ", ".join(value.missing) or "-"),
        *(("advice", one) for one in value.advice),
    ]
    Screen().fields(rows)
