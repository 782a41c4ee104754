"""Who may see what: a scope bound at the start, or one to each token. A client can name neither and widen neither."""

from __future__ import annotations

import hmac
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from withgrain.errors import ConfigError, UsageError
from withgrain.model import Filter, all_of

#: Fewest characters of a token: 16 random ones cannot be guessed.
SHORTEST_TOKEN = 16
_KEYS = ("token", "sha256", "scope", "collections")
_SENDABLE = re.compile(r"[!-~]+")
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Someone whom the server answers.

    Attributes:
        name: For people, never told to a client.
        scope: Nothing outside it is shown; None for everything.
        collections: Those that are shown; all when empty.
        digest: SHA-256 of the token, in hex; empty for the one reader who needs none.
    """

    name: str
    scope: Filter | None = None
    collections: tuple[str, ...] = ()
    digest: str = ""


def read_tokens(file: Path, known: Sequence[str], scope: Filter | None = None) -> tuple[Reader, ...]:
    """Return the readers of a token file: TOML, one table a reader.

    ::

        [team-a]
        token = "…"               # or sha256 = "the token's SHA-256 in hex"
        scope = "tenant=a"        # or a list; left out: everything
        collections = ["kb"]      # left out: all

    Args:
        file: The file.
        known: Names of the collections that are served.
        scope: Bound at the start: holds for every reader, beside their own.

    Raises:
        ConfigError: The file cannot be read, names no reader, or a value is wrong or used twice; never tells a token.
    """
    try:
        tables = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no TOML file"
        raise ConfigError(f"{file}: the tokens cannot be read: {reason}.") from None
    readers = tuple(_reader(f"{file}: [{name}]", name, table, known, scope) for name, table in tables.items())
    if not readers:
        raise ConfigError(f"{file}: it names no reader. Write [NAME] and below it token and scope.")
    if len({reader.digest for reader in readers}) < len(readers):
        raise ConfigError(f"{file}: two readers have the same token; each has one token and one scope.")
    return readers


def reader_of(token: str, scope: Filter | None = None, *, where: str = "the token") -> Reader:
    """Return the reader whom a single token names.

    Raises:
        ConfigError: The token is too short, or cannot be sent.
    """
    return Reader(name="token", scope=scope, digest=_digest(token, where))


def recognised(token: str, readers: Sequence[Reader]) -> Reader | None:
    """Return whose token it is. Every reader is compared, in constant time, whether one was found or not."""
    digest = sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
    found = None
    for reader in readers:
        if hmac.compare_digest(digest, reader.digest) and reader.digest:
            found = reader
    return found


def _reader(where: str, name: str, table: Any, known: Sequence[str], scope: Filter | None) -> Reader:
    if not isinstance(table, Mapping) or any(key not in _KEYS for key in table):
        raise ConfigError(f"{where} must be a table of: {', '.join(_KEYS)}.")
    scopes, names = _texts(where, table, "scope"), _texts(where, table, "collections")
    missing = [n for n in names if n not in known]
    if missing:
        raise ConfigError(f'{where}: there is no collection "{missing[0]}". There is: {", ".join(known)}.')
    digest, token = table.get("sha256"), table.get("token")
    if (digest is None) == (token is None):
        raise ConfigError(f"{where}: give either token or sha256.")
    if digest is not None and not (isinstance(digest, str) and _DIGEST.fullmatch(digest)):
        raise ConfigError(f"{where}: sha256 must be 64 hex digits in lower case.")
    from withgrain.search.filters import read_scope

    try:
        own = read_scope(scopes) if scopes else None
    except UsageError as error:
        raise ConfigError(f"{where}: scope: {error}") from None
    return Reader(
        name=name,
        scope=all_of(scope, own),
        collections=names,
        digest=digest if digest is not None else _digest(token, where),
    )


def _digest(token: Any, where: str) -> str:
    if not isinstance(token, str) or len(token) < SHORTEST_TOKEN:
        raise ConfigError(f"{where}: a token must have at least {SHORTEST_TOKEN} characters.")
    if not _SENDABLE.fullmatch(token):
        raise ConfigError(f"{where}: a token is sent in a header: use letters, digits and signs of ASCII, no space.")
    return sha256(token.encode()).hexdigest()


def _texts(where: str, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = table.get(key, [])
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(v, str) and v for v in values):
        raise ConfigError(f"{where}: {key} must be a text or a list of texts.")
    if key in table and not values:
        raise ConfigError(f"{where}: {key} is empty. Leave it out to mean everything.")
    return tuple(values)
