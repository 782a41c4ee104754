"""``withgrain parse``: what was understood of a file, before it is cut."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from withgrain.cli import options, shapes
from withgrain.cli.screen import Screen, plural, write_json
from withgrain.cli.talk import Talk, one_line
from withgrain.errors import DocumentError, UsageError

if TYPE_CHECKING:
    from withgrain.model import Block, Document

EPILOG = options.examples(
    "withgrain parse page.html",
    "withgrain parse page.html --markdown > page.md",
    "withgrain parse handbook.pdf --json | jq .dropped",
)
_SHOWN = 72
_NO_OUTLINE = frozenset({"blank", "table_cell", "table_row"})


def parse(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file of any known format.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print text, blocks, links and drops as JSON.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the canonical text, and nothing else.")] = False,
    outline: Annotated[bool, typer.Option("--outline", help="Print the blocks as a tree (the default).")] = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Show what was understood of a file: its text, its blocks, and what was left out with the reasons.

    Exit code 4 when the file cannot be read.
    """
    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    if as_json + markdown + outline > 1:
        raise UsageError("--json, --markdown and --outline are three forms of the same thing; give one of them.")
    document = _read(file)
    if as_json:
        write_json(shape(file, document))
    elif markdown:
        sys.stdout.write(document.text)
    else:
        _show(Screen(), file, document)
    for notice in document.notices:
        talk.note(one_line(f"warning: {file}: {notice.message}"))


COMMAND = parse


def _read(name: str) -> Document:
    from withgrain.ingest.preparing import guarded_parse

    if os.path.isdir(name):  # noqa: PTH112  # unlike Path.is_dir it takes a name that is too long
        raise UsageError(f"{name} is a folder; parse takes a file (ingest and audit take folders).")
    if not os.path.isfile(name):  # noqa: PTH113
        raise UsageError(f"{name}: there is no such file.")
    try:
        data = Path(name).read_bytes()
    except OSError as error:
        raise DocumentError(f"{name}: {error.strerror or error}.", kind="unreadable") from error
    return guarded_parse(data, uri=Path(name).name)


def shape(name: str, document: Document) -> dict[str, Any]:
    """Return a parsed document: what ``parse --json`` prints."""
    return {
        "schema": shapes.SCHEMA,
        "uri": name,
        "media_type": document.source.media_type,
        "title": document.title,
        "metadata": shapes.metadata(document),
        "rendered": document.rendered,
        "text": document.text,
        "blocks": [_block(block) for block in document.blocks],
        "links": [
            {"span": [one.span.start, one.span.end], "target": one.target, "kind": one.kind} for one in document.links
        ],
        "dropped": [{"reason": drop.reason, "text": drop.text} for drop in document.dropped],
        "words_lost": len(document.unread),
        "warnings": [shapes.notice(notice) for notice in document.notices],
    }


def _block(block: Block) -> dict[str, Any]:
    """Return a block; trees are as deep as the parsers' own limit, no deeper."""
    found: dict[str, Any] = {"kind": block.kind, "start": block.span.start, "end": block.span.end}
    for name in ("level", "number", "page", "anchor", "origin"):
        value = getattr(block, name)
        if value is not None:
            found[name] = value
    if block.attrs:
        found["attrs"] = dict(block.attrs)
    if block.children:
        found["children"] = [_block(child) for child in block.children]
    return found


def _show(screen: Screen, name: str, document: Document) -> None:
    screen.line(f"{name}: {document.title}", style="bold")
    words = plural(len(document.text.split()), "word")
    screen.line(f"{document.source.media_type}, {words}, {len(document.unread):,} lost", style="dim")
    for line in _outline(document):
        screen.line(line)
    counts = Counter(drop.reason for drop in document.dropped)
    if counts:
        screen.line(f"left out: {', '.join(f'{n:,} {reason}' for reason, n in sorted(counts.items()))}", style="dim")


def _outline(document: Document) -> Iterator[str]:
    stack = [(block, 0) for block in reversed(document.blocks)]
    level = 0
    while stack:
        block, depth = stack.pop()
        if block.kind in _NO_OUTLINE:
            continue
        if block.kind == "heading" and depth == 0:
            level = block.level or 1
        indent = "  " * (level - (block.kind == "heading") + depth)
        yield f"{indent}{_line(document, block)}"
        stack.extend((child, depth + 1) for child in reversed(block.children))


def _line(document: Document, block: Block) -> str:
    place = [f"page {block.page}"] if block.page else []
    place += [f"#{block.anchor}"] if block.anchor else []
    if block.kind == "heading":
        return " ".join((f"h{block.level}", block.attrs.get("text", ""), *place))
    content = block.content if block.content is not None and block.kind != "list_item" else block.span
    words = " ".join(content.of(document.text)[: 4 * _SHOWN].split())
    shown = words if len(words) <= _SHOWN else words[: _SHOWN - 1] + "…"
    facts = [block.attrs[key] for key in ("language", "type", "term", "columns") if block.attrs.get(key)]
    return " ".join((block.kind, *facts, *place, f"· {shown}"))
