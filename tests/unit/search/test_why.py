"""``why_not``: at which stage a chunk fell out, and what would have brought it."""

from __future__ import annotations

import pytest

from tests.unit.search.build import Doc, Text, collection
from withgrain.errors import UsageError
from withgrain.model import And, Compare, Not, Or
from withgrain.search import After, search
from withgrain.search.why import why_not

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
    assert why_not(KB, "reset", IDS["c.md", 0], where=where, mode="lexical").stage == "filter"
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


@pytest.mark.parametrize("after", [After(), After(collapse=True), After(expand="neighbours"), After(merge=True)])
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
        if why.stage == "rank":
            assert why.rank is not None
            more = {h.chunk.id for h in search(kb, "reset factor", k=why.rank, mode="lexical", after=after).hits}
            again = why_not(kb, "reset factor", record.chunk.id, k=why.rank, mode="lexical", after=after)
            assert record.chunk.id in more or again.stage == "joined"


def test_bad_input_is_refused() -> None:
    with pytest.raises(UsageError):
        why_not(KB, "reset", IDS["a.md", 0], k=0)
    with pytest.raises(UsageError):
        why_not(KB, "", IDS["a.md", 0])
