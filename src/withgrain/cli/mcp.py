"""``withgrain mcp``: serve collections to agents over the Model Context Protocol."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from withgrain.cli import options
from withgrain.cli.talk import Talk
from withgrain.errors import UsageError

if TYPE_CHECKING:
    from withgrain.mcp.access import Reader
    from withgrain.model import Filter

#: Environment variable with the one token that HTTP asks for.
TOKEN_VARIABLE = "WITHGRAIN_MCP_TOKEN"

EPILOG = options.examples(
    "withgrain mcp -c .withgrain",
    "withgrain mcp -c runbooks=kb/runbooks -c policies=kb/policies",
    "withgrain mcp --scope tenant=a",
    "withgrain mcp --http 8811",
    "withgrain mcp --http 8811 --host 0.0.0.0 --allow-host kb.example.org --tokens tokens.toml",
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
        str,
        typer.Option("--host", metavar="ADDRESS", help="Address that HTTP listens on; any but loopback needs tokens."),
    ] = "127.0.0.1",
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="Name under which clients may ask over HTTP; repeatable."),
    ] = None,
    scope: Annotated[
        list[str] | None,
        typer.Option(
            "--scope",
            metavar="EXPRESSION",
            help="Nothing outside this filter can be seen by any client (tenant=a means that label); repeatable.",
        ),
    ] = None,
    tokens: Annotated[
        Path | None,
        typer.Option(
            "--tokens",
            metavar="FILE",
            help="HTTP only for who has a token of this file, each with its own scope. One token for all: the "
            "environment variable WITHGRAIN_MCP_TOKEN.",
        ),
    ] = None,
    embedder: options.Embedder = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Serve collections to agents over the Model Context Protocol: read-only, every answer bounded and cited.

    A scope is bound at the start or to each token; no client can widen it. Without `--http` it talks to one client over
    stdin and stdout, which starts it itself and ends it by closing them.
    """
    from withgrain.mcp.collections import Collections, States, named
    from withgrain.search.filters import read_scope

    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    chosen = options.settings(embedder=embedder)
    places = named(collection or [chosen.collection])
    states = States(
        places,
        embedder=chosen.embedder,
        endpoint=options.endpoint(chosen),
        lazy=options.lazy(chosen),
        weights=chosen.search or None,
    )
    bound = read_scope(scope) if scope else None
    if http is None:
        if tokens is not None or allow_host:
            raise UsageError("--tokens and --allow-host are for --http; over stdin and stdout give --scope.")
        from withgrain.mcp.serving import serve_stdio

        serve_stdio(Collections(states, scope=bound))
        return
    from withgrain.mcp.http import check_address, listening, serve_http

    readers = _readers(tokens, tuple(places), bound, talk)
    check_address(host, readers, allow_host or ())
    with listening(host, http) as listener:
        talk.note(f"Serving {', '.join(places)} at http://{f'[{host}]' if ':' in host else host}:{http}/mcp")
        serve_http(states, readers, listener, host=host, allowed_hosts=allow_host or ())


def _readers(tokens: Path | None, names: tuple[str, ...], scope: Filter | None, talk: Talk) -> tuple[Reader, ...]:
    """Return whom to serve over HTTP: those of a file, the one of the environment, or everybody on this machine."""
    from withgrain.mcp.access import Reader, read_tokens, reader_of

    single = os.environ.get(TOKEN_VARIABLE)
    if tokens is not None:
        if single is not None:
            raise UsageError(f"Give either --tokens or {TOKEN_VARIABLE}, not both.")
        if tokens.is_file() and tokens.stat().st_mode & 0o077:
            talk.note(f"{tokens} can be read by other users of this machine: chmod 600 {tokens}")
        return read_tokens(tokens, names, scope)
    if single is not None:  # an empty one, such as of a secret that is not there, must not open the server
        return (reader_of(single, scope, where=TOKEN_VARIABLE),)
    return (Reader(name="this machine", scope=scope),)


COMMAND = mcp
