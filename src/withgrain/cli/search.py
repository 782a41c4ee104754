"""``withgrain search``: ask a collection; the answer is a ranked list of cited sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from withgrain import app
from withgrain.app.asking import PACKED_HITS
from withgrain.cli import answers, options, shapes
from withgrain.cli.screen import Screen, write_json
from withgrain.cli.snippet import telling_lines
from withgrain.cli.talk import Talk
from withgrain.errors import UsageError

if TYPE_CHECKING:
    from withgrain.model import Hit, Results
    from withgrain.search import After

#: Documents that have the same as a hit, of which so many are named.
_COPIES = 3

EPILOG = options.examples(
    'withgrain search "how do I reset a password?"',
    "withgrain search --like runbooks/reset.md -k 5",
    'withgrain search "statuskey=7" -k 3 --filter "domain = OKTA"',
    'withgrain search "rotate the key" --expand section',
    'withgrain search "rotate the key" --max-tokens 2000 > context.txt',
    'withgrain search "rotate the key" --mode lexical --json | jq ".hits[0].citation"',
)

#: Results when nobody says how many.
RESULTS = 10


class Mode(StrEnum):
    """Which channels answer."""

    hybrid = "hybrid"
    lexical = "lexical"
    dense = "dense"


class Fusion(StrEnum):
    """How the channels are put together."""

    zscore = "zscore"
    rrf = "rrf"


class Expand(StrEnum):
    """What is added to a hit."""

    none = "none"
    neighbours = "neighbours"
    section = "section"


def search(
    ctx: typer.Context,
    question: Annotated[
        list[str] | None,
        typer.Argument(metavar="QUESTION", help="Words, identifiers or a whole question.", show_default=False),
    ] = None,
    collection: options.Collection = None,
    as_of: options.AsOf = None,
    k: Annotated[
        int | None,
        typer.Option(
            "--k", "-k", min=1, metavar="N", help="Number of results; with --max-tokens, 50.", show_default="10"
        ),
    ] = None,
    mode: Annotated[Mode, typer.Option("--mode", "-m", help="Which channels answer.")] = Mode.hybrid,
    where: Annotated[
        list[str] | None,
        typer.Option("--filter", "-f", metavar="EXPRESSION", help="Only chunks that match; repeatable (all must)."),
    ] = None,
    scope: options.Scope = None,
    doc: Annotated[bool, typer.Option("--doc", help="One result a document: its best section.")] = False,
    expand: Annotated[
        Expand, typer.Option("--expand", help="What is added to each result; never of another domain than asked for.")
    ] = Expand.none,
    merge: Annotated[
        bool,
        typer.Option(
            "--merge", help="Results that cover half of their section become the section; also with --expand."
        ),
    ] = False,
    diversity: Annotated[
        float, typer.Option("--diversity", min=0, max=1, metavar="X", help="Move back what is like a better result.")
    ] = 0.0,
    rerank: Annotated[
        str,
        typer.Option(
            "--rerank", metavar="SPEC", help="none, late (bundled model), http:URL, cross-encoder:DIRECTORY …"
        ),
    ] = "none",
    max_tokens: Annotated[
        int | None,
        typer.Option("--max-tokens", min=0, metavar="N", help="Print the best context that fits, for a prompt."),
    ] = None,
    fusion: Annotated[
        Fusion | None,
        typer.Option(
            "--fusion",
            help="How the channels are put together: standard scores or reciprocal ranks.",
            show_default="zscore",
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option("--weights", metavar="JSON|FILE", help="Numbers of the ranking, as JSON or what `tune` printed."),
    ] = None,
    vectors: options.Vectors = None,
    like: Annotated[
        str | None,
        typer.Option("--like", metavar="ID|FILE|TEXT", help="Instead of a question: more like this one."),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show what was understood and done.")] = False,
    why_not: Annotated[
        str | None,
        typer.Option("--why-not", metavar="ID|PATH", help="Say why this is not among the results, or in the context."),
    ] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Ask a collection. The answer is a ranked list of sections, each with its citation; nothing is generated."""
    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    if like is not None and (max_tokens, why_not) != (None, None):
        raise UsageError("--like goes with neither --max-tokens nor --why-not.")
    if explain and (max_tokens, why_not) != (None, None):
        raise UsageError("--explain is about results: it goes with neither --max-tokens nor --why-not.")
    if bool(question) == (like is not None):
        raise UsageError("Ask a question, or give an example with --like ID|FILE|TEXT; one of the two.")
    chosen = options.settings(collection=collection, vectors=vectors.value if vectors else None)
    asked = " ".join(question or ())
    after = _after(doc=doc, expand=expand, merge=merge, diversity=diversity, rerank=rerank)
    if like is not None and (mode, after, fusion, weights) != (Mode.hybrid, _after(), None, None):
        raise UsageError("--like has one order, by likeness: only -k, --filter and --scope go with it.")
    with app.open(
        chosen.collection,
        embedder=chosen.embedder,
        endpoint=options.endpoint(chosen),
        as_of=as_of,
        scope=scope or None,
        lazy=options.lazy(chosen),
        weights=options.weights(chosen, weights, fusion.value if fusion else None),
    ) as library:
        if why_not is not None:
            why = library.why_not(
                asked,
                why_not,
                k=k or (RESULTS if max_tokens is None else PACKED_HITS),
                mode=mode.value,
                filter=where or None,
                after=after,
                max_tokens=max_tokens,
            )
            answers.why_not(why, as_json=as_json)
            return
        if max_tokens is not None:
            packed = library.pack(
                asked, max_tokens=max_tokens, k=k or PACKED_HITS, mode=mode.value, filter=where or None, after=after
            )
            answers.pack(packed, asked, talk, collection, as_json=as_json)
            return
        if like is not None:
            found = library.like(like, k=k or RESULTS, filter=where or None)
        else:
            found = library.search(asked, k=k or RESULTS, mode=mode.value, filter=where or None, after=after)
    if as_json:
        write_json(shapes.results(found, trace=explain))
        return
    for message in found.trace.get("notices", ()):
        talk.note(f"note: {message}")
    _show(Screen(), found, explain)


COMMAND = search


def _after(
    *,
    doc: bool = False,
    expand: Expand = Expand.none,
    merge: bool = False,
    diversity: float = 0.0,
    rerank: str = "none",
) -> After:
    from withgrain.search import After
    from withgrain.search.rerankers import load_reranker

    return After(reranker=load_reranker(rerank), expand=expand.value, merge=merge, collapse=doc, diversity=diversity)


def _show(screen: Screen, found: Results, explain: bool) -> None:
    if not found.hits:
        screen.line("Nothing found.")
    best = max((hit.score for hit in (*found.hits, *found.apart)), default=0.0)
    for hit in found.hits:
        _show_hit(screen, hit, best, explain)
    if found.apart:
        screen.line("Without a domain:", style="bold")
        for hit in found.apart:
            _show_hit(screen, hit, best, explain)
    if explain:
        rows = [(name.replace("_", " "), _told(value)) for name, value in found.trace.items()]
        screen.fields([(name, text) for name, text in rows if text], style="dim")


def _listed(hit: Hit) -> str:
    """Return the first copies of a hit, named as its citation names documents."""
    uris, more = hit.copies[:_COPIES], len(hit.copies) - _COPIES
    names = uris if hit.citation.root else [uri.partition("/")[2] or uri for uri in uris]
    return ", ".join(names) + (f" and {more:,} more" if more > 0 else "")


def _told(value: object) -> str:
    """Return a value of the trace for a person; empty when there is nothing to tell."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_told(one) or '-'}" for name, one in value.items())
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_told(one) for one in value)
    return "" if value is None else str(value)


def _show_hit(screen: Screen, hit: Hit, best: float, explain: bool) -> None:
    screen.line(f"{hit.rank:>2}. {hit.citation}", style="bold")
    filled = min(10, round(10 * max(0.0, hit.score) / best)) if best > 0 else 0
    channels = ""
    if explain:
        channels = "  " + "  ".join(f"{name} #{rank} {score:.2f}" for name, (rank, score) in hit.channels.items())
    stale = f"  stale: {hit.stale}" if hit.stale else ""
    more = f"  {hit.same_document} sections of this document" if hit.same_document > 1 else ""
    screen.line(f"    {'▮' * filled}{'▯' * (10 - filled)} {hit.score:.3f}{channels}{stale}{more}", style="cyan")
    if hit.copies:
        screen.line(f"    also in {_listed(hit)}", style="dim")
    if explain:
        screen.line(f"    matched {_told(dict(list(hit.matched.items())[:12])) or 'no word'}", style="dim")
        screen.line(f"    id {hit.chunk.id}", style="dim")
    for text in telling_lines(hit.text, hit.matched):
        screen.line(f"    {text}")
    screen.line()
