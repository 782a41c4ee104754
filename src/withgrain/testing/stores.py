"""The checks that every `withgrain.types.Store` must pass.

Derive a class in a test module and give it a fixture ``opened``: a function that opens one collection, empty at first,
again and again::

    class TestMyStore(StoreConformance):
        @pytest.fixture
        def opened(self, tmp_path):
            return lambda: my_store(tmp_path / "collection")

Answers are compared with a plain reading of the committed bundles, not with another store.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from withgrain.errors import CollectionLocked, ContractMismatch, UsageError, WithgrainError
from withgrain.model import Bundle, Change, Compare, Filter, Span
from withgrain.testing.plain_reading import assert_answers, assert_state, commit, state
from withgrain.testing.records import TERMS, bundle, bundles, contract, retired
from withgrain.types import Store, VersionedStore

Opened = Callable[[], Store]
OpenedVersioned = Callable[[], VersionedStore]


class StoreConformance:
    """See the module."""

    def test_a_new_collection_is_empty(self, opened: Opened) -> None:
        """Reading creates nothing: contract and snapshot are None until the first commit."""
        assert opened().contract() is None
        assert opened().snapshot() is None

    def test_an_empty_state_answers_nothing(self, opened: Opened) -> None:
        """An empty commit makes a state without rows; every question has an empty answer."""
        commit(opened(), finish=True)
        snapshot = opened().snapshot()
        assert opened().contract() == contract()
        assert_state(snapshot, [])
        assert snapshot is not None
        assert_answers(snapshot, [])

    def test_every_record_comes_back_exactly(self, opened: Opened) -> None:
        """What is read is what was written, field by field."""
        wanted = bundles(12)
        commit(opened(), wanted)
        assert_state(opened().snapshot(), wanted)

    def test_documents_are_listed_without_text_by_uri(self, opened: Opened) -> None:
        """`documents()` is sorted by uri and leaves text and removed characters out."""
        wanted = bundles(6)
        commit(opened(), wanted[::-1])
        snapshot = opened().snapshot()
        assert snapshot is not None
        listed = snapshot.documents()
        assert [d.uri for d in listed] == sorted(b.document.uri for b in wanted)
        assert all(d.text == "" and d.removed == () for d in listed)

    def test_chunks_come_in_the_order_asked(self, opened: Opened) -> None:
        """By id: the order asked, missing ones left out. By document: ordinal order."""
        wanted = bundles(5)
        commit(opened(), wanted)
        snapshot = opened().snapshot()
        assert snapshot is not None
        ids = [c.chunk.id for b in wanted[::-1] for c in b.chunks[::-1]]
        assert [c.chunk.id for c in snapshot.chunks(ids=[*ids[:2], "0" * 32, "it's", *ids[2:]])] == ids
        assert [c.chunk.id for c in snapshot.chunks(ids=[ids[1], ids[0], ids[1]])] == [ids[1], ids[0], ids[1]]
        assert [c.chunk_id for c in snapshot.candidates([ids[1], ids[0], ids[1]])] == [ids[1], ids[0], ids[1]]
        assert snapshot.chunks(ids=[]) == []
        assert snapshot.chunks(doc_id=wanted[0].document.id) == list(wanted[0].chunks)
        assert snapshot.chunks(doc_id="' OR 1=1 --") == []
        assert snapshot.document("nobody") is None
        assert snapshot.leaves(["nobody"]) == []

    def test_token_codes_of_chunks_whose_leaves_all_have_some(self, opened: Opened) -> None:
        """By chunk, in any order of its leaves; a chunk with a leaf that has none is left out, as if it had no leaf."""
        wanted = bundles(8)
        commit(opened(), wanted)
        snapshot = opened().snapshot()
        assert snapshot is not None
        by_chunk: dict[str, list[bytes]] = {}
        for leaf in (leaf for b in wanted for leaf in b.leaves):
            by_chunk.setdefault(leaf.chunk_id, []).append(leaf.token_codes)
        whole = {i: sorted(codes) for i, codes in by_chunk.items() if all(codes)}
        assert whole and len(whole) < len(by_chunk)
        assert {i: sorted(c) for i, c in snapshot.token_codes([*by_chunk, "nobody"]).items()} == whole
        assert snapshot.token_codes([]) == {}

    def test_answers_agree_with_a_plain_reading(self, opened: Opened) -> None:
        """Lexical, phrase, dense, statistics and facets, with and without filters, before and after `finish`."""
        wanted = bundles(25)
        commit(opened(), wanted)
        before = opened().snapshot()
        assert before is not None
        assert_answers(before, wanted)
        commit(opened(), finish=True)
        after = opened().snapshot()
        assert after is not None
        assert_answers(after, wanted)

    def test_answers_stay_right_through_edits(self, opened: Opened) -> None:
        """Rows replaced, added and deleted after the index was built are found, or no longer found, at once."""
        first = bundles(15)
        commit(opened(), first, finish=True)
        edited = [bundle(b.document.path, [TERMS[n % 20], "the statuskey=1 user"]) for n, b in enumerate(first[:5])]
        new = [bundle(f"new/{n}.md", ["@@okta:users reset the key"]) for n in range(3)]
        commit(opened(), [*edited, *new], [b.document.id for b in first[5:8]])
        wanted = [*edited, *new, *first[8:]]
        snapshot = opened().snapshot()
        assert_state(snapshot, wanted)
        assert snapshot is not None
        assert_answers(snapshot, wanted)

    def test_a_retired_id_leads_to_its_newest_successor(self, opened: Opened) -> None:
        """Chains are followed; each record tells its own place; a chain that ends in a removed text is gone."""
        live = bundle("a.md", ["one", "two"])
        last = live.chunks[0].chunk.id
        first, second = retired("1" * 32, "2" * 32, path="it's.md", span=Span(start=3, end=9)), retired("2" * 32, last)
        lost, gone = retired("3" * 32, "4" * 32), retired("4" * 32, None)
        with opened().writer(contract()) as writer:
            writer.commit(Change(upsert=(live,), retire=(first, lost)))
            writer.commit(Change(retire=(second, gone)))
            assert writer.snapshot().retired(["1" * 32])[0].successor == last
        snapshot = opened().snapshot()
        assert snapshot is not None
        assert_state(snapshot, [live])
        assert snapshot.retired(["2" * 32, "nobody", "1" * 32, "' OR 1=1 --"]) == [
            second,
            replace(first, successor=last),
        ]
        assert snapshot.retired(["3" * 32, "4" * 32]) == [replace(lost, successor=None, reason="gone"), gone]
        assert snapshot.retired([last]) == [] and snapshot.retired([]) == []

    def test_a_retired_id_that_lives_again_is_not_retired(self, opened: Opened) -> None:
        """Whether it comes back with the same change or with a later one; a later record replaces an earlier one."""
        live = bundle("a.md", ["one", "two"])
        back, doc = live.chunks[0].chunk.id, live.document.id
        with opened().writer(contract()) as writer:
            writer.commit(Change(retire=(retired(back, None), retired(doc, None), retired("1" * 32, None))))
            old = opened().snapshot()
            writer.commit(Change(upsert=(live,), retire=(retired(live.chunks[1].chunk.id, None),)))
            again = writer.commit(Change(retire=(retired("1" * 32, back),)))
            same = writer.commit(Change(retire=(retired("1" * 32, back),)))
        assert again.version == same.version
        snapshot = opened().snapshot()
        assert snapshot is not None and old is not None
        assert [r.id for r in old.retired([back, doc])] == [back, doc]
        assert snapshot.retired([doc, *(c.chunk.id for c in live.chunks)]) == []
        assert [r.successor for r in snapshot.retired(["1" * 32])] == [back]

    def test_an_upsert_replaces_the_whole_document(self, opened: Opened) -> None:
        """No chunk or leaf of the old version stays."""
        commit(opened(), [bundle("a.md", ["one two", "three", "four"])])
        new = bundle("a.md", ["three"], seed=1)
        commit(opened(), [new])
        assert_state(opened().snapshot(), [new])

    def test_equal_rows_are_not_written_again(self, opened: Opened) -> None:
        """A commit of what is stored writes nothing and makes no new state; an edit writes its own rows only."""
        wanted = bundle("a.md", ["one", "two", "three"])
        with opened().writer(contract()) as writer:
            first = writer.commit(Change(upsert=(wanted,)))
            again = writer.commit(Change(upsert=(wanted,)))
            assert (again.version, again.chunks_written, again.leaves_written, again.documents_written) == (
                (first.version, 0, 0, 0)
            )
            longer = Bundle(document=wanted.document, chunks=wanted.chunks[:2], leaves=wanted.leaves)
            kept = {c.chunk.id for c in longer.chunks}
            leaves = tuple(leaf for leaf in wanted.leaves if leaf.chunk_id in kept)
            less = writer.commit(
                Change(upsert=(Bundle(document=wanted.document, chunks=longer.chunks, leaves=leaves),))
            )
            assert (less.chunks_written, less.chunks_removed, less.documents_written) == (0, 1, 0)
            assert less.leaves_removed == len(wanted.leaves) - len(leaves)
            assert less.version > again.version

    def test_leaves_without_a_vector_are_pending(self, opened: Opened) -> None:
        """A document waits until all of its leaves have their vectors."""
        made = [bundle(f"{n}.md", ["one", "two", "three"]) for n in range(4)]
        made = [replace(b, leaves=tuple(leaf for leaf in b.leaves if leaf.vector)) for b in made]
        bare = [replace(b, leaves=(replace(b.leaves[0], vector=()), *b.leaves[1:])) for b in made[:2]]
        commit(opened(), [*bare, *made[2:]])
        snapshot = opened().snapshot()
        assert snapshot is not None and snapshot.pending() == sorted(b.document.id for b in bare)
        commit(opened(), made, finish=True)
        snapshot = opened().snapshot()
        assert snapshot is not None and snapshot.pending() == []

    def test_delete_removes_document_chunks_and_leaves(self, opened: Opened) -> None:
        """Deleting is by document; an unknown id is no error; upsert wins over delete in one change."""
        first = bundles(4)
        commit(opened(), first)
        with opened().writer(contract()) as writer:
            gone = writer.commit(Change(delete=(first[0].document.id, "nobody", first[0].document.id)))
            assert (gone.documents_removed, gone.chunks_removed) == (1, len(first[0].chunks))
            writer.commit(Change(upsert=(first[1],), delete=(first[1].document.id,)))
        assert_state(opened().snapshot(), first[1:])

    def test_an_old_snapshot_answers_as_before(self, opened: Opened) -> None:
        """One consistent state: later commits and `finish` do not change it."""
        first = bundles(8)
        commit(opened(), first)
        old = opened().snapshot()
        assert old is not None
        for n in range(8):
            other = bundle(first[n].document.path, [f"changed {n} the"], seed=9)
            commit(opened(), [other], finish=True)
        assert_state(old, first)
        assert_answers(old, first)
        newest = opened().snapshot()
        assert newest is not None and newest.version > old.version

    def test_a_writer_sees_its_own_commits(self, opened: Opened) -> None:
        """`Writer.snapshot` is the state after the last commit, empty before the first."""
        with opened().writer(contract()) as writer:
            assert set(writer.snapshot().count().values()) == {0}
            wanted = bundle("a.md", ["one"])
            result = writer.commit(Change(upsert=(wanted,)))
            assert_state(writer.snapshot(), [wanted])
            assert writer.snapshot().version == result.version

    def test_there_is_one_writer(self, opened: Opened) -> None:
        """A second writer is refused while the first lives, and admitted after it."""
        store = opened()
        with store.writer(contract()):
            assert isinstance(_failure(lambda: opened().writer(contract())), CollectionLocked)
        with store.writer(contract()):
            pass

    def test_a_closed_writer_writes_nothing(self, opened: Opened) -> None:
        """After `close`, commit is a usage error; closing twice is none."""
        writer = opened().writer(contract())
        writer.close()
        writer.close()
        assert isinstance(_failure(lambda: writer.commit(Change())), UsageError)
        assert isinstance(_failure(writer.finish), UsageError)

    def test_another_contract_is_refused_for_writing_only(self, opened: Opened) -> None:
        """The message names the field that differs; the lock stays free; reading goes on."""
        commit(opened(), [bundle("a.md", ["one"])])
        error = _failure(lambda: opened().writer(contract(policy="fixed@test")))
        assert isinstance(error, ContractMismatch)
        assert "policy" in str(error) and "fixed@test" in str(error) and "tokenizer" not in str(error)
        assert opened().snapshot() is not None
        with opened().writer(contract()):
            pass

    def test_a_contradictory_change_is_refused_whole(self, opened: Opened) -> None:
        """Twice the same document, a chunk of another, a vector of another length: nothing is written."""
        good, other = bundle("a.md", ["one"]), bundle("b.md", ["two"])
        mixed = Bundle(document=good.document, chunks=other.chunks)
        short = Bundle(document=good.document, chunks=good.chunks, leaves=bundle("a.md", ["one"], dims=3).leaves)
        for upsert in ((good, good), (other, mixed), (other, short)):
            with opened().writer(contract()) as writer:
                assert isinstance(_failure(lambda u=upsert, w=writer: w.commit(Change(upsert=u))), UsageError)  # type: ignore[misc]
            assert opened().snapshot() is None

    def test_questions_without_meaning_are_usage_errors(self, opened: Opened) -> None:
        """An unknown field, a wrong operator or type, a vector of another length."""
        commit(opened(), [bundle("a.md", ["one"])])
        snapshot = opened().snapshot()
        assert snapshot is not None
        wrong: tuple[Filter, ...] = (
            Compare(field="nonsense", operator="eq", value="x"),
            Compare(field="labels", operator="lt", value="x"),
            Compare(field="quality", operator="eq", value="x"),
            Compare(field="title", operator="in", value="x"),
        )
        for where in wrong:
            assert isinstance(_failure(lambda w=where: snapshot.lexical(["one"], w, 5)), UsageError)  # type: ignore[misc]
            assert isinstance(_failure(lambda w=where: snapshot.statistics(["one"], w)), UsageError)  # type: ignore[misc]
        assert isinstance(_failure(lambda: snapshot.facets("nonsense", None)), UsageError)
        assert isinstance(_failure(lambda: snapshot.dense((1.0,), None, 5)), UsageError)

    def test_strange_terms_are_terms_like_others(self, opened: Opened) -> None:
        """No character of a term means anything to the engine; terms with white space match nothing."""
        strange = [
            "a'b",
            '"',
            "\\",
            "%",
            "_",
            "*",
            "a*",
            "AND",
            "-x",
            "+",
            "(",
            "a:b",
            "~1",
            "^2",
            "\0",
            "é",
            "\u2028",
            "𝄞",
        ]
        wanted = [bundle(f"{n}.md", [f"{term} filler"]) for n, term in enumerate(strange)]
        commit(opened(), wanted)
        commit(opened(), [], finish=True)
        snapshot = opened().snapshot()
        assert snapshot is not None
        for term, found in zip(strange, wanted, strict=True):
            ids = {c.chunk.id for c in found.chunks if term in c.terms.split(" ")}
            assert {i for i, _ in snapshot.lexical([term], None, 100)} == ids, repr(term)
            assert snapshot.statistics([term], None).frequencies[term] == len(ids), repr(term)
            assert set(snapshot.phrase([term, "filler"], None, 100)) == ids, repr(term)
        assert snapshot.lexical(["a b", "", " "], None, 100) == []
        assert snapshot.lexical([], None, 100) == []

    def test_a_reader_sees_whole_states_while_a_writer_runs(self, opened: Opened) -> None:
        """Every state that a reader opens is one that was committed: both documents of the same round."""
        rounds, failures = 12, []
        stop = threading.Event()

        def read() -> None:
            while not stop.is_set():
                try:
                    found = state(opened().snapshot())
                    bodies = {c.chunk.body for b in found.values() for c in b.chunks}
                    if len(found) not in (0, 2) or len(bodies) > 1:
                        failures.append(f"{len(found)} documents, {bodies}")
                except Exception as error:  # whatever it is, the test must tell it
                    failures.append(repr(error))

        thread = threading.Thread(target=read)
        thread.start()
        try:
            for n in range(rounds):
                commit(opened(), [bundle("a.md", [f"round {n}"]), bundle("b.md", [f"round {n}"])], finish=n % 4 == 3)
        finally:
            stop.set()
            thread.join()
        assert not failures, failures[:3]


class VersionedStoreConformance:
    """The checks for `withgrain.types.VersionedStore`; give it a fixture ``kept``, as ``opened`` above."""

    def test_a_run_keeps_its_last_state(self, kept: OpenedVersioned) -> None:
        """The history lists the last state of each of the last five runs that wrote, oldest first, newest included."""
        assert kept().history() == []
        for run in range(7):
            with kept().writer(contract()) as writer:
                for step in range(2):
                    writer.commit(Change(upsert=(bundle("a.md", [f"run {run} step {step}"]),)))
        history = kept().history()
        versions = [s.version for s in history]
        newest = kept().snapshot()
        assert newest is not None and versions == sorted(versions) and versions[-1] == newest.version
        for run, state_ in zip(range(2, 7), history, strict=True):
            old = kept().snapshot(state_.version)
            assert_state(old, [bundle("a.md", [f"run {run} step 1"])])
            assert old is not None and state_.counts == old.count() and state_.contract == contract().fingerprint
            assert state_.time.endswith("+00:00")

    def test_what_is_not_kept_is_a_usage_error_that_names_what_is(self, kept: OpenedVersioned) -> None:
        """Also for `restore`; an empty collection has no states."""
        assert isinstance(_failure(lambda: kept().restore(1)), UsageError)
        commit(kept(), [bundle("a.md", ["one"])])
        for wrong in (0, 99):
            error = _failure(lambda v=wrong: kept().snapshot(v))  # type: ignore[misc]
            assert isinstance(error, UsageError) and "Kept: 1" in str(error)
            assert isinstance(_failure(lambda v=wrong: kept().restore(v)), UsageError)  # type: ignore[misc]

    def test_restore_makes_an_old_state_the_newest(self, kept: OpenedVersioned) -> None:
        """As a new state: the one that was newest stays in the history; writing goes on from what was restored."""
        first, second = bundles(4), bundle("docs/0000.md", ["second"])
        commit(kept(), first)
        with kept().writer(contract()) as writer:
            writer.commit(Change(upsert=(second,), delete=(first[1].document.id,), retire=(retired("1" * 32, None),)))
            assert isinstance(_failure(lambda: kept().restore(1)), CollectionLocked)
        made = kept().restore(1)
        assert_state(kept().snapshot(), first)
        newest = kept().snapshot()
        assert newest is not None and newest.version == made.version == 3 and newest.retired(["1" * 32]) == []
        assert_answers(newest, first)
        assert [s.version for s in kept().history()] == [1, 2, 3]
        commit(kept(), [bundle("new.md", ["three"])], finish=True)
        assert_state(kept().snapshot(), [*first, bundle("new.md", ["three"])])
        assert_state(kept().snapshot(2), [second, *first[2:]])

    def test_forget_leaves_nothing(self, kept: OpenedVersioned) -> None:
        """No state has the document, its name as a copy, or a retired id that leads to it; the rest is as it was."""
        secret, other = bundle("secret.md", ["hidden one", "hidden two"]), bundle("other.md", ["seen"])
        named = Bundle(
            document=replace(other.document, copies=(secret.document.uri, "root/third.md")),
            chunks=other.chunks,
            leaves=other.leaves,
        )
        chain = (retired("1" * 32, "2" * 32), retired("2" * 32, secret.chunks[0].chunk.id), retired("3" * 32, None))
        commit(kept(), [secret])
        with kept().writer(contract()) as writer:
            writer.commit(Change(upsert=(named,), retire=chain))
        kept().forget([secret.document.id, "nobody"])
        left = Bundle(
            document=replace(named.document, copies=("root/third.md",)), chunks=named.chunks, leaves=named.leaves
        )
        snapshot = kept().snapshot()
        assert_state(snapshot, [left])
        assert snapshot is not None
        assert_answers(snapshot, [left])
        assert [r.id for r in snapshot.all_retired()] == ["3" * 32]
        assert [s.version for s in kept().history()] == [snapshot.version]


def _failure(action: Callable[[], object]) -> WithgrainError | None:
    try:
        action()
    except WithgrainError as error:
        return error
    return None
