"""``withgrain chunk``: look at the chunks of files, without a collection."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from withgrain import app
from withgrain.cli import options, shapes
from withgrain.cli.screen import Screen, first_lines, plural, write_json
from withgrain.cli.talk import Talk, one_line
from withgrain.config import Settings
from withgrain.errors import DocumentError, UsageError

if TYPE_CHECKING:
    from withgrain.ingest.process import Worker
    from withgrain.model import Chunk

EPILOG = options.examples(
    "withgrain chunk runbook.md",
    "withgrain chunk docs/ --json > chunks.ndjson",
    "withgrain chunk docs/ --include '*.md' --records --max-tokens 300",
    "cat page.md | withgrain chunk -",
)


def chunk(
    ctx: typer.Context,
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATH", help="Files and folders; - is standard input.", show_default=False),
    ],
    policy: options.PolicyName = None,
    max_tokens: options.MaxTokens = None,
    tokenizer: options.TokenizerSpec = None,
    include: options.Include = None,
    exclude: options.Exclude = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a file (NDJSON).")] = False,
    records: Annotated[
        bool, typer.Option("--records", help="Print one {id, content, metadata} a chunk, ready to upsert (NDJSON).")
    ] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show the facts, and the reasons of the quality.")] = False,
    embedder: options.Embedder = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Cut files, or all files of folders, and show the chunks, without a collection.

    A file that cannot be cut does not stop the others (exit 4). In folders, files of no known format are left out.
    """
    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    if as_json and records:
        raise UsageError("--json and --records are two forms of the same thing; give one of them.")
    for name in paths:
        _check(name)
    chosen = options.settings(
        policy=policy,
        max_tokens=max_tokens,
        tokenizer=tokenizer,
        embedder=embedder,
        include=include,
        exclude=exclude,
    )
    files, failed = _files(paths, chosen, talk)
    code = 4 if failed else 0
    from withgrain.ingest.process import Worker

    with Worker() as worker:
        for name in files:
            try:
                cut = _cut(name, chosen, worker)
            except DocumentError as error:
                code = error.exit_code
                talk.error(one_line(f"error: {error}"))
                if as_json:
                    write_json(shapes.failed(name, error.kind, str(error)))
                continue
            if as_json:
                write_json(shapes.cut(name, cut))
            elif records:
                _write_records(name, cut, chosen)
            else:
                _show(Screen(), name, cut, explain=explain)
                for notice in (*cut.document.notices, *cut.chunked.notices):
                    talk.note(one_line(f"warning: {name}: {notice.message}"))
    raise typer.Exit(code)


COMMAND = chunk


def _check(name: str) -> None:
    if name == "-":
        return
    if not os.path.lexists(name):  # unlike Path.exists it takes a name that is too long
        raise UsageError(f"{name}: there is no such file or folder.")


def _files(paths: list[str], chosen: Settings, talk: Talk) -> tuple[list[str], bool]:
    """Return the files of all paths, and whether something in a folder could not be read."""
    files: list[str] = []
    failed = False
    for name in paths:
        if name == "-" or not os.path.isdir(name):  # noqa: PTH112  # see _check
            files.append(name)
            continue
        inside, left_out = app.files_in(
            Path(name), include=chosen.include, exclude=chosen.exclude, max_bytes=chosen.max_bytes
        )
        files.extend(inside)
        for one in left_out:
            failed = failed or one.failed
            talk.note(one_line(f"{'error' if one.failed else 'skipped'}: {one.uri}: {one.reason}"))
    return files, failed


def _cut(name: str, chosen: Settings, worker: Worker) -> app.Cut:
    from withgrain.ingest.reading import first_bytes
    from withgrain.parse import decode, media_type_for

    if name != "-" and media_type_for(name, first_bytes(name)) is None:
        raise DocumentError(f"{name} is of no known format.", kind="unknown_format")
    if name != "-" and not os.path.isfile(name):  # noqa: PTH113
        raise DocumentError(f"{name} is not a regular file, or a link that leads nowhere.", kind="unreadable")
    text = decode(sys.stdin.buffer.read()).text if name == "-" else Path(name)
    return app.inspect(
        text,
        policy=options.chosen_policy(chosen),
        tokenizer=chosen.tokenizer,
        embedder=options.embedder(chosen),
        domains=chosen.domains,
        classes=chosen.classes,
        worker=worker,
    )


def _write_records(name: str, cut: app.Cut, chosen: Settings) -> None:
    version = app.ingestion_version(options.chosen_policy(chosen), chosen.tokenizer)
    for one in cut.chunked.chunks:
        write_json(shapes.record(name, cut, one, version))


def _show(screen: Screen, name: str, cut: app.Cut, *, explain: bool) -> None:
    chunks, audit = cut.chunked.chunks, cut.chunked.audit
    screen.line(f"{name}: {cut.document.title}", style="bold")
    screen.line(
        f"{plural(len(chunks), 'chunk')}, "
        f"{plural(audit.rescued, 'section')} rescued, {plural(audit.words_lost, 'word')} lost",
        style="dim",
    )
    screen.line(f"class {cut.chunked.doc_class}: {' '.join(cut.chunked.class_reasons)}", style="dim")
    for one in chunks:
        _show_chunk(screen, one)
        if explain:
            _show_quality(screen, one)
    screen.line()


def _show_chunk(screen: Screen, one: Chunk) -> None:
    lines = _lines(*one.lines) if one.lines else "generated" if one.span is None else _place(one)
    tokens = plural(one.tokens, "token") if one.tokens is not None else ""
    ends = f"{one.boundary.start} → {one.boundary.end}"
    oversize = f", oversize: {one.boundary.oversize}" if one.boundary.oversize else ""
    screen.line()
    screen.line(f"[{one.ordinal + 1}/{one.total}] {' › '.join(one.heading_path) or one.title}", style="bold cyan")
    screen.line(
        f"  {tokens}, {lines}, {one.kind}, quality {one.quality}, cut {ends}{oversize}, id {one.id}", style="dim"
    )
    for text in first_lines(one.display_text, count=6):
        screen.line(f"  {text}")


def _show_quality(screen: Screen, one: Chunk) -> None:
    from withgrain.signals import explain_quality

    for reason, points in explain_quality(one.facts, tokens=one.tokens or 0, kind=one.kind):
        screen.line(f"  {points:+4}  {reason}", style="dim")
    for name, found in shapes.facts(one.facts).items():
        screen.line(f"  {name}: {', '.join(found)}", style="dim")


def _lines(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first}-{last}"


def _place(one: Chunk) -> str:
    """Return where a chunk of a rendered format stands."""
    if one.pages:
        return f"page {one.pages[0]}" if len(one.pages) == 1 else f"pages {one.pages[0]}-{one.pages[-1]}"
    return f"#{one.anchor}" if one.anchor else "no lines"
