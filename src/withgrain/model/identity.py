"""Ids that are the same on every run, machine and worker count: hashes of content and place, never counters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b, sha1, sha256

_WHITE_SPACE = re.compile(r"\s+")


def _joined(parts: Iterable[str]) -> bytes:
    encoded = [part.encode("utf-8", "surrogatepass") for part in parts]
    # Length-prefixed: ("ab", "c") is not ("a", "bc").
    return b"".join([len(data).to_bytes(8, "little") + data for data in encoded])


@lru_cache(maxsize=256)
def _place(nth: int, path: tuple[str, ...]) -> bytes:
    """Return what the hashes of a section and of each of its chunks end with."""
    return _joined((str(nth), *path))


def _hash(parts: Iterable[str], size: int) -> str:
    return blake2b(_joined(parts), digest_size=size).hexdigest()


def stored_path(path: str) -> str:
    """Return a path that somebody wrote as a collection spells paths: NFC, without a leading ``./``."""
    return unicodedata.normalize("NFC", path).removeprefix("./")


def document_id(uri: str) -> str:
    """Return the 32-hex id of the document at ``uri``."""
    return _hash(("document", uri), 16)


def section_id(doc_id: str, path: tuple[str, ...], nth: int) -> str:
    """Return the 32-hex id of the n-th section with that heading path in a document."""
    return blake2b(_joined(("section", doc_id)) + _place(nth, path), digest_size=16).hexdigest()


def chunk_id(doc_id: str, heading_path: tuple[str, ...], body: str, nth: int) -> str:
    """Return the 32-hex id of a chunk; ``nth`` counts equal bodies under equal paths in the document."""
    return blake2b(_joined(("chunk", doc_id, body)) + _place(nth, heading_path), digest_size=16).hexdigest()


class ChunkIds:
    """Gives the chunks of one document their ids: `chunk_id`, counting equal bodies under equal paths."""

    __slots__ = ("_begun", "_given")

    def __init__(self, doc_id: str) -> None:
        self._begun = blake2b(_joined(("chunk", doc_id)), digest_size=16)
        #: How often the id of a first body was asked for: equal bodies under equal paths have the same.
        self._given: dict[str, int] = {}

    def of(self, heading_path: tuple[str, ...], body: str) -> str:
        """Return the id of the next chunk with this body under this path."""
        data = body.encode("utf-8", "surrogatepass")
        first = self._hashed(data, _place(0, heading_path))
        nth = self._given.get(first, 0)
        self._given[first] = nth + 1
        return self._hashed(data, _place(nth, heading_path)) if nth else first

    def _hashed(self, data: bytes, tail: bytes) -> str:
        hashed = self._begun.copy()
        hashed.update(len(data).to_bytes(8, "little") + data + tail)
        return hashed.hexdigest()


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
