"""``withgrain audit``: what a chunker that drops small sections would lose, and what became of every word."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import typer

from withgrain import app
from withgrain.cli import options
from withgrain.cli.screen import Screen, plural, write_json
from withgrain.cli.talk import Talk
from withgrain.ingest import AuditReport
from withgrain.model import Audit

EPILOG = options.examples("withgrain audit docs/", "withgrain audit docs/ -v", "withgrain audit docs/ --json")


def audit(
    ctx: typer.Context,
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="Folders and files.", show_default=False)],
    policy: options.PolicyName = None,
    max_tokens: options.MaxTokens = None,
    tokenizer: options.TokenizerSpec = None,
    include: options.Include = None,
    exclude: options.Exclude = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Show what would be lost, rescued, split and dropped, and why; nothing is written.

    Exit code 1 when words are lost, 4 when a document cannot be read.
    """
    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    chosen = options.settings(
        policy=policy, max_tokens=max_tokens, tokenizer=tokenizer, include=include, exclude=exclude
    )
    with talk.progress() as progress:
        report = app.audit(
            *paths,
            policy=options.chosen_policy(chosen),
            tokenizer=chosen.tokenizer,
            include=chosen.include,
            exclude=chosen.exclude,
            max_bytes=chosen.max_bytes,
            progress=progress,
            embedder=chosen.embedder,
            domains=chosen.domains,
            classes=chosen.classes,
        )
    if as_json:
        write_json(report.to_json())
    else:
        _show(Screen(), report, every=verbose)
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
    for text in one.transformations:
        screen.line(f"  {text}", style="dim")
