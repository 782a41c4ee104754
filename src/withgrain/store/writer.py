"""The one writer of a collection on disk."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from withgrain.errors import Unavailable, UsageError
from withgrain.model import Change, CommitResult, Contract
from withgrain.store import engine
from withgrain.store.checks import check_change, check_contract
from withgrain.store.compact import build_indexes, compact, needs_compaction, needs_indexes
from withgrain.store.failures import MAKING, guarded
from withgrain.store.head import Head, publish, read_head
from withgrain.store.lock import WriterLock
from withgrain.store.memory import MemorySnapshot
from withgrain.store.plan import Stored, TablePlan, make_plan, result, retired_plan
from withgrain.store.retired import alive, retiring
from withgrain.store.rows import IDS, OWNED, arrow_table, schemas, with_columns
from withgrain.store.snapshot import LanceSnapshot
from withgrain.store.sql import is_one_of
from withgrain.types import Snapshot

if TYPE_CHECKING:
    from lancedb.table import Table

#: Ids in one question or deletion.
_BATCH = 1000


class LanceWriter:
    """Applies changes to the tables, then publishes a head that names their new versions.

    Between two heads the tables may be ahead (a crash, a full disk, an interruption): the next step first brings them
    back to what the head names.
    """

    def __init__(self, path: Path, contract: Contract) -> None:
        """Take the lock and compare the contract; see `withgrain.types.Store.writer`."""
        _make_directory(path)
        self._lock: WriterLock | None = WriterLock(path / "lock")
        try:
            self._path, self._contract = path, contract
            self._head = self._begin(read_head(path))
            self._tidy()
        except BaseException:
            self._lock.release()
            raise
        self._run = self._head.version + 1 if self._head else 1
        self._generation = ""
        self._tables: dict[str, Table] = {}
        self._documents: set[str] = set()
        self._retired: set[str] = set()
        self._flushed: engine.Flushed | None = None

    def _begin(self, newest: Head | None) -> Head | None:
        """Return the state to go on from, after a look at whether that is allowed."""
        check_contract(newest.contract if newest else None, self._contract, str(self._path))
        if newest:
            engine.check_tables(self._path, newest)
        return newest

    def snapshot(self) -> Snapshot:
        """Return the state after the last commit; an empty one of version 0 before the first."""
        self._check_open()
        if self._head is None:
            return MemorySnapshot(0, self._contract, {})
        return LanceSnapshot(self._path, self._head, engine.lease(self._path, self._head))

    def commit(self, change: Change) -> CommitResult:
        """Apply a change as one atomic, durable step.

        Raises:
            UsageError: The change contradicts itself; see `check_change`. Nothing was written.
            Unavailable: No space or no permission. The old state stands.
            IntegrityError: The stored tables are damaged.
        """
        self._check_open()
        check_change(change, self._contract)
        with self._settled():
            plans = make_plan(change, self._stored(change), self._tables)
            plans["retired"] = retired_plan(change, self._retired, self._retired_hashes(change))
            if not any(plans.values()) and self._head:
                return result(plans, self._head.version)
            with guarded(self._path, "writing rows"):
                for name, plan in plans.items():
                    self._apply(name, plan)
            head = self._publish(self._generation, commits=1)
        self._documents.difference_update(change.delete)
        self._documents.update(b.document.id for b in change.upsert)
        self._retired -= alive(change)
        self._retired |= retiring(change).keys()
        return result(plans, head.version)

    def finish(self) -> None:
        """Bring the text index up to date and compact, both by policy (see `compact`). Changes no answer."""
        self._check_open()
        if self._head is None:
            return
        with self._settled():
            if needs_compaction(self._head, self._path / self._head.generation):
                self._use(compact(self._path, self._head), None)
            elif not needs_indexes(self._tables, self._head.counts["chunks"]):
                return
            self._index()
        self._tidy()

    def compact(self) -> None:
        """Move the live rows to a new generation and index them, whether the policy asks for it or not."""
        self._check_open()
        if self._head is not None:
            with self._settled():
                self._use(compact(self._path, self._head), None)
                self._index()
            self._tidy()

    def forget_retired(self, ids: Collection[str]) -> None:
        """Remove the retired ids that lead to one of these, over any number of steps, or that belonged to them."""
        self._check_open()
        with self._settled():
            rows = self._where("retired", ["old_id", "doc_id", "successor"], "true")
            gone = set(ids)
            while more := {
                r["old_id"] for r in rows if r["old_id"] not in gone and gone & {r["doc_id"], r["successor"]}
            }:
                gone |= more
            with guarded(self._path, "writing rows"):
                self._apply("retired", TablePlan(remove=sorted(gone.intersection(r["old_id"] for r in rows))))
            self._retired -= gone
            self._publish(self._generation, commits=1)

    def _tidy(self) -> None:
        engine.remove_unused(self._path, self._head)

    def _index(self) -> None:
        with guarded(self._path, "building indexes"):
            build_indexes(self._tables)
        self._publish(self._generation, measured=True)

    def close(self) -> None:
        """Release the lock. What was not committed is forgotten."""
        if self._lock is not None:
            self._tables = {}
            self._lock.release()
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._lock is None:
            raise UsageError(f"{self._path}: this writer is closed. Ask the store for a new one.")

    @contextmanager
    def _settled(self) -> Iterator[None]:
        """Have the tables at the head's versions; after any failure, forget them and look at the disk again."""
        try:
            if not self._tables:
                generation = self._head.generation if self._head else engine.create_generation(self._path, self._dims)
                self._use(generation, self._head)
                self._documents = set(self._column("documents", "doc_id"))
                self._retired = set(self._column("retired", "old_id"))
            yield
        except BaseException:
            self._tables = {}
            self._head = self._after_failure()
            raise

    def _after_failure(self) -> Head | None:
        return read_head(self._path)

    @property
    def _dims(self) -> int:
        return self._contract.dims

    def _use(self, generation: str, head: Head | None) -> None:
        """Open the tables of a generation to write, brought back to the versions that ``head`` names."""
        directory = self._path / generation
        with guarded(self._path, "opening the tables"):
            database = engine.connect(directory)
            tables: dict[str, Table] = {name: database.open_table(name) for name in schemas(self._dims)}
            for name, version in (head.tables if head else {}).items():
                if tables[name].version != version:
                    tables[name].checkout(version)
                    tables[name].restore()
        self._generation, self._tables = generation, tables
        self._flushed = engine.Flushed(directory, head.files if head else 0)

    def _column(self, name: str, column: str) -> list[str]:
        with guarded(self._path, f"reading {name}"):
            values: list[str] = self._tables[name].search().select([column]).limit(None).to_arrow()[column].to_pylist()
            return values

    def _stored(self, change: Change) -> Stored:
        """Return the hashes of the stored rows of the documents that a change touches; new ones cost nothing."""
        touched = (*change.delete, *(b.document.id for b in change.upsert))
        known = [i for i in dict.fromkeys(touched) if i in self._documents]
        found: dict[str, dict[str, dict[str, bytes]]] = {name: {} for name in IDS}
        for name in OWNED:
            if name not in self._tables:
                continue
            for start in range(0, len(known), _BATCH):
                condition = is_one_of("doc_id", known[start : start + _BATCH])
                columns = list(dict.fromkeys((IDS[name], "doc_id", "hash")))
                for row in self._where(name, columns, condition):
                    found[name].setdefault(row["doc_id"], {})[row[IDS[name]]] = row["hash"]
        return found

    def _retired_hashes(self, change: Change) -> dict[str, bytes]:
        again = [i for i in retiring(change) if i in self._retired]
        found: dict[str, bytes] = {}
        for start in range(0, len(again), _BATCH):
            condition = is_one_of("old_id", again[start : start + _BATCH])
            found |= {row["old_id"]: row["hash"] for row in self._where("retired", ["old_id", "hash"], condition)}
        return found

    def _where(self, name: str, columns: list[str], condition: str) -> list[dict[str, Any]]:
        with guarded(self._path, f"reading {name}"):
            query = self._tables[name].search().where(condition).select(columns).limit(None)
            rows: list[dict[str, Any]] = query.to_arrow().to_pylist()
            return rows

    def _apply(self, name: str, plan: TablePlan) -> None:
        table = self._tables[name]
        for column, ids in ((IDS[name], plan.remove), ("doc_id", plan.documents)):
            for start in range(0, len(ids), _BATCH):
                table.delete(is_one_of(column, ids[start : start + _BATCH]))
        if plan.add:
            rows = [with_columns(row) for row in plan.add] if name == "chunks" else plan.add
            table.add(arrow_table(rows, schemas(self._dims)[name]))

    def _counts(self) -> dict[str, int]:
        counts = {name: int(table.count_rows()) for name, table in self._tables.items()}
        if "leaves" in self._tables:
            counts["vectors"] = counts["leaves"] - int(self._tables["leaves"].count_rows("pending"))
        return counts

    def _publish(self, generation: str, *, commits: int = 0, measured: bool = False) -> Head:
        """Flush the tables and make a head that names them the newest state."""
        old, directory = self._head, self._path / generation
        same = old is not None and old.generation == generation
        assert self._flushed is not None
        with guarded(self._path, "publishing the new state"):
            engine.flush(self._flushed)
            head = Head(
                version=old.version + 1 if old else self._run,
                contract=self._contract,
                generation=generation,
                tables=engine.versions(self._tables),
                counts=self._counts(),
                time=datetime.now(UTC).isoformat(timespec="milliseconds"),
                base_bytes=old.base_bytes if old and same else 0,
                base_rows=old.base_rows if old and same else 0,
                commits=(old.commits if old and same else 0) + commits,
                run=self._run,
                files=self._flushed.lines,
            )
            if measured and not head.base_bytes:
                head = replace(head, base_bytes=engine.size(directory), base_rows=head.rows)
            self._announce(head)
        self._head = head
        return head

    def _announce(self, head: Head) -> None:
        publish(self._path, head)


def _make_directory(path: Path) -> None:
    with guarded(path, MAKING):
        try:
            path.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError) as error:
            raise UsageError(f"{path}: a file stands in the way. Give the path of a directory.") from error
        except FileNotFoundError as error:  # its parents were made a moment ago: not a place for files, or going away
            raise Unavailable(f"{path}: no directory can be made here. Give another path.") from error
