"""Seeded damage to a real collection, and what comes of it: ``python -m tests.unit.store.corrupting 200``.

Every case copies the collection, damages one file in one way, and then lets two processes of their own look at it: one
asks everything, one verifies. They are forked from a process that has loaded the engine and not used it.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from withgrain.errors import WithgrainError
from withgrain.model import Change, Compare
from withgrain.store import open_store
from withgrain.store.verify import verify
from withgrain.testing.records import TERMS, bundle, bundles, contract, retired

_KINDS = ("flip", "flip many", "zero", "truncate", "empty", "delete", "grow", "swap")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What was done to which file, and what came of it.

    Attributes:
        seed: Of the case.
        kind: How the file was damaged.
        file: Which file.
        answers: ``same``, ``error`` (one of ours), ``other`` (answers differ), or how the process died.
        found: What `verify` said: ``clean``, ``problems``, ``error`` (one of ours), or how the process died.
    """

    seed: int
    kind: str
    file: str
    answers: str
    found: str

    @property
    def good(self) -> bool:
        """Whether damage that changes an answer is reported, and nothing ended otherwise than it may."""
        reported = self.found in ("problems", "error")
        return self.answers in ("same", "error", "other") and (
            reported or (self.answers, self.found) == ("same", "clean")
        )


def make(place: Path) -> None:
    """Fill a collection: several commits, an index, rows behind the index, deleted rows, retired ids."""
    with open_store(place).writer(contract()) as writer:
        writer.commit(Change(upsert=tuple(bundles(20))))
        writer.finish()
    with open_store(place).writer(contract()) as writer:
        gone = bundles(20)[3].document.id
        writer.commit(Change(upsert=(bundle("new.md", ["the new statuskey=1"]),), delete=(gone,)))
        writer.commit(Change(retire=(retired(gone, None),)))


def ask(place: Path) -> str:
    """Return all answers of a collection, as one text; whether rows are found in another order does not matter."""
    snapshot = open_store(place).snapshot()
    assert snapshot is not None
    documents = snapshot.documents()
    chunks = [c for d in documents for c in snapshot.chunks(doc_id=d.id)]
    ids = sorted(c.chunk.id for c in chunks)
    where = Compare(field="class", operator="eq", value="runbook")
    found: list[Any] = [documents, [snapshot.document(d.id) for d in documents], chunks, snapshot.leaves(ids)]
    found += [
        list(snapshot.candidates(ids, TERMS)),
        snapshot.count(),
        snapshot.document_vectors(),
        snapshot.all_retired(),
    ]
    for term in TERMS:
        found.append([(i, round(score, 4)) for i, score in snapshot.lexical([term], None, 1000)])
    for filter_ in (None, where):
        found += [snapshot.statistics(TERMS, filter_).frequencies, snapshot.phrase(["the", "user"], filter_, 1000)]
        found += [snapshot.facets("class", filter_), snapshot.lexical(["key"], filter_, 1000)]
        found.append([(c, round(score, 4)) for c, _, score in snapshot.dense([0.3, -1.0, 0.5, 0.2], filter_, 1000)])
    return repr(found)


def damage(place: Path, seed: int) -> tuple[str, str]:
    """Damage one file; return how, and which."""
    choice = random.Random(seed)
    files = sorted(f for f in place.rglob("*") if f.is_file() and f.name != "lock")
    # As often by kind of file as by size: small lists decide as much as large tables.
    groups: dict[str, list[Path]] = {}
    for file in files:
        groups.setdefault(file.parent.name + file.suffix, []).append(file)
    file = choice.choice(choice.choice(list(groups.values())))
    kind = choice.choice(_KINDS)
    data = bytearray(file.read_bytes())
    if kind == "delete":
        file.unlink()
    elif kind == "swap":
        other = choice.choice([f for f in files if f != file])
        file.write_bytes(other.read_bytes())
    else:
        file.write_bytes(_damaged(data, kind, choice))
    return kind, file.relative_to(place).as_posix()


def _damaged(data: bytearray, kind: str, choice: random.Random) -> bytes:
    size = len(data)
    if kind == "grow" or not size:
        return bytes(data) + choice.randbytes(64)
    if kind == "truncate":
        return bytes(data[: choice.randrange(size)])
    if kind == "empty":
        return b""
    if kind == "zero":
        start = choice.randrange(size)
        data[start : start + 64] = bytes(len(data[start : start + 64]))
        return bytes(data)
    for _ in range(1 if kind == "flip" else 16):
        data[choice.randrange(size)] ^= 1 << choice.randrange(8)
    return bytes(data)


def apart(action: Callable[[], str]) -> str:
    """Run an action in a forked process; return what it returns, or how it ended."""
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the engine is loaded, but was never used here
        child = os.fork()
    if child == 0:
        os.close(read)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 2)  # the engine tells of its panics there
        try:
            result = {"is": action()}
        except WithgrainError as error:
            result = {"error": str(error)}
        except BaseException as error:  # exactly what must not happen: it is told to the parent
            result = {"died": f"{type(error).__name__}: {error}"}
        with os.fdopen(write, "w") as out:
            json.dump(result, out)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        text = answer.read()
    _, status = os.waitpid(child, 0)
    return text if status == 0 and text else json.dumps({"died": f"status {status}"})


def cases(place: Path, seeds: range) -> Iterator[Case]:
    """Damage copies of the collection at ``place``, one a seed."""
    import lancedb  # noqa: F401  # loaded once, for all children

    whole = json.loads(apart(lambda: ask(place)))
    assert "is" in whole and whole == json.loads(apart(lambda: ask(place))), "the questions have no fixed answers"
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / place.name
            shutil.copytree(place, copy)
            kind, file = damage(copy, seed)
            answer = json.loads(apart(lambda copy=copy: ask(copy)))  # type: ignore[misc]
            found = json.loads(apart(lambda copy=copy: "problems" if verify(copy).problems else "clean"))  # type: ignore[misc]
        answers = answer.get("died") or ("error" if "error" in answer else "same" if answer == whole else "other")
        yield Case(
            seed=seed,
            kind=kind,
            file=file,
            answers=answers,
            found=found.get("died") or ("error" if "error" in found else found["is"]),
        )


def main(count: int) -> int:
    """Print what came of ``count`` cases; return 1 when one of them is not as it must be."""
    outcomes: Counter[tuple[str, str]] = Counter()
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "collection"
        if os.fork() == 0:  # the parent must not use the engine before it forks
            make(place)
            os._exit(0)
        os.wait()
        for case in cases(place, range(count)):
            outcomes[case.answers, case.found] += 1
            if not case.good:
                bad.append(case)
                print(case)
    for (answers, found), number in sorted(outcomes.items()):
        print(f"{number:5}  answers: {answers:<8}  verify: {found}")
    print(f"{count} corruptions, {len(bad)} not as they must be")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
