"""The head: one small file that names the state of a collection. Replacing it is the commit.

A collection is a directory::

    head.json          the newest state
    history/           the last state of each of the last runs, one file each, named by version
    g000001/           a generation: tables that only ever grow new versions, and the digests of their files
    lock               the writer's

The head names a generation and a version of each table in it. Readers open exactly those, so a state is all or
nothing, over several tables and processes. See docs/adr/0002-collection-head-file.md.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from withgrain.errors import IntegrityError
from withgrain.model import Contract, sha256_hex
from withgrain.store.checks import check_schema
from withgrain.store.failures import translated

#: How many states are kept, the newest included: the last one of each of so many runs that wrote.
KEPT_STATES = 5
#: A generation is a directory in the collection's own, never another place.
_GENERATION = re.compile(r"\w{1,40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """One committed state.

    Attributes:
        version: Grows by one with every commit.
        contract: What the rows were written under.
        generation: Name of the directory with the tables.
        tables: Version of each table.
        counts: Number of rows of each table.
        time: When it was committed, ISO 8601 UTC.
        base_bytes: Size of the generation when it was last compact; 0 before.
        base_rows: Number of rows (all tables) at that time.
        commits: Number of commits to this generation.
        run: Version of the first state of the run that wrote this one; a run keeps its last state only.
        files: Number of lines of the generation's log of digests; 0 where there is none (schema 1).
    """

    version: int
    contract: Contract
    generation: str
    tables: Mapping[str, int]
    counts: Mapping[str, int]
    time: str
    base_bytes: int = 0
    base_rows: int = 0
    commits: int = 0
    run: int = 0
    files: int = 0
    schema: int = field(default=0)

    @property
    def rows(self) -> int:
        """Number of rows of all tables."""
        return sum(self.counts.get(name, 0) for name in self.tables)

    def totals(self) -> dict[str, int]:
        """Return the number of documents, chunks, leaves, and of leaves that have a vector (all in schema 1)."""
        found = {name: self.counts.get(name, 0) for name in ("documents", "chunks", "leaves")}
        return found | {"vectors": self.counts.get("vectors", found["leaves"])}

    def to_json(self) -> str:
        """Return the head as JSON with a checksum."""
        values = asdict(self) | {"schema": self.contract.schema, "contract": asdict(self.contract)}
        body = json.dumps(values, sort_keys=True)
        return json.dumps({"checksum": sha256_hex(body), "state": values}, sort_keys=True, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str, place: str) -> Head:
        """Read a head.

        Raises:
            SchemaTooNew: Written by a newer version.
            IntegrityError: Not what was written.
        """
        try:
            outer = json.loads(text)
            values = outer["state"]
            schema = int(values["schema"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise _damaged(place) from error
        check_schema(schema, place)
        try:
            if outer["checksum"] != sha256_hex(json.dumps(values, sort_keys=True)):
                raise _damaged(place)
            if not _is_well_formed(values):
                raise _damaged(place)
            contract = Contract.from_json(json.dumps(values.pop("contract")))
            known = {name: value for name, value in values.items() if name in cls.__dataclass_fields__}
            return cls(contract=contract, **{"run": values["version"], **known})
        except (KeyError, TypeError, AttributeError) as error:
            raise _damaged(place) from error


def _is_well_formed(values: Mapping[str, object]) -> bool:
    """Return whether a state has values of the right kinds; who makes a checksum can put anything into a head."""
    counts = [values["tables"], values["counts"]]
    if not all(isinstance(entry, dict) for entry in counts):
        return False
    names = ("version", "run", "commits", "files", "base_rows", "base_bytes")
    numbers = [*(values.get(name, 0) for name in names), *(n for entry in counts for n in entry.values())]  # type: ignore[attr-defined]
    generation = values["generation"]
    return (
        all(type(number) is int and 0 <= number < 1 << 63 for number in numbers)
        and isinstance(generation, str)
        and _GENERATION.fullmatch(generation) is not None
        and isinstance(values["time"], str)
    )


def _damaged(place: str) -> IntegrityError:
    return IntegrityError(
        f"{place}: the head file is damaged. The states before it are kept: look with 'withgrain collection history', "
        "go back to the last one with 'withgrain collection restore VERSION'."
    )


def read_head(path: Path) -> Head | None:
    """Return the newest state of the collection at ``path``; None where nothing was ever committed.

    Raises:
        SchemaTooNew: Written by a newer version.
        IntegrityError: The head is damaged, or it is missing while older states are there.
        Unavailable: No permission to read it.
    """
    file = path / "head.json"
    try:
        if file.exists() and not file.is_file():  # a pipe would never end
            raise _damaged(str(path))
        text = file.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        if kept_versions(path):
            raise _damaged(str(path)) from None
        return None
    except UnicodeDecodeError as error:
        raise _damaged(str(path)) from error
    except OSError as error:
        raise translated(error, path, "reading the head file") from error
    return Head.from_json(text, str(path))


def publish(path: Path, head: Head) -> None:
    """Make ``head`` the newest state, atomically and durably, and forget the states that are not kept.

    The head comes first: a history without a head means that the head was lost. When there is no space for the copy in
    the history, the commit stands all the same.
    """
    history = path / "history"
    text = head.to_json()
    replace_file(path / "head.json", text)
    with suppress(OSError):
        history.mkdir(exist_ok=True)
        replace_file(history / f"{head.version:09d}.json", text)
        heads = kept_heads(path, head)
        runs = list(dict.fromkeys(h.run for h in reversed(heads)))[:KEPT_STATES]
        kept = {run: h.version for h in heads for run in (h.run,) if run in runs}
        forget_states(path, lambda version: version not in kept.values() and version <= head.version)


def forget_states(path: Path, gone: Callable[[int], bool]) -> None:
    """Remove the states of the history whose version is ``gone``."""
    for version in kept_versions(path):
        if gone(version):
            (path / "history" / f"{version:09d}.json").unlink()


def kept_heads(path: Path, newest: Head | None) -> list[Head]:
    """Return the states that can be read, oldest first, the newest included; damaged or abandoned ones left out.

    Args:
        path: The collection.
        newest: The newest state; None when its file is damaged: then the history alone counts.
    """
    found = {newest.version: newest} if newest else {}
    for version in kept_versions(path):
        if newest is None or version < newest.version:
            with suppress(IntegrityError, OSError, UnicodeDecodeError):
                found[version] = read_kept(path, version)
    return [found[v] for v in sorted(found)]


def read_kept(path: Path, version: int) -> Head:
    """Return a state of the history.

    Raises:
        IntegrityError: It is damaged.
        OSError: It cannot be read.
        UnicodeDecodeError: It is no text.
    """
    return Head.from_json((path / "history" / f"{version:09d}.json").read_text(encoding="utf-8"), str(path))


def replace_file(file: Path, text: str) -> None:
    """Write a file so that a reader or a crash sees the old content or the new one, never a part."""
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        with temporary.open("w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(file)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    sync_path(file.parent)


def sync_path(path: Path) -> None:
    """Flush a file or directory to the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def kept_versions(path: Path) -> list[int]:
    """Return the versions that the history names, ascending."""
    try:
        names = [p.name for p in (path / "history").iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    stems = (n.removesuffix(".json") for n in names if n.endswith(".json"))
    return sorted(int(s) for s in stems if s.isascii() and s.isdigit())
