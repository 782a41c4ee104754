"""Ids that are the same on every run, machine and worker count: hashes of content and place, never counters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from hashlib import blake2b, sha1, sha256

_WHITE_SPACE = re.compile(r"\s+")


def _hash(parts: Iterable[str], size: int) -> str:
    pieces: list[bytes] = []
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        pieces.append(len(data).to_bytes(8, "little"))  # length-prefixed: ("ab", "c") is not ("a", "bc")
        pieces.append(data)
    return blake2b(b"".join(pieces), digest_size=size).hexdigest()


def document_id(uri: str) -> str:
    """Return the 32-hex id of the document at ``uri``."""
    return _hash(("document", uri), 16)


def section_id(doc_id: str, path: tuple[str, ...], nth: int) -> str:
    """Return the 32-hex id of the n-th section with that heading path in a document."""
    return _hash(("section", doc_id, str(nth), *path), 16)


def chunk_id(doc_id: str, heading_path: tuple[str, ...], body: str, nth: int) -> str:
    """Return the 32-hex id of a chunk; ``nth`` counts equal bodies under equal paths in the document."""
    return _hash(("chunk", doc_id, body, str(nth), *heading_path), 16)


def leaf_id(chunk: str, text: str, nth: int) -> str:
    """Return the 32-hex id of a leaf of a chunk."""
    return _hash(("leaf", chunk, text, str(nth)), 16)


def sha256_hex(data: bytes | str) -> str:
    """Return the hex SHA-256 of bytes, or of a text as UTF-8."""
    return sha256(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data).hexdigest()


def content_key(text: str) -> str:
    """Return the 16-hex key of a text's words: equal for texts that differ only in case, white space or Unicode form.

    For duplicate reports only; nothing is ever deleted or skipped because of it.
    """
    words = _WHITE_SPACE.sub(" ", unicodedata.normalize("NFKC", text)).strip().casefold()
    return sha1(words.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[:16]
