"""``withgrain ingest``: bring a collection in line with folders and files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from withgrain import app
from withgrain.cli import options
from withgrain.cli.screen import Screen, plural, write_json
from withgrain.cli.talk import Talk, one_line
from withgrain.errors import Unavailable, UsageError

if TYPE_CHECKING:
    from withgrain.config import Settings
    from withgrain.ingest import IngestReport, Limits
    from withgrain.ingest.watch import Look

EPILOG = options.examples(
    "withgrain ingest docs/",
    "withgrain ingest docs/ runbooks/ -c kb --label team=identity",
    "withgrain ingest docs/ --dry-run",
    "withgrain ingest docs/ --watch",
    "withgrain ingest docs/ --json | jq .documents",
)


def ingest(
    ctx: typer.Context,
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="Folders and files.", show_default=False)],
    collection: options.Collection = None,
    policy: options.PolicyName = None,
    max_tokens: options.MaxTokens = None,
    tokenizer: options.TokenizerSpec = None,
    embedder: options.Embedder = None,
    vectors: options.Vectors = None,
    include: options.Include = None,
    exclude: options.Exclude = None,
    label: options.Label = None,
    front_matter_labels: Annotated[
        bool | None,
        typer.Option(
            "--front-matter-labels/--no-front-matter-labels",
            help="Whether values of front matter become labels; never those whose key a label or rule of yours has.",
            show_default="yes",
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Name of the folder in the collection, instead of its own."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Delete documents even when suspiciously many files vanished.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and write nothing.")] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on: sync again whenever files change, until Ctrl-C.")
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, metavar="N", help="Processes that read and cut.", show_default="processors"),
    ] = None,
    max_seconds: Annotated[
        float | None,
        typer.Option(
            "--max-seconds",
            min=1,
            metavar="S",
            help="CPU time that one document may take; large plain texts may take more.",
            show_default="15",
        ),
    ] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Bring a collection in line with folders and files: add, update, rename and delete what changed.

    Files of unknown format are skipped. A document that fails does not stop the others (exit 4); its old version
    stays.
    """
    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    chosen = options.settings(
        collection=collection,
        policy=policy,
        max_tokens=max_tokens,
        tokenizer=tokenizer,
        embedder=embedder,
        vectors=vectors.value if vectors else None,
        include=include,
        exclude=exclude,
        labels=label,
        front_matter_labels=front_matter_labels,
    )
    library = app.open(
        chosen.collection,
        policy=options.chosen_policy(chosen),
        embedder=chosen.embedder,
        tokenizer=chosen.tokenizer,
        endpoint=options.endpoint(chosen),
        lazy=options.lazy(chosen),
    )
    if watch and dry_run:
        raise UsageError("--watch and --dry-run do not go together.")

    def sync() -> IngestReport:
        with talk.progress() as progress:
            report = library.ingest(
                *paths,
                name=name,
                include=chosen.include,
                exclude=chosen.exclude,
                labels=options.labels(chosen),
                label_rules=chosen.path_labels,
                front_matter_labels=chosen.front_matter_labels,
                domains=chosen.domains,
                classes=chosen.classes,
                max_bytes=chosen.max_bytes,
                force=force,
                dry_run=dry_run,
                progress=progress,
                workers=workers,
                limits=_limits(max_seconds),
            )
        if as_json:
            write_json(report.to_json())
        else:
            _show(Screen(), talk, report, chosen)
        return report

    with library:
        if not watch:
            raise typer.Exit(sync().exit_code)
        _watch(talk, _eye(chosen, [Path(p) for p in paths], name), sync)


COMMAND = ingest


def _limits(max_seconds: float | None) -> Limits | None:
    from withgrain.ingest import Limits

    return None if max_seconds is None else Limits.of_seconds(max_seconds)


def _eye(chosen: Settings, paths: Sequence[Path], name: str | None) -> Callable[[], Look]:
    """Return what sees the files that an ingest would read."""
    from withgrain.ingest import FileRules
    from withgrain.ingest.watch import look

    rules = FileRules(
        include=chosen.include,
        exclude=chosen.exclude,
        max_bytes=chosen.max_bytes,
        collection=Path(chosen.collection),
    )
    return partial(look, paths, rules, name)


def _watch(talk: Talk, see: Callable[[], Look], sync: Callable[[], IngestReport]) -> None:
    """Sync now, and again after every change. What cannot be done now may be done after the next change."""
    from withgrain.ingest.watch import changes

    first = True
    for _ in changes(see):
        try:
            sync()
        except (UsageError, Unavailable) as error:
            if first:
                raise
            talk.error(f"error: {error}")
        first = False
        talk.note("Watching for changes; Ctrl-C ends.")


def _show(screen: Screen, talk: Talk, report: IngestReport, chosen: Settings) -> None:
    counts = report.documents
    ends = [(n, getattr(counts, n)) for n in ("added", "updated", "kept", "renamed", "deleted", "failed", "skipped")]
    shown = ", ".join(f"{number:,} {end}" for end, number in ends if number) or "none of a known format found"
    written = report.written
    rows = written.documents + written.chunks + written.leaves
    if report.dry_run is not None:
        _show_plan(screen, report)
    done = [("embedded", f"{report.embedded:,}"), ("written", plural(rows, "row"))]
    screen.fields(
        [
            ("collection", chosen.collection),
            ("documents", f"{report.total:,} ({shown})"),
            ("chunks", f"{report.chunks:,}"),
            *([] if report.dry_run else done),
            ("rescued", f"{plural(report.rescued, 'section')} that a drop-below-minimum chunker loses"),
            ("words lost", f"{report.words_lost:,}"),
            ("seconds", f"{report.seconds:.1f}"),
        ]
    )
    if report.copies:
        more = plural(report.copies, "more file")
        screen.line(f"{more} with the same bytes as another one, which lists them as copies.")
    vectors = report.vectors
    if vectors.made < vectors.total:
        others = "ingest again to make the others"
        if report.lazy:
            why = (
                "lazy"
                if chosen.vectors == "lazy"
                else "lazy, since the collection is large (--vectors eager makes all)"
            )
            others = f"{why}: a search makes those it needs"
        screen.line(f"vectors: {vectors.made:,} of {vectors.total:,}; {others}.")
    changed = counts.added + counts.updated + counts.renamed + counts.deleted + counts.failed
    if not changed and report.total and not report.dry_run:
        screen.line(f"Nothing changed: {report.embedded} embedded, {rows} written.")
    for failure in report.failures:
        screen.line(f"failed   {failure.uri}: {failure.reason}", style="red")
    for skip in report.skipped:
        screen.line(f"skipped  {skip.uri}: {skip.reason}", style="dim")
    for warning in report.notices:
        talk.note(one_line(f"warning: {warning.uri}: {warning.notice.message}"))


#: In front of the reason of a planned action.
_DETAILS = {"rename": "was ", "copy": "the same as ", "update": "", "add": "", "delete": "", "keep": ""}


def _show_plan(screen: Screen, report: IngestReport) -> None:
    assert report.dry_run is not None
    for action in report.dry_run.actions:
        if action.action in ("fail", "skip"):
            continue  # named with their reasons below
        detail = f" ({_DETAILS[action.action]}{action.reason})" if action.reason else ""
        chunks = f"  {plural(action.chunks, 'chunk')}" if action.chunks else ""
        screen.line(f"would {action.action:<7} {action.uri}{detail}{chunks}")
    plan = report.dry_run
    time = f", about {plan.seconds:.0f} s" if plan.seconds is not None else ""
    screen.line(f"Dry run, nothing written: {plural(plan.leaves, 'text')} ({plan.tokens:,} tokens) to embed{time}.")
