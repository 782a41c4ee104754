"""LanceDB, kept behind one door: generations of tables, opened at a version, with every failure in our words."""

from __future__ import annotations

import os
import shutil
import warnings
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from withgrain.errors import IntegrityError, MissingExtra
from withgrain.store.digests import LEASE, append_digests, digest_of, files, read_digests
from withgrain.store.failures import guarded
from withgrain.store.head import Head, kept_heads, sync_path
from withgrain.store.light import unchecked, whole_engine
from withgrain.store.lock import Lease, unused
from withgrain.store.rows import schemas

if TYPE_CHECKING:
    from lancedb.table import Table


# Bytes that the engine keeps of indexes and of what it knows about its files, for each opened state.
_INDEX_CACHE, _METADATA_CACHE = 256 << 20, 32 << 20
# Files that are flushed at the same time; a commit makes about a dozen.
_FLUSHES = 16


def connect(directory: Path) -> Any:
    """Return a LanceDB connection to a generation.

    Raises:
        MissingExtra: LanceDB is not installed.
    """
    os.environ.setdefault("LANCE_LOG", "error")  # the engine talks on stderr otherwise
    try:
        lancedb = _loaded()
    except ImportError as error:
        raise MissingExtra("search", need="A collection on disk") from error
    caches = lancedb.Session(index_cache_size_bytes=_INDEX_CACHE, metadata_cache_size_bytes=_METADATA_CACHE)
    return lancedb.connect(str(directory.absolute()), session=caches)


def _loaded() -> Any:
    """Return the engine; whole where it cannot be loaded without the parts that `light_engine` leaves out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with unchecked():
                import lancedb
        except Exception:
            if not whole_engine():
                raise
            import lancedb
    return lancedb


def text_index() -> Any:
    """Return the configuration of the text index: terms are final, so it only splits them at spaces.

    No positions: phrases are found by the exact statistics and then checked in the text.
    """
    from lancedb.index import FTS

    return FTS(
        with_position=False,
        base_tokenizer="whitespace",
        stem=False,
        remove_stop_words=False,
        lower_case=False,
        ascii_folding=False,
        max_token_length=None,
    )


def match_any(terms: str) -> Any:
    """Return the question for chunks that have at least one of the terms (separated by spaces), exactly as written."""
    from lancedb.query import FullTextOperator, MatchQuery

    return MatchQuery(  # type: ignore[call-arg]  # its other arguments have defaults that mypy does not see
        terms, "terms", fuzziness=0, operator=FullTextOperator.OR
    )


def create_generation(path: Path, dims: int) -> str:
    """Make a new generation with empty tables and return its name."""
    taken = [int(n[1:]) for n in generations(path)]
    name = f"g{max(taken, default=0) + 1:06d}"
    directory = path / name
    with removed_on_failure(directory), guarded(path, "creating tables"):
        directory.mkdir(parents=True)
        (directory / LEASE).touch()
        database = connect(directory)
        for table, schema in schemas(dims).items():
            database.create_table(table, schema=schema)
        database.open_table("chunks").create_index("terms", config=text_index())
    return name


@contextmanager
def removed_on_failure(directory: Path) -> Iterator[None]:
    """Remove a directory that no head names yet when the block fails: what filled the disk gives its space back."""
    try:
        yield
    except BaseException:
        shutil.rmtree(directory, ignore_errors=True)
        raise


def open_tables(path: Path, head: Head) -> dict[str, Table]:
    """Return the tables of a state, each at its version, to read.

    Raises:
        IntegrityError: A table or a version is missing.
    """
    check_tables(path, head)
    tables: dict[str, Table] = {}
    with guarded(path, "opening the tables"):
        database = connect(path / head.generation)
        for name, version in head.tables.items():
            tables[name] = database.open_table(name)
            tables[name].checkout(version)
    return tables


def check_tables(path: Path, head: Head) -> None:
    """Refuse a state whose tables are not there.

    Raises:
        IntegrityError: Names the missing directory and what to do.
    """
    for name in head.tables:
        directory = path / head.generation / f"{name}.lance"
        if not directory.is_dir():
            raise IntegrityError(
                f"{path}: the directory {head.generation}/{name}.lance is missing. "
                "Restore it from a backup, or delete the collection and ingest again."
            )


def lease(path: Path, head: Head) -> Lease | None:
    """Take a lease on the generation of a state; None when it is being removed."""
    return Lease.take(path / head.generation / LEASE)


def remove_unused(path: Path, newest: Head | None) -> list[str]:
    """Remove the generations that no kept state names and no reader holds; return those that are left for later."""
    named = {h.generation for h in kept_heads(path, newest)} if newest else set()
    for name in generations(path):
        if name not in named:
            with suppress(OSError):
                if unused(path / name / LEASE):
                    shutil.rmtree(path / name, ignore_errors=True)
    return [name for name in generations(path) if name not in named]


def generations(path: Path) -> list[str]:
    """Return the names of the generations that are there, oldest first."""
    try:
        names = [p.name for p in path.iterdir()]
    except FileNotFoundError:
        return []
    return sorted(n for n in names if n[:1] == "g" and n[1:].isascii() and n[1:].isdigit())


class Flushed:
    """The files of a generation that are on the disk for good, with their digests in its log.

    The engine leaves its files to the system; a head must not be more durable than what it names.
    """

    def __init__(self, directory: Path, lines: int) -> None:
        """Take the first ``lines`` lines of the log of the generation ``directory`` for done."""
        done = read_digests(directory)[:lines]
        self.directory = directory
        self.lines = lines
        self.bytes = sum(len(entry.line().encode()) for entry in done)
        self._known: dict[str, set[str]] = {}
        for entry in done:
            folder, _, name = entry.path.rpartition("/")
            self._known.setdefault(folder, set()).add(name)

    def take(self) -> list[Path]:
        """Return the files that are new, which are known from now on."""
        fresh = []
        for folder, names in files(self.directory).items():
            known = self._known.setdefault(folder, set())
            fresh += [self.directory / folder / name for name in names - known]
            known |= names
        return sorted(fresh)


def flush(flushed: Flushed) -> None:
    """Flush the new files of a generation, and log what they hold."""
    fresh = flushed.take()
    if not fresh:
        return
    from concurrent.futures import ThreadPoolExecutor

    # At once: the system then makes one write of what would be a wait for the disk for each file.
    with ThreadPoolExecutor(max_workers=min(len(fresh), _FLUSHES)) as pool:
        deque(pool.map(sync_path, fresh), maxlen=0)
        deque(pool.map(sync_path, {file.parent for file in fresh}), maxlen=0)
    entries = [digest_of(file, flushed.directory) for file in fresh]
    flushed.bytes = append_digests(flushed.directory, entries, behind=flushed.bytes)
    flushed.lines += len(fresh)


def size(directory: Path) -> int:
    """Return the bytes of all files of a generation."""
    found = (Path(folder) / name for folder, _, names in os.walk(directory) for name in names)
    return sum(file.stat().st_size for file in found)


def versions(tables: Mapping[str, Table]) -> dict[str, int]:
    """Return the version of each table."""
    return {name: int(table.version) for name, table in tables.items()}
