"""After ranking: rerank, diversify, collapse; lists whole, expand, merge, fold copies; what states no domain apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from tests.unit.search.build import Doc, Text, collection
from withgrain.errors import Unavailable, UsageError
from withgrain.model import And, ChunkRecord, Compare, Hit, Or
from withgrain.search import After, search
from withgrain.search.after.order import diversified
from withgrain.types import Snapshot

STEPS = [f"{n}. Step {n} turns the {word} valve." for n, word in enumerate(("red", "blue", "green", "white"), 1)]
DOCS = (
    Doc(
        path="valves.md",
        title="Valves",
        domain="plant",
        chunks=(
            Text(path=("Valves", "Why"), body="Valves stick.", section="why"),
            Text(path=("Valves", "Steps"), body="\n".join(STEPS[:2]), end="item", section="steps"),
            Text(path=("Valves", "Steps"), body="\n".join(STEPS[2:]), start="item", section="steps"),
            Text(path=("Valves", "After"), body="Write the valve into the log.", section="after"),
        ),
    ),
    Doc(
        path="pumps.md",
        title="Pumps",
        domain="plant",
        chunks=(
            Text(path=("Pumps", "A"), body="A pump feeds the green valve.", section="p"),
            Text(path=("Pumps", "A"), body="A pump feeds the green valve too, and more.", section="p"),
        ),
    ),
    Doc(path="notes.md", title="Notes", chunks=(Text(path=("Notes",), body="The green valve has no domain."),)),
    Doc(path="sea.md", title="Sea", domain="sea", chunks=(Text(path=("Sea",), body="The green valve of the ship."),)),
)
PLANT = Compare(field="domain", operator="eq", value="plant")


@pytest.fixture(scope="module")
def kb() -> Snapshot:
    return collection(DOCS)


def found(kb: Snapshot, query: str, after: After | None = None, k: int = 10) -> tuple[Hit, ...]:
    return search(kb, query, mode="lexical", k=k, after=after).hits


def document_text(kb: Snapshot, hit: Hit) -> str:
    document = kb.document(hit.chunk.doc_id)
    assert document is not None
    return document.text


def test_an_ordered_list_that_was_cut_is_returned_whole(kb: Snapshot) -> None:
    """Quote: "ordered lists returned whole"."""
    hits = found(kb, "step green white")
    assert hits[0].body == "\n".join(STEPS)
    assert hits[0].lines == (2, 5)
    assert hits[0].citation.link == "valves.md#L2-L5"
    assert hits[0].span is not None
    assert hits[0].span.of(document_text(kb, hits[0])) == hits[0].body
    assert sum("Step 1" in h.body for h in hits) == 1
    assert [h.rank for h in hits] == list(range(1, len(hits) + 1))
    cut = found(kb, "step green white", After(lists=False))
    assert cut[0].body == "\n".join(STEPS[2:])


def test_a_piece_of_a_list_further_down_stays_a_piece() -> None:
    """A list that only happens to be found takes no room from the hits around it; one of the first five is whole."""
    steps = Doc(
        path="steps.md",
        chunks=(
            Text(path=("Steps",), body="\n".join(STEPS[:2]), end="item", section="s"),
            Text(path=("Steps",), body="\n".join(STEPS[2:]), start="item", section="s"),
        ),
    )
    for better, whole in ((4, True), (5, False)):
        others = [Doc(path=f"{n}.md", chunks=(Text(body=f"Green green {n}."),)) for n in range(better)]
        hits = found(collection((*others, steps)), "green", k=20)
        assert ("Step 1" in hits[better].body) is whole and "Step 3" in hits[better].body


def test_neighbours_are_added_and_what_touches_becomes_one(kb: Snapshot) -> None:
    hits = found(kb, "log", After(expand="neighbours", lists=False))
    assert hits[0].body == "\n".join((*STEPS[2:], DOCS[0].chunks[3].body))
    everything = found(kb, "valve valves log step", After(expand="neighbours"))
    assert sum(h.citation.document == "valves.md" for h in everything) == 1


def test_a_wide_hit_that_begins_under_another_heading_names_it(kb: Snapshot) -> None:
    """Its own text stands below its heading: without it, it would read as a part of the cited section."""
    (hit, *_) = found(kb, "log", After(expand="neighbours", lists=False))
    assert hit.citation.heading_path == ("Valves", "After")
    assert hit.text == f"Steps\n{hit.body}"
    (whole, *_) = found(kb, "blue", After(expand="section", lists=False))
    assert whole.text == whole.body


def test_expansion_to_the_section(kb: Snapshot) -> None:
    hits = found(kb, "blue", After(expand="section", lists=False))
    assert hits[0].body == "\n".join(STEPS)


def test_hits_that_cover_their_section_become_the_section(kb: Snapshot) -> None:
    """Quote: "auto-merge"."""
    hits = found(kb, "pump feeds", After(merge=True))
    assert [h.citation.document for h in hits] == ["pumps.md"]
    assert hits[0].body.count("A pump") == 2
    assert len(found(kb, "pump feeds")) == 2


def test_a_document_is_represented_by_its_best_chunk_with_a_count(kb: Snapshot) -> None:
    """Quote: "collapse by document (best chunk represents, count shown)"."""
    hits = found(kb, "green valve pump", After(collapse=True))
    assert sorted(h.citation.document for h in hits) == ["notes.md", "pumps.md", "sea.md", "valves.md"]
    assert {h.citation.document: h.same_document for h in hits}["pumps.md"] == 2


def test_copies_are_folded_and_named() -> None:
    """Quote: "copies folded"; equal bodies under different headings are different texts."""
    same = Text(path=("Same",), body="Equal words.")
    kb = collection(
        [Doc(path=p, title="Same", chunks=(same,)) for p in ("a.md", "b.md", "c.md")]
        + [Doc(path="d.md", title="Other", chunks=(Text(path=("Other",), body="Equal words."),))]
    )
    hits = found(kb, "equal words")
    assert len(hits) == 2
    folded = next(h for h in hits if h.copies)
    assert {folded.citation.document, *(c.removeprefix("kb/") for c in folded.copies)} == {"a.md", "b.md", "c.md"}


def test_folded_copies_make_room_for_others() -> None:
    """``k`` hits are asked for and there are as many: copies that were folded are no reason for fewer."""
    same = Text(path=("Same",), body="Equal words.")
    kb = collection(
        [Doc(path=f"c{n:02}.md", title="Same", chunks=(same,)) for n in range(30)]
        + [Doc(path=f"d{n}.md", title=f"D{n}", chunks=(Text(path=(f"D{n}",), body=f"{n} words."),)) for n in range(4)]
    )
    assert len(found(kb, "equal words", k=5)) == 5
    assert len(found(kb, "equal words", k=6)) == 5


def test_among_two_hundred_copies_k_hits_come_back() -> None:
    same = Text(path=("Same",), body="Equal words.")
    kb = collection(
        [Doc(path=f"c{n:03}.md", title="Same", chunks=(same,)) for n in range(190)]
        + [Doc(path=f"d{n}.md", title=f"D{n}", chunks=(Text(path=(f"D{n}",), body=f"{n} words."),)) for n in range(8)]
    )
    hits = found(kb, "equal words", k=8)
    assert len(hits) == 8
    assert len(hits[0].copies) == 189


def test_the_same_section_twice_in_one_document_is_two_hits() -> None:
    same = Text(path=("Same",), body="Equal words.")
    twice = Doc(path="twice.md", title="Same", chunks=(same, same))
    hits = found(collection([twice, Doc(path="z.md", title="Same", chunks=(same,))]), "equal words")
    assert [h.citation.document for h in hits] == ["twice.md", "twice.md"]
    assert [h.copies for h in hits] == [("kb/z.md",), ()]


def test_of_chunks_that_are_copies_none_is_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole chunks are dear: those of the hits are read, and no others."""
    same = Text(path=("Same",), body="Equal words.")
    kb = collection(
        [Doc(path=f"c{n:02}.md", title="Same", chunks=(same,)) for n in range(30)]
        + [Doc(path=f"d{n}.md", title=f"D{n}", chunks=(Text(path=(f"D{n}",), body=f"{n} words."),)) for n in range(30)]
    )
    read: list[str] = []
    chunks = kb.chunks

    def counting(*, ids: Sequence[str] | None = None, doc_id: str | None = None) -> list[ChunkRecord]:
        read.extend(ids or ())
        return chunks(ids=ids, doc_id=doc_id)

    monkeypatch.setattr(kb, "chunks", counting)
    hits = found(kb, "equal words", k=10)
    assert len(hits) == 10
    assert sorted(read) == sorted(h.chunk.id for h in hits)


def test_diversity_moves_back_what_is_alike(kb: Snapshot) -> None:
    first = [h.citation.document for h in found(kb, "pump feeds green valve")]
    assert first[:2] == ["pumps.md", "pumps.md"]
    diverse = [h.citation.document for h in found(kb, "pump feeds green valve", After(diversity=0.7))]
    assert diverse[0] == "pumps.md"
    assert diverse[1] != "pumps.md"
    assert diversified(kb, [("x", 1.0)], 0.5, 10) == [("x", 1.0)]


def test_a_breath_of_diversity_changes_no_order_but_of_what_is_alike() -> None:
    """MMR weighs likeness against worth: towards 0 the order of the ranking stays, whatever made it."""
    many = tuple(Text(path=(f"S{n}",), body=f"valve {'word' * n} " * (60 - n), section=str(n)) for n in range(1, 60))
    kb = collection([Doc(path="many.md", title="Many", chunks=many)])
    for reranker in (None, Reverse()):
        plain, diverse = (
            found(kb, "valve", After(reranker=reranker, diversity=share, lists=False), k=59) for share in (0.0, 1e-9)
        )
        assert [h.chunk.id for h in diverse] == [h.chunk.id for h in plain]
        scores = [h.score for h in plain]
        assert scores == sorted(scores, reverse=True)


def test_diversity_leaves_what_stands_first_for_its_identifier() -> None:
    ranking = [("literal", 0.1), ("a", 3.0), ("b", 2.0)]
    assert diversified(collection(DOCS), ranking, 1e-9, 3) == ranking


def test_diversity_is_bounded_however_many_hits_are_asked_for() -> None:
    ranking = [(str(n), float(-n)) for n in range(3_000)]
    assert diversified(collection(DOCS), ranking, 0.5, 3_000)[400:] == ranking[400:]


class Reverse:
    name = "reverse"

    def __init__(self) -> None:
        self.texts: list[str] = []

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        self.texts = list(texts)
        return [float(n) for n in range(len(texts))]


def test_a_reranker_reads_title_path_and_text_and_reorders(kb: Snapshot) -> None:
    reranker = Reverse()
    fused = [h.chunk.id for h in found(kb, "green valve", After(lists=False))]
    again = search(
        kb, "green valve", mode="lexical", after=After(reranker=reranker, rerank_weight=float("inf"), lists=False)
    )
    assert [h.chunk.id for h in again.hits] == fused[::-1]
    assert any(t.startswith("Pumps › A\nA pump") for t in reranker.texts)
    assert again.trace["after"]["reranker"] == "reverse"
    assert all("rerank" in h.channels for h in again.hits)


@pytest.mark.parametrize(
    "answer",
    [
        [],
        [1.0],
        [float("nan")] * 20,
        [10**400] * 20,
        [1e308, -1e308] * 10,
        ["no"] * 20,
        [[1.0]] * 20,
        None,
        5,
        Unavailable("nobody answers"),
        ZeroDivisionError("division by zero"),
        MemoryError(),
    ],
)
def test_a_reranker_that_fails_changes_nothing_but_the_notice(kb: Snapshot, answer: Any) -> None:
    """A reranker may be anybody's code: what it raises or returns ends in no traceback."""

    class Broken:
        name = "broken"

        def scores(self, question: str, texts: Sequence[str]) -> list[float]:
            if isinstance(answer, Exception):
                raise answer
            return answer[: len(texts)] if isinstance(answer, list) else answer

    results = search(kb, "green valve", mode="lexical", after=After(reranker=Broken()))
    assert [h.chunk.id for h in results.hits] == [h.chunk.id for h in found(kb, "green valve")]
    assert "broken" in results.trace["notices"][0]


@pytest.mark.parametrize("numbers", [lambda n: iter(range(n)), lambda n: numpy.arange(n, dtype="float32")])
def test_scores_of_any_kind_of_number_become_plain_ones(kb: Snapshot, numbers: Any) -> None:
    class Kind:
        name = "kind"

        def scores(self, question: str, texts: Sequence[str]) -> Any:
            return numbers(len(texts))

    hits = search(kb, "green valve", mode="lexical", after=After(reranker=Kind())).hits
    assert {type(score) for hit in hits for score in (hit.score, hit.channels["rerank"][1])} == {float}


def test_chunks_without_a_domain_are_reported_apart(kb: Snapshot) -> None:
    """Quote: "chunks without a domain are reported apart"."""
    for where in (PLANT, And(parts=(PLANT, Compare(field="quality", operator="ge", value=0)))):
        results = search(kb, "green valve ship sea domain", mode="lexical", where=where)
        assert {h.citation.document for h in results.hits} == {"valves.md", "pumps.md"}
        assert [h.citation.document for h in results.apart] == ["notes.md"]
    assert search(kb, "green valve", mode="lexical").apart == ()
    either = Or(parts=(PLANT, Compare(field="kind", operator="eq", value="normal")))
    assert search(kb, "green valve", mode="lexical", where=either).apart == ()
    written = search(kb, "green valve domain:sea", mode="lexical")
    assert [h.citation.document for h in (*written.hits, *written.apart)] == ["sea.md", "notes.md"]


@pytest.mark.parametrize(
    "wrong", [{"expand": "all"}, {"diversity": 1.5}, {"diversity": -1}, {"reranked": 0}, {"rerank_weight": -1.0}]
)
def test_settings_that_mean_nothing_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        After(**wrong)  # type: ignore[arg-type]


def test_a_hit_tells_what_matched(kb: Snapshot) -> None:
    hit = found(kb, "green valve")[0]
    assert list(hit.matched) == ["green", "valv"]
    assert sum(hit.matched.values()) == pytest.approx(hit.channels["lexical"][1])


def test_roots_are_named_where_there_are_several() -> None:
    """Quote: "citations … with root": equal paths in two roots can be told apart."""
    text = (Text(path=("Doc",), body="The pump."), Text(path=("Doc", "B"), body="The other."))
    both = [Doc(path="doc.md", root=root, title=f"Doc {root}", chunks=text) for root in ("one", "two")]
    cited = [h.citation for h in found(collection(both), "pump", k=2)]
    assert sorted(str(c) for c in cited) == ["one/doc.md › Doc, line 1", "two/doc.md › Doc, line 1"]
    assert sorted(c.link for c in cited) == ["one/doc.md#L1", "two/doc.md#L1"]
    assert str(found(collection(both[:1]), "pump")[0].citation) == "doc.md › Doc, line 1"
