"""Hits are widened inside what may be seen, never over each other, and nothing that was found is lost by it."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.search.build import Doc, Text, collection
from withgrain.model import And, Compare, Filter, Hit, Not, Or, Span
from withgrain.search import After, search
from withgrain.search.domain import domain_condition
from withgrain.search.scoped import scoped
from withgrain.store.matching import matches
from withgrain.types import Snapshot

OKTA = Compare(field="domain", operator="eq", value="OKTA")
ENTRA = Compare(field="domain", operator="eq", value="ENTRA")
GOOD = Compare(field="quality", operator="ge", value=50)

TEXTS = st.builds(
    Text,
    body=st.sampled_from(["1. Turn the pump.\n2. Turn it back.", "3. Stop the pump.", "The pump.\n\nIt stops.", "No."]),
    path=st.sampled_from([("A",), ("A", "B"), ("C",)]),
    start=st.sampled_from(["item", "item", "section"]),
    end=st.sampled_from(["item", "item", "section"]),
    section=st.sampled_from(["one", "one", "two", ""]),
    domain=st.sampled_from(["OKTA", "OKTA", "OKTA", "ENTRA", ""]),
    quality=st.sampled_from([60, 60, 60, 40]),
    ahead=st.sampled_from(["", "", "\n", "## Head\n", "Beside.\n"]),
)
AFTERS = st.builds(
    After, expand=st.sampled_from(["none", "neighbours", "section"]), lists=st.booleans(), merge=st.booleans()
)
FILTERS = st.sampled_from(
    [None, OKTA, And(parts=(GOOD, OKTA)), Not(part=ENTRA), GOOD, And(parts=(Or(parts=(OKTA, ENTRA)), GOOD))]
)
SCOPES = st.sampled_from([None, OKTA, GOOD, Not(part=ENTRA)])


def numbered(number: int, texts: list[Text]) -> Doc:
    """Return a document in which every body is another."""
    chunks = (replace(t, body=f"{t.body}\n4. Turn {number}x{n}.") for n, t in enumerate(texts))
    return Doc(path=f"{number}.md", chunks=tuple(chunks))


DOCS = st.lists(st.lists(TEXTS, min_size=1, max_size=12), min_size=1, max_size=2).map(
    lambda some: [numbered(n, texts) for n, texts in enumerate(some)]
)


@settings(deadline=None, max_examples=250)
@given(DOCS, AFTERS, FILTERS, SCOPES, st.integers(1, 12))
def test_hits_are_apart_inside_and_hold_what_was_found(
    docs: list[Doc], after: After, where: Filter | None, scope: Filter | None, k: int
) -> None:
    kb = collection(docs)
    plain, hits = (
        search(kb, "pump turn", mode="lexical", k=k, after=then, where=where, scope=scope).hits
        for then in (After(lists=False), after)
    )
    assert [h.rank for h in hits] == list(range(1, len(hits) + 1))
    for one, other in combinations(hits, 2):
        assert one.chunk.doc_id != other.chunk.doc_id or not place(one).overlaps(place(other))
    for before in plain:
        assert any(h.chunk.doc_id == before.chunk.doc_id and place(h).contains(place(before)) for h in hits)
    for hit in hits:
        is_a_slice_of_what_may_be_seen(kb, hit, where, scope)


def place(hit: Hit) -> Span:
    assert hit.span is not None
    return hit.span


def is_a_slice_of_what_may_be_seen(kb: Snapshot, hit: Hit, where: Filter | None, scope: Filter | None) -> None:
    document = kb.document(hit.chunk.doc_id)
    assert document is not None
    span = place(hit)
    assert hit.body == span.of(document.text) and hit.text.endswith(hit.body)
    first = document.text.count("\n", 0, span.start) + 1
    assert hit.lines == (first, first + hit.body.count("\n")) and hit.source_span == span
    seen = {r.chunk.id: r for r in scoped(kb, scope).chunks(doc_id=document.id)}
    shown = [r.chunk for r in kb.chunks(doc_id=document.id) if r.chunk.span and r.chunk.span.overlaps(span)]
    domain = domain_condition(where)
    assert all(c.id in seen and matches(domain, {"domain": seen[c.id].domain}) for c in shown)
    if len(seen) < document.chunks:  # nothing is told of what stands between chunks
        assert len(hit.body) - sum(len(c.body) for c in shown) <= hit.body.count("\n")
        assert "Head" not in hit.body and "Beside" not in hit.body


STEPS = tuple(
    Text(
        path=("Steps",),
        body="\n".join(f"{n}. Turn valve {n}." for n in (first, first + 1)),
        start="item" if first > 1 else "section",
        end="item" if first < 7 else "section",
        section="steps",
        domain="OKTA",
    )
    for first in (1, 3, 5, 7)
)
OTHER = Text(
    path=("Other",), body="Valve text of the other domain.", section="other", domain="ENTRA", ahead="# Other\n"
)
LIST = Doc(path="list.md", chunks=(*STEPS, OTHER))
WHOLE = "\n".join(f"{n}. Turn valve {n}." for n in range(1, 9))


@pytest.mark.parametrize("after", [After(), After(expand="section"), After(merge=True), After(lists=False, merge=True)])
def test_a_list_in_a_part_of_a_document_comes_whole_under_a_scope(after: After) -> None:
    hits = search(collection([LIST]), "turn valve", mode="lexical", scope=OKTA, after=after).hits
    assert [h.body for h in hits] == [WHOLE]
    assert (hits[0].lines, hits[0].citation.link) == ((1, 8), "list.md#L1-L8")


def test_where_it_cannot_be_told_what_stands_between_hits_stay_apart_under_a_scope() -> None:
    beside = replace(STEPS[1], ahead="<!-- not to be told -->\n")
    kb = collection([replace(LIST, chunks=(STEPS[0], beside, *STEPS[2:], OTHER))])
    for after in (After(), After(expand="section"), After(expand="neighbours"), After(merge=True)):
        hits = search(kb, "turn valve", mode="lexical", scope=OKTA, after=after).hits
        bodies = sorted(h.body for h in hits)
        assert bodies == [STEPS[0].body, "\n".join(s.body for s in STEPS[1:])]
        assert "not to be told" in search(kb, "turn valve", mode="lexical", after=after).hits[0].body


@pytest.mark.parametrize("hidden", [0, 1, 2, 3])
def test_a_chunk_of_another_domain_is_never_taken_in(hidden: int) -> None:
    """Also one in the middle of a list or section; one that states no domain is of no domain asked for either."""
    for domain in ("ENTRA", ""):
        steps = [replace(s, domain=domain if n == hidden else "OKTA") for n, s in enumerate(STEPS)]
        kb = collection([replace(LIST, chunks=(*steps, OTHER))])
        for after in (After(), *(After(expand=e, merge=m) for e in ("neighbours", "section") for m in (True, False))):  # type: ignore[arg-type]
            hits = search(kb, "turn valve", mode="lexical", where=OKTA, after=after).hits
            assert sum(h.body.count("Turn valve") for h in hits) == 6
            assert not any(STEPS[hidden].body in h.body or "other domain" in h.body for h in hits)


def test_another_filter_than_of_the_domain_stops_no_expansion() -> None:
    """Context is what expansion is for."""
    kb = collection([replace(LIST, chunks=(STEPS[0], replace(STEPS[1], quality=10), *STEPS[2:], OTHER))])
    assert search(kb, "turn valve", mode="lexical", where=GOOD).hits[0].body == WHOLE


def test_merge_and_neighbours_together_do_both() -> None:
    """The section of hits that cover half of it, and the chunks around a hit alone."""
    words = ["no", "pump", "pump", "pump", "no", "no"]
    section = [Text(path=("A",), body=f"{w} {n} in the first part.", section="a") for n, w in enumerate(words)]
    alone = [
        Text(path=(f"B{n}",), body=f"{w} {n} behind.", section=f"b{n}") for n, w in enumerate(["no", "no", "pump"])
    ]
    kb = collection([Doc(path="a.md", chunks=(*section, *alone))])
    found = {}
    for expand in ("none", "neighbours", "section"):
        for merge in (False, True):
            after = After(expand=expand, merge=merge)  # type: ignore[arg-type]
            hits = search(kb, "pump", mode="lexical", after=after).hits
            lines = (h.lines for h in hits)
            found[expand, merge] = sorted(first_last for first_last in lines if first_last)
    assert found == {
        ("none", False): [(2, 2), (3, 3), (4, 4), (9, 9)],
        ("none", True): [(1, 6), (9, 9)],
        ("neighbours", False): [(1, 5), (8, 9)],
        ("neighbours", True): [(1, 6), (8, 9)],
        ("section", False): [(1, 6), (9, 9)],
        ("section", True): [(1, 6), (9, 9)],
    }


CONDITIONS = [
    (None, None),
    (GOOD, None),
    (OKTA, OKTA),
    (And(parts=(OKTA, GOOD)), OKTA),
    (And(parts=(GOOD, And(parts=(GOOD, OKTA)))), OKTA),
    (Or(parts=(OKTA, GOOD)), None),
    (Or(parts=(And(parts=(OKTA, GOOD)), ENTRA)), Or(parts=(OKTA, ENTRA))),
    (Not(part=OKTA), Not(part=OKTA)),
    (Not(part=GOOD), None),
    (Not(part=Not(part=OKTA)), OKTA),
    (Not(part=And(parts=(OKTA, GOOD))), None),
    (Not(part=Or(parts=(OKTA, GOOD))), Not(part=OKTA)),
    (Not(part=And(parts=(OKTA, ENTRA))), Or(parts=(Not(part=OKTA), Not(part=ENTRA)))),
]


@pytest.mark.parametrize(("where", "condition"), CONDITIONS)
def test_what_a_filter_asks_of_the_domain(where: Filter | None, condition: Filter | None) -> None:
    assert domain_condition(where) == condition


FILTER_TREES = st.recursive(
    st.sampled_from([OKTA, ENTRA, GOOD, Compare(field="domain", operator="in", value=("OKTA", ""))]),
    lambda part: (
        st.builds(lambda p: Not(part=p), part)
        | st.lists(part, max_size=3).map(lambda p: And(parts=tuple(p)))
        | st.lists(part, max_size=3).map(lambda p: Or(parts=tuple(p)))
    ),
    max_leaves=8,
)


@given(FILTER_TREES, st.sampled_from(["OKTA", "ENTRA", ""]), st.sampled_from([40, 60]))
def test_all_that_is_inside_a_filter_fulfils_its_domain_condition(where: Filter, domain: str, quality: int) -> None:
    row = {"domain": domain, "quality": quality}
    assert matches(domain_condition(where), row) or not matches(where, row)
