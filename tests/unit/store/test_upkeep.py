"""Going back, tidying, forgetting and rebuilding a collection on disk."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from withgrain.errors import ContractMismatch, IntegrityError, Unavailable, UsageError
from withgrain.model import Change
from withgrain.store import open_store, upkeep
from withgrain.store.head import read_head
from withgrain.store.lance import LanceStore
from withgrain.testing.plain_reading import assert_answers, assert_state, commit
from withgrain.testing.records import bundle, bundles, contract


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where the collection is."""
    return tmp_path / "collection"


def _bytes(place: Path) -> bytes:
    return b"".join(f.read_bytes() for f in sorted(place.rglob("*")) if f.is_file())


def test_forgotten_bytes_are_on_the_disk_no_more(place: Path) -> None:
    """Every file of the directory is searched: ids, path and words of the document are in none of them."""
    word = "xq7mysecretword"
    secret = bundle("people/alice.md", [f"{word} and {n} more {word}x{n}" for n in range(5)])
    commit(open_store(place), [secret, *bundles(6)], finish=True)
    commit(open_store(place), [bundle("people/alice.md", [f"{word} again"])])
    needles = [word.encode(), b"people/alice.md", secret.document.id.encode()]
    assert all(n in _bytes(place) for n in needles), "what is searched for must be findable before"
    LanceStore(place).forget([secret.document.id])
    left = _bytes(place)
    assert not [n for n in needles if n in left]
    assert_state(open_store(place).snapshot(), bundles(6))


def test_a_reader_of_an_old_state_delays_forgetting(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest state is done at once; the files go with the reader, when the command is given again."""
    monkeypatch.setattr(upkeep, "PATIENCE", 0.2)
    secret = bundle("secret.md", ["hidden"])
    commit(open_store(place), [secret, *bundles(2)])
    reader = open_store(place).snapshot()
    with pytest.raises(Unavailable, match="another process reads an older state"):
        LanceStore(place).forget([secret.document.id])
    assert_state(open_store(place).snapshot(), bundles(2))
    assert reader is not None
    assert_state(reader, [secret, *bundles(2)])
    del reader
    LanceStore(place).forget([secret.document.id])
    assert secret.document.id.encode() not in _bytes(place)


def test_forgetting_on_a_full_disk_says_what_is_done_and_can_be_repeated(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody may take a half-done removal for none, or for a whole one."""
    secret = bundle("secret.md", ["hidden"])
    commit(open_store(place), [secret, *bundles(2)])

    def full(*_: object, **__: object) -> None:
        raise Unavailable("no space left while compacting.")

    with monkeypatch.context() as patch, pytest.raises(Unavailable, match="not from the disk: run the same command"):
        patch.setattr("withgrain.store.writer.LanceWriter.compact", full)
        LanceStore(place).forget([secret.document.id])
    assert_state(open_store(place).snapshot(), bundles(2))
    LanceStore(place).forget([secret.document.id])
    assert secret.document.id.encode() not in _bytes(place)


def test_compaction_on_demand_frees_what_older_states_hold(place: Path) -> None:
    """Without the history the space goes at once; the answers stay."""
    for n in range(6):
        commit(open_store(place), [bundle("a.md", [f"round {n} {'word ' * 400}"] * 1), *bundles(5)], finish=True)
    wanted = [bundle("a.md", [f"round 5 {'word ' * 400}"]), *bundles(5)]
    before = len(_bytes(place))
    LanceStore(place).compact()
    assert len(LanceStore(place).history()) == 5
    LanceStore(place).compact(history=False)
    assert len(_bytes(place)) < before and len(list(place.glob("g*"))) == 1
    snapshot = open_store(place).snapshot()
    assert_state(snapshot, wanted)
    assert snapshot is not None and len(LanceStore(place).history()) == 1
    assert_answers(snapshot, wanted)


def test_a_damaged_head_is_restored_from_the_history(place: Path) -> None:
    """`restore` works when nothing else does."""
    commit(open_store(place), bundles(3))
    commit(open_store(place), [bundle("a.md", ["one"])])
    (place / "head.json").write_text("{")
    with pytest.raises(IntegrityError, match="collection restore"):
        open_store(place).snapshot()
    assert [s.version for s in LanceStore(place).history()] == [1, 2]
    LanceStore(place).restore(2)
    assert_state(open_store(place).snapshot(), [*bundles(3), bundle("a.md", ["one"])])


def test_an_older_schema_is_not_rewritten(old_place: Path) -> None:
    """Compaction and forgetting would mix schemas: the message names `withgrain migrate`."""
    for action in (lambda s: s.compact(), lambda s: s.forget(["x"])):
        with pytest.raises(ContractMismatch, match="withgrain migrate"):
            action(LanceStore(old_place))


def test_nothing_to_keep(place: Path) -> None:
    """An empty place has nothing to compact, forget or restore."""
    for action in (lambda s: s.compact(), lambda s: s.forget(["x"]), lambda s: s.restore(1)):
        with pytest.raises(UsageError):
            action(LanceStore(place))


def test_a_rebuild_is_seen_when_it_is_whole(place: Path) -> None:
    """Readers see the old state, under the old contract, until the swap; both stay in the history."""
    other = contract(dims=3, policy="fixed@test")
    commit(open_store(place), bundles(4))
    new = [bundle(b.document.path, ["made anew"], dims=3) for b in bundles(4)]
    with LanceStore(place).rebuild(other) as writer:
        old = writer.old()
        assert_state(old, bundles(4))
        writer.commit(Change(upsert=tuple(new[:2])))
        writer.commit(Change(upsert=tuple(new[2:])))
        assert_state(open_store(place).snapshot(), bundles(4))
        writer.swap()
        assert_state(open_store(place).snapshot(), new)
    assert open_store(place).contract() == other
    assert_state(open_store(place).snapshot(1), bundles(4))
    assert [s.version for s in LanceStore(place).history()] == [1, 2]
    with open_store(place).writer(other) as after:
        after.commit(Change(delete=(new[0].document.id,)))
    assert_state(open_store(place).snapshot(), new[1:])
    LanceStore(place).restore(1)
    assert open_store(place).contract() == contract()


def test_a_rebuild_that_fails_or_is_left_changes_nothing(place: Path) -> None:
    """The half-made generation goes with the next writer."""
    commit(open_store(place), bundles(4))
    with LanceStore(place).rebuild(contract(policy="other@1")) as writer:
        writer.commit(Change(upsert=(bundle("half.md", ["half"]),)))
    with LanceStore(place).rebuild(contract(policy="other@1")) as writer, pytest.raises(UsageError):
        broken = bundle("b.md", ["x"])
        writer.commit(Change(upsert=(broken, broken)))
    assert_state(open_store(place).snapshot(), bundles(4))
    with open_store(place).writer(contract()):
        assert len(list(place.glob("g*"))) == 1


_REBUILD = """
import sys
from pathlib import Path
from withgrain.model import Change
from withgrain.store.lance import LanceStore
from withgrain.testing.records import bundle, contract
with LanceStore(Path(sys.argv[1])).rebuild(contract(policy="other@1")) as writer:
    print("started", flush=True)
    for n in range(12):
        writer.commit(Change(upsert=tuple(bundle(f"{n}/{m}.md", ["made anew"]) for m in range(3))))
        print(n, flush=True)
    writer.swap()
    print("swapped", flush=True)
"""


@pytest.mark.slow
def test_a_killed_rebuild_leaves_the_old_state(place: Path) -> None:
    """SIGKILL at random moments: the old state or, after the swap, the new one; never a mixture."""
    random_ = random.Random(3)
    wanted, new = bundles(4), [bundle(f"{n}/{m}.md", ["made anew"]) for n in range(12) for m in range(3)]
    commit(open_store(place), wanted)
    for _ in range(3):
        command = [sys.executable, "-c", _REBUILD, str(place)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            for _ in range(random_.randrange(1, 12)):
                process.stdout.readline()
            time.sleep(random_.random() * 0.05)
            os.kill(process.pid, signal.SIGKILL)
        snapshot = open_store(place).snapshot()
        assert snapshot is not None
        whole = snapshot.contract.policy == "other@1"
        assert_state(snapshot, new if whole else wanted)
        if whole:
            LanceStore(place).restore(1)
    with open_store(place).writer(replace(contract())):
        head = read_head(place)
        assert head is not None and head.generation == "g000001"
