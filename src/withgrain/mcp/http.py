"""Serve over streamable HTTP: Host and Origin checked, and beyond this machine only for those who have a token."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from contextlib import AsyncExitStack, suppress
from socket import AF_INET, AF_INET6, create_server, socket
from typing import TYPE_CHECKING, Any

from withgrain.errors import Unavailable, UsageError
from withgrain.mcp.access import Reader, recognised
from withgrain.mcp.collections import Collections, States
from withgrain.mcp.serving import make_server

if TYPE_CHECKING:
    from starlette.applications import Starlette

#: Addresses of this machine, which nobody else can reach.
LOOPBACK = ("127.0.0.1", "localhost", "::1")
_ANY = ("0.0.0.0", "::", "*", "")
_BODY_BYTES = 256 * 1024

_Scope = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
_Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


def listening(host: str, port: int) -> socket:
    """Return a socket that listens.

    Raises:
        Unavailable: The port is taken, or the address is none of this machine.
    """
    try:
        return create_server((host, port), family=AF_INET6 if ":" in host else AF_INET)
    except OSError as error:
        reason = error.strerror or error
        raise Unavailable(f"Port {port} of {host} cannot be listened on: {reason}. Give another one: --http.") from None


def serve_http(
    states: States, readers: Sequence[Reader], listener: socket, *, host: str, allowed_hosts: Sequence[str] = ()
) -> None:
    """Serve at ``/mcp`` until interrupted.

    Args:
        states: The collections.
        readers: Whom to serve: one without a token, or any number with one each.
        listener: From `listening`.
        host: Address that it listens on.
        allowed_hosts: Names under which clients may ask, beside ``host`` itself.

    Raises:
        UsageError: Others could reach the server and there is no token, or no name that ``Host`` can be checked with.
        MissingExtra: The SDK is not installed.
    """
    check_address(host, readers, allowed_hosts)
    app = make_app(states, readers, host=host, allowed_hosts=allowed_hosts)
    import uvicorn

    with suppress(KeyboardInterrupt):
        uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False)).run(sockets=[listener])


def check_address(host: str, readers: Sequence[Reader], allowed_hosts: Sequence[str]) -> None:
    """Refuse to serve everybody who can reach an address.

    Raises:
        UsageError: As in `serve_http`.
    """
    if host in LOOPBACK:
        return
    if not readers or not all(reader.digest for reader in readers):
        raise UsageError(
            f"--host is {host}, which is not only this machine ({', '.join(LOOPBACK)}): then clients need a token. "
            "Give --tokens FILE, or set WITHGRAIN_MCP_TOKEN."
        )
    if host in _ANY and not allowed_hosts:
        raise UsageError(
            f"--host is {host or 'empty'}: say under which name clients reach it, so that other names can be refused: "
            "--allow-host kb.example.org."
        )


def make_app(states: States, readers: Sequence[Reader], *, host: str, allowed_hosts: Sequence[str] = ()) -> Guard:
    """Return the ASGI application: each reader has a server, sessions and a scope of their own."""
    from mcp.server.transport_security import TransportSecuritySettings

    names = ["127.0.0.1", "localhost", "[::1]"] if host in LOOPBACK else [f"[{host}]" if ":" in host else host]
    names = [name for name in (*names, *allowed_hosts) if name not in _ANY]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[spelled for name in names for spelled in (name, f"{name}:*")],
        allowed_origins=[
            f"{scheme}://{name}{port}" for name in names for scheme in ("http", "https") for port in ("", ":*")
        ],
    )
    apps = {
        reader.digest: make_server(
            Collections(states, names=reader.collections, scope=reader.scope)
        ).streamable_http_app(
            host=host, json_response=True, max_request_body_size=_BODY_BYTES, transport_security=security
        )
        for reader in readers
    }
    return Guard(readers, apps)


class Guard:
    """Lets a request through to the server of the reader whose token it carries."""

    def __init__(self, readers: Sequence[Reader], apps: Mapping[str, Starlette]) -> None:
        """``apps``: the application of each reader, by the digest of the token."""
        self._readers = tuple(readers)
        self._apps = dict(apps)

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        """Answer one ASGI event."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            app = self._app_for(scope)
            await (app(scope, receive, send) if app else _refuse(send))
        # WebSockets have no place here: the server closes what nobody accepts.

    def _app_for(self, scope: _Scope) -> Starlette | None:
        if "" in self._apps:
            return self._apps[""]
        headers = [value for name, value in scope["headers"] if name.lower() == b"authorization"]
        scheme, _, token = (headers[0] if len(headers) == 1 else b"").decode("latin-1").partition(" ")
        reader = recognised(token.strip(), self._readers) if scheme.lower() == "bearer" else None
        return self._apps[reader.digest] if reader else None

    async def _live(self, receive: _Receive, send: _Send) -> None:
        await receive()
        async with AsyncExitStack() as stack:
            for app in self._apps.values():
                await stack.enter_async_context(app.router.lifespan_context(app))
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})


async def _refuse(send: _Send) -> None:
    body = b'{"error":"A valid token is needed: Authorization: Bearer TOKEN."}'
    headers = [(b"content-type", b"application/json"), (b"www-authenticate", b'Bearer realm="withgrain"')]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": body})
