"""Vectors that were made once, on disk, so that they are not made again."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Self
from zlib import crc32

from withgrain.errors import IntegrityError, Unavailable, UsageError
from withgrain.model import Embedded

_BATCH = 500  # keys a query: below SQLite's smallest limit of variables
_WAIT_SECONDS = 60
_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
    key BLOB NOT NULL PRIMARY KEY,
    vector BLOB NOT NULL,
    checksum INTEGER NOT NULL
)
"""
#: Beside the vectors and not in their table: files that an older version made have none.
_CODES = """
CREATE TABLE IF NOT EXISTS codes (
    key BLOB NOT NULL PRIMARY KEY,
    codes BLOB NOT NULL,
    checksum INTEGER NOT NULL
)
"""
_PUT = "INSERT OR REPLACE INTO vectors (key, vector, checksum) VALUES (?, ?, ?)"
_PUT_CODES = "INSERT OR REPLACE INTO codes (key, codes, checksum) VALUES (?, ?, ?)"


class EmbeddingCache:
    """A SQLite file from (fingerprint of the embedder, text) to a vector, and to the codes of its tokens.

    The key is a hash of both: no text is stored. Vectors are stored in single precision, each with a checksum; one that
    does not match counts as missing. Every ``put_many`` is one transaction in a write-ahead log: a killed process loses
    nothing that ``put_many`` returned for, and processes that read are never locked out. Losing the file costs time,
    nothing else.

    Use one object a process; its threads may share it.
    """

    def __init__(self, path: Path) -> None:
        """Open or create the file.

        Raises:
            Unavailable: The place cannot be written to.
            IntegrityError: The file is no cache.
        """
        self.path = path
        self._lock = Lock()
        with self._errors():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                path, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                self._connection.execute("PRAGMA page_size=16384")  # ten vectors of 384 a page, not two
                self._connection.execute("PRAGMA journal_mode=WAL")
                self._connection.execute("PRAGMA wal_autocheckpoint=256")  # the log stays near 4 MB
                self._connection.execute("PRAGMA synchronous=NORMAL")
                self._connection.execute(_SCHEMA)
                self._connection.execute(_CODES)
            except BaseException:
                self._connection.close()
                raise

    def get_many(self, fingerprint: str, texts: Sequence[str]) -> list[tuple[float, ...] | None]:
        """Return the vector of each text, in order; None where there is none.

        Raises:
            Unavailable: The file cannot be read.
            IntegrityError: The file is damaged.
        """
        keys = [_key(fingerprint, text) for text in texts]
        found = {key: _unpack(vector) for key, vector in self._get("vectors", "vector", keys)}
        return [found.get(key) for key in keys]

    def get_embedded(self, fingerprint: str, texts: Sequence[str]) -> list[Embedded | None]:
        """Return vector and codes of each text, in order; None where one of them is missing.

        Raises:
            Unavailable: The file cannot be read.
            IntegrityError: The file is damaged.
        """
        vectors = self.get_many(fingerprint, texts)
        keys = [_key(fingerprint, text) for text in texts]
        codes = dict(self._get("codes", "codes", keys))
        return [
            Embedded(vector, codes[key]) if vector is not None and key in codes else None
            for vector, key in zip(vectors, keys, strict=True)
        ]

    def _get(self, table: str, column: str, keys: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
        with self._lock, self._errors():
            for batch in _batches(sorted(set(keys))):
                marks = ",".join("?" * len(batch))
                rows = self._connection.execute(
                    f"SELECT key, {column}, checksum FROM {table} WHERE key IN ({marks})", batch
                )
                yield from [(key, value) for key, value, checksum in rows if crc32(value) == checksum]

    def put_many(self, fingerprint: str, texts: Sequence[str], vectors: Sequence[Sequence[float]]) -> None:
        """Store the vector of each text, all or none; one that is there is replaced.

        Raises:
            UsageError: Not as many vectors as texts.
            Unavailable: The file cannot be written.
            IntegrityError: The file is damaged.
        """
        if len(texts) != len(vectors):
            raise UsageError(f"{len(texts)} texts with {len(vectors)} vectors cannot be cached")
        packed = [(_key(fingerprint, text), _pack(vector)) for text, vector in zip(texts, vectors, strict=True)]
        self._write((_PUT, [(key, vector, crc32(vector)) for key, vector in packed]))

    def put_embedded(self, fingerprint: str, texts: Sequence[str], made: Sequence[Embedded]) -> None:
        """Store vector and codes of each text, all or none; what is there is replaced.

        Raises:
            UsageError: Not as many as texts.
            Unavailable: The file cannot be written.
            IntegrityError: The file is damaged.
        """
        if len(texts) != len(made):
            raise UsageError(f"{len(texts)} texts with {len(made)} vectors cannot be cached")
        keys = [_key(fingerprint, text) for text in texts]
        vectors = [(key, _pack(one.vector)) for key, one in zip(keys, made, strict=True)]
        codes = [(key, one.token_codes) for key, one in zip(keys, made, strict=True)]
        self._write(
            (_PUT, [(key, value, crc32(value)) for key, value in vectors]),
            (_PUT_CODES, [(key, value, crc32(value)) for key, value in codes]),
        )

    def delete_many(self, fingerprint: str, texts: Sequence[str]) -> None:
        """Forget the vectors of some texts.

        Raises:
            Unavailable: The file cannot be written.
            IntegrityError: The file is damaged.
        """
        self._delete([(_key(fingerprint, text),) for text in texts])

    def keep_only(self, vectors: Iterable[Sequence[float]]) -> int:
        """Remove every vector that is not one of these, leave no copy of it in the file, and return how many went.

        Raises:
            Unavailable: The file cannot be written.
            IntegrityError: The file is damaged.
        """
        kept = {_pack(vector) for vector in vectors}
        with self._lock, self._errors():
            rows = self._connection.execute("SELECT key, vector FROM vectors")
            gone = [(key,) for key, vector in rows if vector not in kept]
        self._delete(gone)
        with self._lock, self._errors():
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._connection.execute("VACUUM")  # what was deleted stays in free pages otherwise
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return len(gone)

    def count(self) -> int:
        """Return the number of stored vectors."""
        with self._lock, self._errors():
            (number,) = self._connection.execute("SELECT count(*) FROM vectors").fetchone()
        return int(number)

    def close(self) -> None:
        """Close the file; may be called again."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _delete(self, keys: Sequence[tuple[bytes]]) -> None:
        self._write(("DELETE FROM vectors WHERE key = ?", keys), ("DELETE FROM codes WHERE key = ?", keys))

    def _write(self, *steps: tuple[str, Sequence[tuple[object, ...]]]) -> None:
        with self._lock, self._errors():
            self._connection.execute("BEGIN IMMEDIATE")  # waits for another writer instead of failing half-way
            try:
                for statement, rows in steps:
                    self._connection.executemany(statement, rows)
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.OperationalError, sqlite3.ProgrammingError, OSError) as error:
            raise Unavailable(
                f"the embedding cache {self.path} cannot be used ({error}). "
                "Check that its directory can be written to and has space"
            ) from error
        except sqlite3.DatabaseError as error:
            raise IntegrityError(
                f"the embedding cache {self.path} is damaged ({error}). Delete the file: the vectors are made again"
            ) from error


def _key(fingerprint: str, text: str) -> bytes:
    head = fingerprint.encode("utf-8")
    body = text.encode("utf-8", "surrogatepass")
    return sha256(len(head).to_bytes(8, "little") + head + body).digest()


def in_single_precision(vector: Sequence[float]) -> tuple[float, ...]:
    """Return the vector as the cache gives it back."""
    return _unpack(_pack(vector))


def _pack(vector: Sequence[float]) -> bytes:
    return struct.pack(f"<{len(vector)}f", *vector)


def _unpack(vector: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(vector) // 4}f", vector)


def _batches(keys: list[bytes]) -> Iterator[list[bytes]]:
    return (keys[start : start + _BATCH] for start in range(0, len(keys), _BATCH))
