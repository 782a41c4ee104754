"""A check of everything that is stored: files against their digests, rows against themselves and each other.

Two independent looks. The files of every kept generation are compared with the digests that were written when they
were published: damage is found wherever it is, in rows, indexes or the engine's own lists. Then every row of the newest
state is decoded, encoded again and compared with what is stored, and the tables are compared with one another: what a
fault of ours, or another writer, left behind.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from withgrain.errors import IntegrityError, Unavailable, UsageError, WithgrainError
from withgrain.model import SCHEMA_VERSION, Problem, Verification
from withgrain.store.compact import needs_indexes, uncovered
from withgrain.store.digests import LEASE, damages, files
from withgrain.store.failures import guarded
from withgrain.store.head import Head, kept_heads, kept_versions, read_head, read_kept
from withgrain.store.reading import Reader
from withgrain.store.row_checks import Found, check_rows

_COMPACT = "withgrain collection compact"
_MIGRATE = "withgrain migrate"
_DROP = "withgrain collection compact --drop-history"
_AGAIN = "Restore the directory from a backup, or delete it and ingest again."


def verify(path: Path) -> Verification:
    """Check the collection at ``path``; reads everything, writes nothing.

    Raises:
        UsageError: There is no collection.
        SchemaTooNew: Written by a newer version.
        Unavailable: No permission to read.
    """
    problems: list[Problem] = []
    try:
        head = read_head(path)
    except IntegrityError as error:
        head = None
        problems.append(_head_problem(path, str(error)))
    if head is None and not problems:
        raise UsageError(f"{path}: there is no collection, or nothing was ever committed to it.")
    problems.extend(_history_problems(path))
    checked, damaged = _check_files(path, head, problems)
    notes: list[str] = []
    if head is not None and not damaged:
        found = _check_content(path, head)
        problems.extend(found.problems)
        notes.extend(found.notes)
        checked |= found.checked
    elif head is not None:
        notes.append("The rows were not looked at, because files that hold them are damaged.")
    version = head.version if head else None
    return Verification(version=version, problems=tuple(problems), checked=checked, notes=tuple(notes))


def _head_problem(path: Path, what: str) -> Problem:
    heads = kept_heads(path, None)
    mend = f"withgrain collection restore {heads[-1].version}" if heads else _AGAIN
    return Problem(kind="head", where="head.json", what=what.removeprefix(f"{path}: "), mend=mend)


def _history_problems(path: Path) -> Iterator[Problem]:
    for version in kept_versions(path):
        try:
            read_kept(path, version)
        except (WithgrainError, OSError, ValueError) as error:
            name = f"history/{version:09d}.json"
            yield Problem(kind="history", where=name, what=f"State {version} cannot be read ({error}).", mend=_DROP)


def _check_files(path: Path, newest: Head | None, problems: list[Problem]) -> tuple[dict[str, int], bool]:
    """Compare the files of all kept generations; return how many, and whether the newest state is touched."""
    lines: dict[str, int] = {}
    for head in kept_heads(path, newest):
        lines[head.generation] = max(lines.get(head.generation, 0), head.files)
    damaged, count = False, 0
    for name, least in lines.items():
        directory = path / name
        current = newest is not None and newest.generation == name
        if not (directory / LEASE).is_file():
            problems.append(_lease_problem(name))
        with suppress(OSError):
            count += sum(map(len, files(directory).values())) if least else 0
        for damage in damages(directory, least):
            problems.append(_file_problem(path, newest, name, damage.path, damage.what))
            damaged = damaged or (current and "/_indices/" not in damage.path and damage.path != "digests")
    return {"files": count}, damaged


def _lease_problem(generation: str) -> Problem:
    where = f"{generation}/{LEASE}"
    return Problem(kind="file", where=where, what="The file that readers hold is missing.", mend=f"touch {where}")


def _file_problem(path: Path, newest: Head | None, generation: str, name: str, what: str) -> Problem:
    where = f"{generation}/{name}"
    if newest is None or newest.generation != generation:
        return Problem(kind="file", where=where, what=f"It {what}; older states need it.", mend=_DROP)
    if "/_indices/" in name or name == "digests":
        return Problem(kind="file", where=where, what=f"It {what}.", mend=_COMPACT)
    other = [h for h in kept_heads(path, newest) if h.generation != generation]
    if other:
        mend = f"withgrain collection restore {other[-1].version}, then ingest again."
    else:
        mend = _AGAIN if name.startswith("documents") else f"{_MIGRATE}, which makes everything anew from the texts."
    return Problem(kind="file", where=where, what=f"It {what}.", mend=mend)


def _check_content(path: Path, head: Head) -> Found:
    """Decode and compare every row; whatever goes wrong is a problem, never an exception."""
    found = Found()
    try:
        reader = Reader(path, head)
        if head.contract.schema < SCHEMA_VERSION:
            old = f"Schema {head.contract.schema}"
            found.notes.append(f"{old}: rows are decoded, but hold nothing to compare them with. Rebuild: {_MIGRATE}")
        check_rows(reader, head, found)
        with guarded(path, "reading the text index"):
            _check_index(reader, head, found)
    except (IntegrityError, Unavailable) as error:
        found.add("unreadable", "tables", str(error).removeprefix(f"{path}: "), _AGAIN)
    except Exception as error:  # a damaged row can break any decoder
        found.add("unreadable", "tables", f"A row cannot be decoded ({type(error).__name__}: {error}).", _MIGRATE)
    return found


def _check_index(reader: Reader, head: Head, found: Found) -> None:
    rows = head.counts["chunks"]
    missing = uncovered(reader.tables)
    if needs_indexes(reader.tables, rows):
        what = f"The text index lacks {missing:,} of {rows:,} chunks, which are scanned for every question."
        found.add("text_index", "chunks", what, _COMPACT)
    elif missing:
        found.notes.append(
            f"The text index lacks {missing:,} of {rows:,} chunks; they are scanned, answers are the same."
        )
