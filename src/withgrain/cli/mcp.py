"""``withgrain mcp``: serve collections to agents over the Model Context Protocol."""

from __future__ import annotations

from typing import Annotated

import typer

from withgrain.cli import options
from withgrain.cli.talk import Talk

EPILOG = options.examples(
    "withgrain mcp -c .withgrain",
    "withgrain mcp -c runbooks=kb/runbooks -c policies=kb/policies",
    "withgrain mcp --http 8811",
)


def mcp(
    ctx: typer.Context,
    collection: Annotated[
        list[str] | None,
        typer.Option(
            "--collection",
            "-c",
            metavar="[NAME=]DIR",
            help="Directory of a collection; repeatable, each with a name.",
            show_default=".withgrain",
        ),
    ] = None,
    http: Annotated[
        int | None,
        typer.Option(
            "--http", min=1, max=65535, metavar="PORT", help="Serve HTTP on this machine instead of stdin and stdout."
        ),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Loopback address that HTTP listens on.")
    ] = "127.0.0.1",
    embedder: options.Embedder = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Serve collections to agents over the Model Context Protocol: read-only, every answer bounded and cited.

    Without `--http` it talks to one client over stdin and stdout, which starts it itself and ends it by closing them.
    """
    from withgrain.mcp.collections import Collections, named
    from withgrain.mcp.serving import serve_http, serve_stdio

    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    chosen = options.settings(embedder=embedder)
    places = named(collection or [chosen.collection])
    served = Collections(places, embedder=chosen.embedder, endpoint=options.endpoint(chosen))
    if http is None:
        serve_stdio(served)
        return
    talk.note(f"Serving {', '.join(places)} at http://{f'[{host}]' if ':' in host else host}:{http}/mcp")
    serve_http(served, host=host, port=http)


COMMAND = mcp
