"""Any sequence of commits, deletions, retirements, returns, forgetting and tidying leaves what a dictionary would."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from withgrain.model import Bundle, Change, RetiredRecord
from withgrain.store import compact, memory_store, open_store
from withgrain.testing.plain_reading import assert_answers, assert_state
from withgrain.testing.records import bundle, contract, retired
from withgrain.types import Snapshot, VersionedStore, Writer

_NAMES = st.sampled_from(["a.md", "b.md", "c.md", "d.md"])
_TEXTS = st.lists(
    st.sampled_from(["the user", "reset the account", "statuskey=1", "it's 文档", "the the"]), max_size=3, unique=True
)
_BUNDLES = st.builds(lambda name, texts, seed: bundle(name, texts, seed=seed), _NAMES, _TEXTS, st.integers(0, 1))


class Collection(RuleBasedStateMachine):
    """A store beside a dictionary of what it should hold."""

    def __init__(self) -> None:
        super().__init__()
        self.wanted: dict[str, Bundle] = {}
        self.gone: dict[str, RetiredRecord] = {}
        self.kept: dict[int, tuple[dict[str, Bundle], dict[str, RetiredRecord]]] = {}
        self.held: list[tuple[Snapshot, list[Bundle]]] = []

    def open(self) -> VersionedStore:
        """Open the collection anew."""
        raise NotImplementedError

    @initialize()
    def start(self) -> None:
        """Begin with an empty state."""
        self.writer: Writer = self.open().writer(contract())
        self.writer.commit(Change())

    @rule(upsert=st.lists(_BUNDLES, max_size=3, unique_by=lambda b: b.document.id), delete=st.lists(_NAMES, max_size=2))
    def commit(self, upsert: list[Bundle], delete: list[str]) -> None:
        """Deletions first, then whole documents."""
        gone = [bundle(name, []).document.id for name in delete]
        self.writer.commit(Change(upsert=tuple(upsert), delete=tuple(gone)))
        for doc_id in gone:
            self.wanted.pop(doc_id, None)
        self.wanted.update({b.document.id: b for b in upsert})
        self.live_again(upsert)

    def live_again(self, upsert: list[Bundle]) -> None:
        """What is brought (back) is not retired."""
        for b in upsert:
            for i in (b.document.id, *(c.chunk.id for c in b.chunks)):
                self.gone.pop(i, None)

    @rule(old=_NAMES, new=st.none() | _NAMES)
    def retire(self, old: str, new: str | None) -> None:
        """The id of a document ends, whether it was ever there or not; a living one goes with the same step."""
        record = retired(bundle(old, []).document.id, new and bundle(new, []).document.id)
        self.writer.commit(Change(retire=(record,), delete=(record.id,)))
        self.wanted.pop(record.id, None)
        self.gone[record.id] = record

    @rule()
    def finish(self) -> None:
        """Changes no answer."""
        self.writer.finish()

    @rule()
    def reopen(self) -> None:
        """What was committed is there again, and the state that the run leaves is kept."""
        self.writer.close()
        newest = self.open().snapshot()
        assert newest is not None
        self.kept[newest.version] = (dict(self.wanted), dict(self.gone))
        self.writer = self.open().writer(contract())

    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        """An older state of a whole run becomes the newest again; every kept one is still what it was."""
        self.reopen()
        self.writer.close()
        versions = [s.version for s in self.open().history() if s.version in self.kept]
        for version in versions:
            assert_state(self.open().snapshot(version), list(self.kept[version][0].values()))
        chosen = data.draw(st.sampled_from(versions))
        self.open().restore(chosen)
        self.wanted, self.gone = (dict(part) for part in self.kept[chosen])  # type: ignore[assignment]
        self.writer = self.open().writer(contract())

    @rule(name=_NAMES)
    def forget(self, name: str) -> None:
        """No kept state has the document, or an id that leads to it."""
        self.writer.close()
        self.held = []
        i = bundle(name, []).document.id
        names = {i, *(c.chunk.id for c in self.wanted[i].chunks)} if i in self.wanted else {i}
        while more := {o for o, r in self.gone.items() if o not in names and names & {r.doc_id, r.successor}}:
            names |= more
        self.open().forget([i])
        self.wanted.pop(i, None)
        self.gone = {o: r for o, r in self.gone.items() if o not in names}
        assert len(self.open().history()) == 1
        self.writer = self.open().writer(contract())

    @rule()
    def hold(self) -> None:
        """Keep a state to look at later."""
        snapshot = self.open().snapshot()
        assert snapshot is not None
        self.held = [*self.held[-2:], (snapshot, list(self.wanted.values()))]

    @invariant()
    def the_newest_state_is_the_dictionary(self) -> None:
        """For readers and for the writer."""
        newest = self.open().snapshot()
        assert_state(newest, list(self.wanted.values()))
        assert newest is not None and {r.id: r for r in newest.all_retired()} == self.gone

    def teardown(self) -> None:
        """Every state that was held still answers as it did."""
        for snapshot, wanted in self.held:
            assert_state(snapshot, wanted)
        newest = self.open().snapshot()
        assert newest is not None
        assert_answers(newest, list(self.wanted.values()))
        self.writer.close()


class InMemory(Collection):
    """The reference."""

    def __init__(self) -> None:
        super().__init__()
        self.store = memory_store()

    def open(self) -> VersionedStore:
        """Return the one object."""
        return self.store


class OnDisk(Collection):
    """LanceDB in a directory of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp())

    def open(self) -> VersionedStore:
        """Open the directory anew."""
        return open_store(self.place / "collection")

    def teardown(self) -> None:
        """Also remove the directory."""
        super().teardown()
        self.held = []
        shutil.rmtree(self.place)


def test_memory() -> None:
    """The reference against a dictionary."""
    run_state_machine_as_test(InMemory, settings=settings(max_examples=30, stateful_step_count=12, deadline=None))  # type: ignore[no-untyped-call]


@pytest.mark.slow
def test_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The collection on disk against a dictionary; compaction and indexing at almost every opportunity."""
    monkeypatch.setattr(compact, "MOST_COMMITS", 3)
    monkeypatch.setattr(compact, "MOST_UNCOVERED", 1)
    run_state_machine_as_test(OnDisk, settings=settings(max_examples=6, stateful_step_count=10, deadline=None))  # type: ignore[no-untyped-call]
