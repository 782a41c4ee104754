"""``why_not``: at which stage a chunk fell out, and what would have brought it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import withgrain
from tests.unit.search.build import Doc, Text, collection
from withgrain.errors import UsageError
from withgrain.model import And, Compare, Not, Or
from withgrain.search import After, search
from withgrain.search.why import why_not
from withgrain.testing import HashEmbedder

KB = collection(
    [
        Doc(
            path="a.md",
            title="A",
            domain="okta",
            chunks=tuple(Text(path=("A", str(n)), body=f"reset factor {'factor ' * (9 - n)}") for n in range(6)),
        ),
        Doc(path="b.md", title="B", chunks=(Text(path=("B",), body="Nothing of that kind."),)),
        Doc(path="c.md", title="C", chunks=(Text(path=("C",), body="The ROLE_ADMIN may reset."),)),
    ]
)
IDS = {(d.path, r.chunk.ordinal): r.chunk.id for d in KB.documents() for r in KB.chunks(doc_id=d.id)}


def test_a_hit_is_a_hit() -> None:
    why = why_not(KB, "reset factor", IDS["a.md", 0], mode="lexical")
    assert (why.stage, why.matched) == ("hit", ("reset", "factor"))
    assert why.channels["lexical"][0] >= 1


def test_behind_the_hits() -> None:
    last = max((why_not(KB, "reset factor", i, k=1, mode="lexical") for i in IDS.values()), key=lambda w: w.rank or 0)
    assert last.stage == "rank"
    assert f"ask for {last.rank} hits" in last.advice[0]


def test_left_out_by_a_filter() -> None:
    where = Compare(field="domain", operator="eq", value="okta")
    assert why_not(KB, "reset", IDS["b.md", 0], where=where, mode="lexical").stage == "filter"
    assert why_not(KB, "reset path:a.md", IDS["c.md", 0], mode="lexical").stage == "filter"


def test_the_condition_that_leaves_it_out_is_named_with_what_the_chunk_has() -> None:
    """Quote: "at which stage it fell out and what would have brought it"."""
    tokens = Compare(field="tokens", operator="ge", value=9_999.0)
    domain, root = (Compare(field=f, operator="eq", value=v) for f, v in (("domain", "okta"), ("root", "none")))
    where = And(parts=(domain, tokens, Not(part=root)))
    told = why_not(KB, "reset path:b.md title:A", IDS["a.md", 1], where=where, mode="lexical").advice
    assert told[:-1] == (
        told[0],
        "The filter on document leaves it out: it has a.md.",
    )
    assert told[0].startswith("The filter on tokens leaves it out: it has ")
    either = Or(parts=(tokens, Compare(field="domain", operator="eq", value="azure")))
    assert "or" in why_not(KB, "reset", IDS["a.md", 1], where=either, mode="lexical").advice[0]


def test_proposed_by_no_channel() -> None:
    why = why_not(KB, "reset factor", IDS["b.md", 0], mode="lexical")
    assert (why.stage, why.missing) == ("candidates", ("reset", "factor"))
    assert "none of the question's words" in why.advice[1]


def test_identifiers_that_stand_first_are_named() -> None:
    why = why_not(KB, "reset ROLE_ADMIN", IDS["a.md", 1], k=1, mode="lexical")
    assert why.stage == "rank"
    assert any("literally" in a for a in why.advice)


def test_collapsed_and_unknown() -> None:
    stages = [why_not(KB, "reset factor", i, mode="lexical", after=After(collapse=True)).stage for i in IDS.values()]
    assert stages.count("collapsed") == 5
    assert why_not(KB, "reset", "nothing", mode="lexical").stage == "unknown"
    scope = Compare(field="document", operator="eq", value="b.md")
    assert why_not(KB, "reset", IDS["a.md", 0], mode="lexical", scope=scope).stage == "unknown"


AFTERS = [
    After(),
    After(collapse=True),
    After(expand="neighbours"),
    After(merge=True),
    After(diversity=0.6),
    After(diversity=1.0),
    After(collapse=True, diversity=0.9),
]


@pytest.mark.parametrize("after", AFTERS)
@pytest.mark.parametrize("k", [1, 3, 8])
def test_the_named_stage_is_what_the_search_does(after: After, k: int) -> None:
    """Quote: "at which stage it fell out": what is called a hit is one, and what is called joined is shown by one."""
    copied = Text(path=("Same",), body="How to reset a factor.")
    kb = collection(
        [
            *(Doc(path=f"copy{n}.md", title="Same", chunks=(copied,)) for n in range(4)),
            Doc(
                path="long.md",
                title="Long",
                chunks=tuple(Text(path=("Long",), body=f"Reset factor {n}.", section="s") for n in range(6)),
            ),
            Doc(path="other.md", title="Other", chunks=(Text(path=("Other",), body="Another factor."),)),
        ]
    )
    hits = {h.chunk.id: h for h in search(kb, "reset factor", k=k, mode="lexical", after=after).hits}
    for record in (r for d in kb.documents() for r in kb.chunks(doc_id=d.id)):
        why = why_not(kb, "reset factor", record.chunk.id, k=k, mode="lexical", after=after)
        if record.chunk.id in hits:
            assert (why.stage, why.rank) == ("hit", hits[record.chunk.id].rank)
        else:
            assert why.stage != "hit"
        if why.stage == "joined":
            (hit,) = (h for h in hits.values() if h.rank == why.rank)
            assert f"kb/{record.path}" in hit.copies or record.chunk.body in hit.body
        if why.stage == "diversity":
            plain = replace(after, diversity=0.0)
            again = why_not(kb, "reset factor", record.chunk.id, k=k, mode="lexical", after=plain)
            assert again.stage in ("hit", "joined") and "MMR" in why.advice[0]
        if why.stage == "collapsed":
            place = int(re.findall(r"ask then for (\d+) hits", why.advice[0])[0])
            plain = replace(after, collapse=False, diversity=0.0)
            again = why_not(kb, "reset factor", record.chunk.id, k=place, mode="lexical", after=plain)
            assert again.stage in ("hit", "joined")
        if why.stage == "rank":
            assert why.rank is not None
            if after.diversity:
                plain = replace(after, diversity=0.0)
                assert why_not(kb, "reset factor", record.chunk.id, k=k, mode="lexical", after=plain).stage == "rank"
            more = {h.chunk.id for h in search(kb, "reset factor", k=why.rank, mode="lexical", after=after).hits}
            again = why_not(kb, "reset factor", record.chunk.id, k=why.rank, mode="lexical", after=after)
            assert record.chunk.id in more or again.stage == "joined"


def test_bad_input_is_refused() -> None:
    with pytest.raises(UsageError):
        why_not(KB, "reset", IDS["a.md", 0], k=0)
    with pytest.raises(UsageError):
        why_not(KB, "", IDS["a.md", 0])


class _Dropping:
    """A reranker whose order does not matter here."""

    name = "equal"

    def scores(self, question: str, texts: Any) -> list[float]:
        return [0.0] * len(texts)


def test_words_of_the_question_are_not_advised_away_when_they_are_all_of_it() -> None:
    """Quote of the review: "It lacks legal, hold: ask without these words" when these are the whole question."""
    embedder = HashEmbedder()
    kb = collection(
        [Doc(path=f"{n}.md", title="T", chunks=(Text(path=("T",), body=f"Words {n} of a text."),)) for n in range(6)]
        + [Doc(path="hold.md", title="Hold", chunks=(Text(path=("Hold",), body="A legal hold."),))],
        embedder,
    )
    for document in kb.documents():
        (record,) = kb.chunks(doc_id=document.id)
        why = why_not(kb, "legal hold", record.chunk.id, k=1, embedder=embedder)
        told = " ".join(why.advice)
        assert "ask without these words" not in told
        assert why.stage == "hit" or "none of the question's words" in told


@pytest.mark.parametrize(
    ("part", "fields"),
    [
        (Not(part=Compare(field="domain", operator="eq", value="okta")), ["domain"]),
        (
            Or(
                parts=(
                    Compare(field="class", operator="eq", value="x"),
                    Not(part=Compare(field="document", operator="eq", value="a.md")),
                )
            ),
            ["class", "document"],
        ),
        (Not(part=And(parts=(Compare(field="root", operator="eq", value="kb"),))), ["root"]),
    ],
)
def test_every_filter_that_leaves_it_out_names_its_fields_and_what_the_chunk_has(part: Any, fields: list[str]) -> None:
    (told, _) = why_not(KB, "reset factor", IDS["a.md", 0], where=part, mode="lexical").advice
    has = {"domain": "okta", "class": "concept", "document": "a.md", "root": "kb"}
    assert all(f"its {field} is {has[field]}" in told for field in fields)


def test_what_is_shown_apart_is_said_to_be() -> None:
    where = Compare(field="domain", operator="eq", value="okta")
    found = search(KB, "reset", mode="lexical", where=where)
    assert found.apart
    for id in IDS.values():
        why = why_not(KB, "reset", id, mode="lexical", where=where)
        own = next((h for h in found.apart if h.chunk.id == id), None)
        assert (why.stage == "apart") == (own is not None)
        assert own is None or why.rank == own.rank
    behind = why_not(KB, "reset", IDS["b.md", 0], mode="lexical", where=where)
    assert "states no domain" in behind.advice[0]


def test_of_several_chunks_the_best_is_explained() -> None:
    mine = [i for (path, _), i in IDS.items() if path == "a.md"]
    hits = [h.chunk.id for h in search(KB, "reset factor", mode="lexical").hits if h.chunk.id in mine]
    why = why_not(KB, "reset factor", mine, mode="lexical")
    assert (why.chunk_id, why.stage, why.chunks) == (hits[0], "hit", 6)
    where = Not(part=Compare(field="chunk_id", operator="eq", value=hits[0]))
    assert why_not(KB, "reset factor", mine, mode="lexical", where=where).chunk_id == hits[1]
    assert why_not(KB, "reset factor", [], mode="lexical").stage == "unknown"


def test_a_reranker_changes_nothing_about_who_is_there() -> None:
    after = After(reranker=_Dropping(), collapse=True)
    stages = [why_not(KB, "reset factor", i, mode="lexical", after=after).stage for i in IDS.values()]
    assert stages.count("collapsed") == 5


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> withgrain.Library:
    place: Path = tmp_path_factory.mktemp("why")
    (place / "docs").mkdir()
    filler = " ".join(f"The marmot number {n} sleeps in its burrow." for n in range(30))
    for number in range(12):
        text = f"# Page {number}\n\n## First\n\nMarmot {number}. {filler}\n\n## Second\n\nGrass only {number}.\n"
        (place / "docs" / f"{number}.md").write_text(text)
    library = withgrain.open(place / "kb", embedder="none")
    library.ingest(place / "docs")
    return library


def test_a_path_or_a_place_in_it_is_explained(library: withgrain.Library) -> None:
    """As `get` takes them."""
    best = library.search("marmot", k=1).hits[0]
    document = best.citation.document
    assert library.why_not("marmot", document).chunk_id == best.chunk.id
    assert library.why_not("marmot", f"{document}#first").stage == "hit"
    assert library.why_not("marmot", f"{document}#second").stage in ("rank", "candidates")
    assert library.why_not("marmot", f"{document}#L{best.lines[0] if best.lines else 1}").stage == "hit"
    for unknown in ("nowhere.md", f"{document}#nowhere", "feed", ""):
        why = library.why_not("marmot", unknown)
        assert why.stage == "unknown" and why.advice


@pytest.mark.parametrize("budget", [0, 60, 400, 1500, 20_000])
def test_what_fell_out_of_a_context_is_said_to(library: withgrain.Library, budget: int) -> None:
    packed = library.pack("marmot", max_tokens=budget, k=12)
    items = {i.chunk_id: i for i in packed.items}
    left = {one.chunk_id: one for one in packed.left_out}
    for hit in library.search("marmot", k=12).hits:
        why = library.why_not("marmot", hit.chunk.id, k=12, max_tokens=budget)
        if hit.chunk.id in items:
            assert why.stage == "hit" and "in the context" in why.advice[-1]
        else:
            assert why.stage == {"budget": "budget", "duplicate": "joined"}[left[hit.chunk.id].why]
            assert why.rank == hit.rank and why.advice
