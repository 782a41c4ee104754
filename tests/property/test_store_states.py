"""Any sequence of commits, deletions, reopenings and tidying leaves what a dictionary would hold."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from withgrain.model import Bundle, Change
from withgrain.store import compact, memory_store, open_store
from withgrain.testing.records import bundle, contract
from withgrain.testing.stores import assert_answers, assert_state
from withgrain.types import Snapshot, Store, Writer

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
        self.held: list[tuple[Snapshot, list[Bundle]]] = []

    def open(self) -> Store:
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

    @rule()
    def finish(self) -> None:
        """Changes no answer."""
        self.writer.finish()

    @rule()
    def reopen(self) -> None:
        """What was committed is there again."""
        self.writer.close()
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
        assert_state(self.open().snapshot(), list(self.wanted.values()))

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

    def open(self) -> Store:
        """Return the one object."""
        return self.store


class OnDisk(Collection):
    """LanceDB in a directory of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp())

    def open(self) -> Store:
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
