"""The collection on disk: what the head file, the lock, the generations and the error messages promise."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from withgrain.errors import CollectionLocked, IntegrityError, SchemaTooNew, Unavailable, UsageError, WithgrainError
from withgrain.model import SCHEMA_VERSION, Bundle, Change
from withgrain.store import compact, open_store
from withgrain.store.head import KEPT_STATES, read_head
from withgrain.store.writer import LanceWriter
from withgrain.testing.plain_reading import assert_answers, assert_state, commit, state
from withgrain.testing.records import bundle, bundles, contract


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return where the collection is made."""
    return tmp_path / "collection"


@pytest.fixture
def filled(place: Path) -> Path:
    """Return a collection of two states."""
    commit(open_store(place), [bundle("a.md", ["one"])])
    commit(open_store(place), [bundle("b.md", ["two"])])
    return place


def _bytes(place: Path) -> int:
    return sum(file.stat().st_size for file in place.rglob("*") if file.is_file())


# Places.


def test_reading_creates_nothing(place: Path) -> None:
    """A directory appears with the first writer, never by looking."""
    store = open_store(place)
    assert store.contract() is None and store.snapshot() is None
    assert not place.exists()


def test_a_file_is_no_collection(tmp_path: Path) -> None:
    """A usage error that says so."""
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(UsageError, match="this is a file"):
        open_store(file)
    with pytest.raises(UsageError, match="a file stands in the way"):
        open_store(file / "below").writer(contract())


@pytest.mark.parametrize("name", ["with space", "with#hash", "100%25", "it's", "ünï文", "a:b", "?q=1", "..x"])
def test_the_name_of_the_directory_means_nothing(tmp_path: Path, name: str) -> None:
    """A path is a path, not a URL."""
    wanted = [bundle("a.md", ["one"])]
    commit(open_store(tmp_path / name), wanted, finish=True)
    assert_state(open_store(tmp_path / name).snapshot(), wanted)
    assert [p.name for p in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["n" * 300, "a\0b", "k\udcff"])
def test_a_path_that_cannot_be_is_a_usage_error(tmp_path: Path, name: str) -> None:
    """Too long, with a NUL, not UTF-8: said before anything is read or written, never as damage."""
    with pytest.raises(UsageError):
        open_store(tmp_path / name)


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="NOT TESTED: no file system here that takes no directories")
def test_a_place_that_takes_no_directory_is_not_called_damaged() -> None:
    with pytest.raises(Unavailable, match="no directory can be made"):
        open_store(Path("/proc/nowhere/kb")).writer(contract())


def test_a_head_that_is_no_regular_file_is_damage(filled: Path) -> None:
    """A pipe or a folder in the place of the head: said at once, nothing is waited for."""
    for make in (os.mkfifo, os.mkdir):
        (filled / "head.json").unlink()
        make(filled / "head.json")
        with pytest.raises(IntegrityError, match="head file is damaged"):
            open_store(filled).snapshot()
        (filled / "head.json").rename(filled / f"old-{make.__name__}")
        (filled / "head.json").touch()


def test_a_lost_lease_is_named(filled: Path) -> None:
    """Backups leave out empty files: the message names the one that is missing, and restoring it is enough."""
    head = read_head(filled)
    assert head is not None
    (filled / head.generation / "lease").unlink()
    with pytest.raises(IntegrityError, match=f"{head.generation}/lease is missing"):
        open_store(filled).snapshot()
    (filled / head.generation / "lease").touch()
    assert open_store(filled).snapshot() is not None


def test_a_place_without_permission_is_unavailable(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 5, not a traceback (the system's refusal is simulated: root may write everywhere)."""

    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(Unavailable, match="no permission"):
        open_store(place).writer(contract())


def test_a_head_without_permission_is_not_called_damaged(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is told to repair what is only forbidden."""

    def refuse(*_: Any, **__: Any) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", refuse)
    with pytest.raises(Unavailable, match="no permission for reading the head"):
        open_store(filled).snapshot()


def test_a_lexical_collection_has_no_leaves_table(place: Path) -> None:
    """Without vectors (``dims`` 0) everything but dense search works."""
    words = contract(dims=0)
    wanted = bundle("a.md", ["one two"], dims=0)
    with open_store(place).writer(words) as writer:
        writer.commit(Change(upsert=(wanted,)))
        writer.finish()
    snapshot = open_store(place).snapshot()
    assert snapshot is not None
    assert not list(place.glob("*/leaves.lance"))
    assert snapshot.leaves([wanted.chunks[0].chunk.id]) == [] and snapshot.dense((), None, 5) == []
    assert snapshot.count() == {"documents": 1, "chunks": 1, "leaves": 0, "vectors": 0}
    assert [i for i, _ in snapshot.lexical(["two"], None, 5)] == [wanted.chunks[0].chunk.id]


def test_lone_surrogates_come_back(place: Path) -> None:
    """JSON can make texts that UTF-8 cannot hold; they are stored all the same, exactly."""
    wanted = bundle("a.md", ["odd \ud800 body", "plain"])
    wanted = replace(wanted, document=replace(wanted.document, title="t\udfff", meta={"k\ud801": "\ud802"}))
    commit(open_store(place), [wanted], finish=True)
    assert_state(open_store(place).snapshot(), [wanted])


def test_the_engine_is_silent(tmp_path: Path) -> None:
    """Nothing on stdout or stderr, whatever is done."""
    script = (
        "import sys\nfrom pathlib import Path\nfrom withgrain.store import open_store\n"
        "from withgrain.testing.plain_reading import assert_answers, commit\n"
        "from withgrain.testing.records import bundles\n"
        "store = open_store(Path(sys.argv[1]))\ncommit(store, bundles(9), finish=True)\n"
        "commit(store, bundles(3, seed=1), finish=True)\nassert store.snapshot().lexical(['the'], None, 5)\n"
    )
    command = [sys.executable, "-W", "error::ResourceWarning", "-c", script, str(tmp_path / "c")]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


# Damage.


def _newer(place: Path) -> None:
    head = json.loads((place / "head.json").read_text())
    head["state"]["schema"] = SCHEMA_VERSION + 1
    head["state"]["contract"] = {"something": "else"}
    (place / "head.json").write_text(json.dumps(head))


def _flip(place: Path) -> None:
    text = (place / "head.json").read_text()
    (place / "head.json").write_text(text.replace('"version": 2', '"version": 1'))


@pytest.mark.parametrize(
    ("damage", "error", "says"),
    [
        (_newer, SchemaTooNew, f"schema {SCHEMA_VERSION + 1}.*pip install --upgrade"),
        (_flip, IntegrityError, "head file is damaged.*collection history"),
        (lambda p: (p / "head.json").write_text("{"), IntegrityError, "head file is damaged"),
        (lambda p: (p / "head.json").write_text("[" * 100_000), IntegrityError, "head file is damaged"),
        (lambda p: (p / "head.json").write_text("[]"), IntegrityError, "head file is damaged"),
        (lambda p: (p / "head.json").write_bytes(b"\xff\xfe\0"), IntegrityError, "head file is damaged"),
        (lambda p: (p / "head.json").unlink(), IntegrityError, "head file is damaged"),
    ],
)
def test_a_head_that_cannot_be_used(
    filled: Path, damage: Callable[[Path], None], error: type[WithgrainError], says: str
) -> None:
    """Readers and writers say what happened and what to do, and the lock stays free."""
    damage(filled)
    for action in (lambda: open_store(filled).contract(), lambda: open_store(filled).snapshot()):
        with pytest.raises(error, match=says):
            action()
    for _ in range(2):
        with pytest.raises(error, match=says):
            open_store(filled).writer(contract())


@pytest.mark.parametrize("table", ["documents", "chunks", "leaves"])
def test_a_missing_table_is_an_integrity_error(filled: Path, table: str) -> None:
    """It names the directory that is missing."""
    shutil.rmtree(next(filled.glob(f"g*/{table}.lance")))
    with pytest.raises(IntegrityError, match=f"{table}.lance is missing"):
        open_store(filled).snapshot()
    with pytest.raises(IntegrityError, match=f"{table}.lance is missing"):
        open_store(filled).writer(contract())


@pytest.mark.parametrize("what", ["data", "_versions"])
@pytest.mark.parametrize("table", ["documents", "chunks", "leaves"])
@pytest.mark.parametrize("how", ["cut", "empty", "gone", "noise"])
def test_damaged_files_never_end_in_an_error_of_the_engine(filled: Path, table: str, what: str, how: str) -> None:
    """Whatever is asked of a damaged collection, the error is one of ours, or the answer is right."""
    wanted = [bundle("a.md", ["one"]), bundle("b.md", ["two"])]
    for file in filled.glob(f"g*/{table}.lance/{what}/*"):
        size = file.stat().st_size
        if how == "gone":
            file.unlink()
        elif how == "noise":
            file.write_bytes(os.urandom(size))
        else:
            os.truncate(file, size // 2 if how == "cut" else 0)
    try:
        snapshot = open_store(filled).snapshot()
        assert_state(snapshot, wanted)
    except IntegrityError as error:
        assert str(filled) in str(error)
    try:
        with open_store(filled).writer(contract()) as writer:
            writer.commit(Change(upsert=(bundle("a.md", ["other"]),)))
    except IntegrityError as error:
        assert str(filled) in str(error)


def test_a_lost_head_comes_back_from_the_history(filled: Path) -> None:
    """What the message tells the user to do works."""
    (filled / "head.json").write_text("{")
    shutil.copy(max((filled / "history").iterdir()), filled / "head.json")
    assert_state(open_store(filled).snapshot(), [bundle("a.md", ["one"]), bundle("b.md", ["two"])])


# Failures while writing.


def _fail_once(monkeypatch: pytest.MonkeyPatch, target: str, error: BaseException) -> None:
    """Let a function of the writer fail the next time it is called."""
    import withgrain.store.writer as module

    owner: Any = module
    *path, name = target.split(".")
    for step in path:
        owner = getattr(owner, step)
    original = getattr(owner, name)

    def failing(*args: Any, **named: Any) -> Any:
        monkeypatch.setattr(owner, name, original)
        raise error

    monkeypatch.setattr(owner, name, failing)


@pytest.mark.parametrize("target", ["publish", "engine.flush", "LanceWriter._publish"])
@pytest.mark.parametrize("kind", ["full", "interrupt"])
def test_a_failure_after_the_rows_were_written(
    filled: Path, monkeypatch: pytest.MonkeyPatch, target: str, kind: str
) -> None:
    """The old state stands; the same writer, and the next one, go on from it."""
    before = [bundle("a.md", ["one"]), bundle("b.md", ["two"])]
    error = OSError(28, "No space left on device") if kind == "full" else KeyboardInterrupt()
    with open_store(filled).writer(contract()) as writer:
        _fail_once(monkeypatch, target, error)
        with pytest.raises((Unavailable, OSError, KeyboardInterrupt)):
            writer.commit(Change(upsert=(bundle("a.md", ["lost"]), bundle("c.md", ["lost"]))))
        assert_state(open_store(filled).snapshot(), before)
        assert_state(writer.snapshot(), before)
        writer.commit(Change(upsert=(bundle("d.md", ["kept"]),)))
    wanted = [*before, bundle("d.md", ["kept"])]
    assert_state(open_store(filled).snapshot(), wanted)
    commit(open_store(filled), finish=True)
    snapshot = open_store(filled).snapshot()
    assert snapshot is not None
    assert_answers(snapshot, wanted)


def test_tables_that_are_ahead_of_the_head_are_brought_back(filled: Path) -> None:
    """Rows that a killed writer left behind do not come back with the next commit."""
    old = (filled / "head.json").read_text()
    commit(open_store(filled), [bundle("a.md", ["abandoned"]), bundle("x.md", ["abandoned"])])
    (filled / "head.json").write_text(old)  # as if the process had died before publishing
    assert_state(open_store(filled).snapshot(), [bundle("a.md", ["one"]), bundle("b.md", ["two"])])
    commit(open_store(filled), [bundle("c.md", ["three"])])
    assert_state(
        open_store(filled).snapshot(), [bundle("a.md", ["one"]), bundle("b.md", ["two"]), bundle("c.md", ["three"])]
    )


_FULL = """
import resource, signal, sys
from pathlib import Path
from withgrain.errors import Unavailable
from withgrain.model import Change
from withgrain.store import open_store
from withgrain.testing.records import bundles, contract
import lancedb
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with open_store(Path(sys.argv[1])).writer(contract(dims=64)) as writer:
    writer.commit(Change(upsert=tuple(bundles(3, dims=64))))
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
    try:
        writer.commit(Change(upsert=tuple(bundles(60, seed=1, dims=64))))
        print("committed")
    except Unavailable as error:
        print(error)
    try:
        writer.commit(Change(upsert=tuple(bundles(60, seed=1, dims=64))))
        print("committed")
    except Unavailable as error:
        print(error)
"""


@pytest.mark.slow
@pytest.mark.parametrize("limit", [0, 3000, 30_000])
def test_no_space_leaves_the_old_data_intact(tmp_path: Path, limit: int) -> None:
    """A write that the system refuses is `Unavailable`; the old state stands and can be written again."""
    place = tmp_path / "collection"
    command = [sys.executable, "-c", _FULL, str(place), str(limit)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("no space left") == 2, run.stdout
    assert_state(open_store(place).snapshot(), bundles(3, dims=64))
    with open_store(place).writer(contract(dims=64)) as writer:
        writer.commit(Change(upsert=tuple(bundles(60, seed=1, dims=64))))
    assert_state(open_store(place).snapshot(), bundles(60, seed=1, dims=64))


@pytest.mark.parametrize("target", ["engine.flush", "build_indexes", "publish"])
def test_a_compaction_that_fails_costs_nothing(filled: Path, monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    """The old generation stays the newest; the next `finish` tries again; nothing half-made stays behind."""
    monkeypatch.setattr(compact, "MOST_COMMITS", 0)
    wanted = [bundle("a.md", ["one"]), bundle("b.md", ["two"])]
    with open_store(filled).writer(contract()) as writer:
        _fail_once(monkeypatch, target, OSError(28, "No space left on device"))
        with pytest.raises(Unavailable, match="no space left"):
            writer.finish()
        assert_state(open_store(filled).snapshot(), wanted)
        writer.finish()
        assert_state(writer.snapshot(), wanted)
    with open_store(filled).writer(contract()):
        pass
    head = read_head(filled)
    assert head is not None
    assert {p.name for p in filled.glob("g*")} == {"g000001", head.generation}


# Locks between processes.

_HOLD = """
import sys
from pathlib import Path
from withgrain.store.lock import WriterLock
lock = WriterLock(Path(sys.argv[1]) / "lock")
print("held", flush=True)
sys.stdin.read()
"""


def test_the_lock_names_its_owner_and_dies_with_it(filled: Path) -> None:
    """A live process keeps others out and is named; a killed one does not."""
    command = [sys.executable, "-c", _HOLD, str(filled)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "held\n"
        with pytest.raises(CollectionLocked, match=f"process {process.pid} on ") as caught:
            open_store(filled).writer(contract())
        assert caught.value.exit_code == 5
        assert open_store(filled).snapshot() is not None
        process.kill()
    with open_store(filled).writer(contract()):
        pass


def test_a_lock_file_that_was_left_behind_locks_nothing(filled: Path) -> None:
    """What stands in the file is information only."""
    (filled / "lock").write_text('{"pid": 1, "host": "elsewhere", "since": "2020"}')
    with open_store(filled).writer(contract()):
        pass
    assert (filled / "lock").read_text() == ""


# Space, history, generations.


@pytest.mark.slow
def test_the_disk_does_not_grow_without_bound(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty commits of one document, each finished: at most the kept states' worth of garbage."""
    monkeypatch.setattr(compact, "SLACK_BYTES", 200_000)
    monkeypatch.setattr(compact, "MOST_UNCOVERED", 2)
    wanted = {n: bundle(f"{n}.md", [f"text {n} {'word ' * 200}"] * 3, dims=4) for n in range(20)}
    commit(open_store(place), list(wanted.values()), finish=True)
    sizes = []
    for n in range(30):
        wanted[n % 20] = bundle(f"{n % 20}.md", [f"edit {n} {'word ' * 200}"] * 3)
        commit(open_store(place), [wanted[n % 20]], finish=True)
        sizes.append(_bytes(place))
    assert max(sizes[15:]) <= 1.5 * max(sizes[:15]), sizes
    assert len(list((place / "history").iterdir())) == KEPT_STATES
    assert len(list(place.glob("g*"))) <= 2 and not (place / "g000001").exists()
    assert_state(open_store(place).snapshot(), list(wanted.values()))


def test_compaction_spares_what_a_reader_or_a_kept_state_needs(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A generation goes when neither the history nor a living snapshot names it."""
    first = bundles(6)
    commit(open_store(place), first)
    reader = open_store(place).snapshot()
    monkeypatch.setattr(compact, "MOST_COMMITS", 0)
    newest: list[Bundle] = []
    for n in range(KEPT_STATES + 2):
        newest = [*first[1:], bundle("docs/0000.md", [f"edit {n}"])]
        commit(open_store(place), newest, finish=True)
        head = read_head(place)
        assert head is not None
        for file in (place / "history").iterdir():
            assert (place / json.loads(file.read_text())["state"]["generation"]).is_dir()
    assert (place / "g000001").is_dir()
    assert reader is not None
    assert_state(reader, first)
    assert_answers(reader, first)
    del reader
    commit(open_store(place), [bundle("docs/0000.md", ["last"])], finish=True)
    assert not (place / "g000001").exists()
    assert_state(open_store(place).snapshot(), [*first[1:], bundle("docs/0000.md", ["last"])])


def test_the_text_index_covers_every_row_after_finish(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`finish` indexes what is above the bound; rows below it are found by scanning."""
    monkeypatch.setattr(compact, "MOST_UNCOVERED", 3)
    with open_store(place).writer(contract()) as writer:
        assert isinstance(writer, LanceWriter)
        writer.commit(Change(upsert=tuple(bundles(10))))
        assert compact.uncovered(writer._tables) == sum(len(b.chunks) for b in bundles(10))
        writer.finish()
        assert compact.uncovered(writer._tables) == 0
        version = writer.snapshot().version
        writer.commit(Change(upsert=(bundle("new.md", ["unindexed statuskey=9"]),)))
        writer.finish()
        assert compact.uncovered(writer._tables) == 1, "one row is not worth a new index"
        assert [i for i, _ in writer.snapshot().lexical(["statuskey=9"], None, 5)]
        writer.finish()
        assert writer.snapshot().version == version + 1, "nothing to do makes no new state"


def test_indexes_of_ids_change_no_answer(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Large tables index their ids; rows that are not in the index are found all the same."""
    monkeypatch.setattr(compact, "INDEXED_FROM", 1)
    monkeypatch.setattr(compact, "MOST_UNCOVERED", 0)
    first = bundles(20)
    commit(open_store(place), first, finish=True)
    monkeypatch.setattr(compact, "MOST_UNCOVERED", 1000)
    edited = [bundle(b.document.path, ["the edited statuskey=1"], seed=3) for b in first[:4]]
    commit(open_store(place), edited, [first[5].document.id], finish=True)
    wanted = [*edited, first[4], *first[6:]]
    snapshot = open_store(place).snapshot()
    assert_state(snapshot, wanted)
    assert snapshot is not None
    assert_answers(snapshot, wanted)


# Readers in other processes.

_READ = """
import sys
from pathlib import Path
from withgrain.store import open_store
from withgrain.testing.plain_reading import state
import lancedb
print("ready", flush=True)
store, seen = open_store(Path(sys.argv[1])), set()
while len(seen) < 1000 and not Path(sys.argv[2]).exists():
    snapshot = store.snapshot()
    found = state(snapshot)
    bodies = {c.chunk.body for b in found.values() for c in b.chunks}
    hits = snapshot.lexical(["round"], None, 10)
    assert len(found) == 3 and len(bodies) == 1 and len(hits) == 3, (len(found), bodies, hits)
    seen |= bodies
print(len(seen))
"""


@pytest.mark.slow
def test_a_reader_in_another_process_sees_whole_states(place: Path, tmp_path: Path) -> None:
    """It reads while a writer commits, indexes and compacts: all documents of one round, or of the next."""
    stop = tmp_path / "stop"

    def round_of(n: int) -> list[Bundle]:
        return [bundle(f"{name}.md", [f"round {n}"]) for name in "abc"]

    commit(open_store(place), round_of(0))
    command = [sys.executable, "-c", _READ, str(place), str(stop)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stderr
        assert process.stdout.readline() == "ready\n"
        with pytest.MonkeyPatch.context() as patch, open_store(place).writer(contract()) as writer:
            patch.setattr(compact, "MOST_COMMITS", 3)
            for n in range(1, 31):
                writer.commit(Change(upsert=tuple(round_of(n))))
                if n % 5 == 0:
                    writer.finish()
        stop.touch()
        rest, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert int(rest) > 1, "the reader saw one state only: the test has proved nothing"
    assert len(state(open_store(place).snapshot())) == 3
