"""``withgrain audit``: what a chunker that drops small sections would lose, and what became of every word."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from withgrain import app
from withgrain.cli import options
from withgrain.cli.screen import Screen, plural, write_json
from withgrain.cli.talk import Talk
from withgrain.errors import UsageError

if TYPE_CHECKING:
    from withgrain.app.compiling import Compiler
    from withgrain.ingest import AuditReport
    from withgrain.model import Audit

EPILOG = options.examples(
    "withgrain audit docs/",
    "withgrain audit docs/ -v",
    "withgrain audit docs/ --json",
    "withgrain audit docs/ --policy strict",
    "withgrain audit docs/ --write compiled/ --dry-run",
)


def audit(
    ctx: typer.Context,
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="Folders and files.", show_default=False)],
    policy: options.PolicyName = None,
    max_tokens: options.MaxTokens = None,
    tokenizer: options.TokenizerSpec = None,
    include: options.Include = None,
    exclude: options.Exclude = None,
    write: Annotated[
        str | None,
        typer.Option("--write", metavar="DIR", help="Write Markdown with markers under the headings, for authors."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="With --write: say what would be written.")] = False,
    force: Annotated[bool, typer.Option("--force", help="With --write: replace other files in DIR.")] = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Show what would be lost, rescued, split and dropped, and why; nothing is written but what --write asks for.

    With --write every Markdown document is written to DIR with a marker under each heading that has none of its own:
    the nearest one in scope, or one inferred from path and headings. Sources are never touched.

    Exit code 1 when words are lost, 4 when a document cannot be read.
    """
    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    chosen = options.settings(
        policy=policy, max_tokens=max_tokens, tokenizer=tokenizer, include=include, exclude=exclude
    )
    if (dry_run or force) and write is None:
        raise UsageError("--dry-run and --force belong to --write DIR.")
    compiler = None
    if write is not None:
        from withgrain.app.compiling import Compiler

        compiler = Compiler(Path(write), [Path(p) for p in paths], dry_run=dry_run, force=force)
    with talk.progress() as progress:
        report = app.audit(
            *paths,
            policy=options.chosen_policy(chosen),
            tokenizer=chosen.tokenizer,
            include=chosen.include,
            exclude=chosen.exclude,
            max_bytes=chosen.max_bytes,
            progress=progress,
            embedder=options.embedder(chosen),
            domains=chosen.domains,
            classes=chosen.classes,
            visit=compiler.visit if compiler is not None else None,
        )
    if as_json:
        compiled = {} if compiler is None else {"compiled": [asdict(file) for file in compiler.files]}
        write_json(report.to_json() | compiled)
    else:
        _show(Screen(), report, every=verbose)
        if compiler is not None:
            _show_compiled(Screen(), compiler, dry_run=dry_run)
    raise typer.Exit(report.exit_code)


COMMAND = audit


def _show(screen: Screen, report: AuditReport, *, every: bool) -> None:
    documents = report.documents
    before, after = Counter[str](), Counter[str]()
    for one in documents:
        before.update(one.distribution("before"))
        after.update(one.distribution("after"))
    screen.line(f"{plural(len(documents), 'document')}, {plural(sum(before.values()), 'section')}", style="bold")
    screen.line()
    rows = [(fate, f"{before[fate]:,}", f"{after[fate]:,}") for fate in sorted({*before, *after})]
    screen.table(("fate of sections", "before", "after"), rows)
    screen.line()
    screen.line("before: a chunker that drops sections below the minimum; after: withgrain", style="dim")
    screen.line()
    drops = Counter(drop.reason for one in documents for drop in one.dropped)
    screen.fields(
        [
            ("rescued", plural(report.rescued, "section")),
            ("declared drops", ", ".join(f"{n:,} {reason}" for reason, n in sorted(drops.items())) or "none"),
            ("words", f"{sum(one.words for one in documents):,}"),
            ("words lost", f"{report.words_lost:,}"),
        ]
    )
    for one in documents:
        if every or one.words_lost:
            _show_document(screen, one)
    for failure in report.failures:
        screen.line(f"failed   {failure.uri}: {failure.reason}", style="red")
    for skip in report.skipped:
        screen.line(f"skipped  {skip.uri}: {skip.reason}", style="dim")


def _show_compiled(screen: Screen, compiler: Compiler, *, dry_run: bool) -> None:
    counts = Counter(file.state for file in compiler.files)
    markers = sum(file.markers for file in compiler.files if file.state == "written")
    done = "would be written" if dry_run else "written"
    screen.line()
    screen.line(
        f"{plural(counts['written'], 'file')} {done} to {compiler.directory} with {plural(markers, 'marker')}, "
        f"{counts['unchanged']} unchanged, {counts['skipped']} no Markdown"
    )
    for file in compiler.files:
        if file.state == "kept":
            screen.line(f"kept     {file.path}: another file stands there; --force replaces it", style="yellow")


def _show_document(screen: Screen, one: Audit) -> None:
    screen.line()
    lost = f", {plural(one.words_lost, 'word')} LOST" if one.words_lost else ""
    screen.line(f"{one.uri} ({one.doc_class}){lost}", style="bold")
    screen.line(f"  class {one.doc_class}: {' '.join(one.class_reasons)}", style="dim")
    for section in one.sections:
        rescued = section.before.startswith("dropped") and not section.after.startswith("dropped")
        mark = "rescued  " if rescued else ""
        path = " › ".join(section.path) or "(before the first heading)"
        screen.line(f"  {mark}{path}: {section.before} → {section.after}, {section.reason}")
        if section.marker and section.marker_origin != "own":
            screen.line(f"    {section.marker} ({section.marker_origin})", style="dim")
    for text in one.transformations:
        screen.line(f"  {text}", style="dim")
