"""Filters mean the same to the engine as to plain Python, whatever stands in the rows and in the filter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from withgrain.model import FIELDS, And, ChunkRecord, Compare, Facts, Filter, Not, Or
from withgrain.model.filter import MAX_DEPTH, OPERATORS
from withgrain.store.matching import JOINED, matches
from withgrain.store.payload import payload
from withgrain.store.rows import arrow_table, chunk_row, schemas, with_columns
from withgrain.store.sql import where_sql
from withgrain.testing.records import bundle

lancedb = pytest.importorskip("lancedb")

_HOSTILE = (
    *("", "'", "''", "it's", '"', "\\", "\\'", "%", "_", "a%", "a_", "a", "A", "ab", "b", "\0", "a\0b", "\n", "`", ";"),
    *(
        "--",
        "/*",
        "' OR 1=1 --",
        "') OR ('a'='a",
        "NULL",
        "true",
        "1",
        "{}",
        "$1",
        "?",
        ":a",
        "é",
        "e\u0301",
        "文",
        "𝄞",
        *("É", "Σ", "αΣ", "Σα", "ς", "İ", "ß", "ẞ", "Aa", "bA"),
    ),
)
_TEXTS = st.one_of(st.sampled_from(_HOSTILE), st.text(st.characters(exclude_categories=["Cs"]), max_size=4))
_LISTS = st.lists(_TEXTS, max_size=3).map(tuple)
_NUMBERS = st.one_of(
    st.integers(-3, 105), st.floats(-3, 105), st.sampled_from([1e300, -1e300, 2.0**62, -(2.0**63), 1e-300, -0.0, 0.5])
)


def _record(draw: Any) -> ChunkRecord:
    record = bundle("a.md", ["body"]).chunks[0]
    facts = Facts(keys=draw(_LISTS), codes=draw(_LISTS), auth=draw(_LISTS))
    chunk = replace(
        record.chunk,
        title=draw(_TEXTS),
        heading_path=draw(_LISTS),
        quality=draw(st.integers(0, 100)),
        tokens=draw(st.one_of(st.none(), st.integers(0, 3))),
        pages=draw(st.sets(st.integers(1, 12), max_size=3).map(sorted).map(tuple)),
        lines=draw(st.one_of(st.none(), st.just((2, 3)))),
        facts=facts,
    )
    return replace(
        record,
        chunk=chunk,
        path=draw(_TEXTS),
        domain=draw(_TEXTS),
        modified=draw(st.one_of(st.none(), _TEXTS)),
        labels=draw(_LISTS),
    )


_RECORDS = st.composite(_record)()


def _compare(draw: Any) -> Compare:
    field = draw(st.sampled_from([*_TEXT_FIELDS, *_NUMBER_FIELDS]))
    kind = FIELDS[field]
    operator = draw(st.sampled_from(sorted(OPERATORS[kind])))
    one = _NUMBERS if kind == "number" else _TEXTS
    value = draw(st.lists(one, max_size=3).map(tuple) if operator == "in" else one)
    return Compare(field=field, operator=operator, value=value)


_TEXT_FIELDS = ("document", "title", "domain", "modified", "labels", "keys", "auth", "heading_path", "pages")
_NUMBER_FIELDS = ("quality", "tokens", "ordinal", "page", "line")
_COMPARES = st.composite(_compare)()
_FILTERS: st.SearchStrategy[Filter] = st.recursive(
    _COMPARES,
    lambda inner: st.one_of(
        inner.map(lambda part: Not(part=part)),
        st.lists(inner, max_size=3).map(lambda parts: And(parts=tuple(parts))),
        st.lists(inner, max_size=3).map(lambda parts: Or(parts=tuple(parts))),
    ),
    max_leaves=6,
)


def _selected(records: Sequence[ChunkRecord], filters: Sequence[Filter]) -> list[list[int]]:
    """Ask the engine which of the records each filter selects, by their number."""
    rows = [with_columns(chunk_row(r)) | {"chunk_id": str(n)} for n, r in enumerate(records)]
    table = lancedb.connect("memory://").create_table("chunks", arrow_table(rows, schemas(0)["chunks"]))
    found = []
    for where in filters:
        selected = table.search().where(where_sql(where)).select(["chunk_id"]).limit(None).to_arrow()
        found.append(sorted(int(i) for i in selected["chunk_id"].to_pylist()))
    return found


@given(records=st.lists(_RECORDS, min_size=1, max_size=6), filters=st.lists(_FILTERS, min_size=1, max_size=8))
@settings(max_examples=60)
def test_the_engine_and_python_select_the_same_rows(records: list[ChunkRecord], filters: list[Filter]) -> None:
    """A filter is compiled, never pasted: quotes, wildcards, backslashes, NUL and comments are plain characters."""
    wanted = [[n for n, r in enumerate(records) if matches(where, payload(r))] for where in filters]
    assert _selected(records, filters) == wanted


def test_every_hostile_string_selects_itself_alone() -> None:
    """Equality on text and lists is exact: no trimming, folding, wildcards or escapes."""
    record = bundle("a.md", ["body"]).chunks[0]
    texts = (*_HOSTILE, "lone \ud800 surrogate")
    records = [replace(record, path=text, labels=(text, "x")) for text in texts]
    for field in ("document", "labels"):
        filters = [Compare(field=field, operator="eq", value=text) for text in texts]
        assert _selected(records, filters) == [[n] for n in range(len(texts))]


def test_an_empty_string_of_a_list_begins_with_nothing() -> None:
    """Neither a line break nor any other sign that stands between the strings for the engine."""
    record = bundle("a.md", ["body"]).chunks[0]
    records = [replace(record, labels=labels) for labels in (("", "x"), ("\n",), ())]
    filters = [Compare(field="labels", operator="prefix", value=value) for value in ("\n", "")]
    assert _selected(records, filters) == [[1], [0, 1]]


def _bushy(levels: int, bushes: int, leaf: Filter) -> Filter:
    """Return a tree of alternating words so deep; the lowest ``bushes`` levels have two branches of full depth."""
    tree = leaf
    for n in range(levels - 1):
        tree = (And, Or)[n % 2](parts=(tree, tree) if n < bushes else (leaf, tree))
    return tree


def test_wide_and_deep_filters_are_answered() -> None:
    """The widest `in`, the deepest tree that the check admits, and a thousand parts do not exhaust the engine."""
    record = bundle("a.md", ["body"]).chunks[0]
    records = [replace(record, path=str(n), chunk=replace(record.chunk, heading_path=("A b",))) for n in range(3)]
    deep: Filter = Compare(field="document", operator="eq", value="1")
    one: Filter = Not(part=Compare(field="modified", operator="lt", value="1"))
    for _ in range((MAX_DEPTH + JOINED) // 2 * 2 - 2):
        deep = Not(part=deep)
    dearest = Not(part=Compare(field="heading_path", operator="eq", value="a c"))
    bushes = [_bushy(MAX_DEPTH + JOINED - 1, n, leaf) for leaf in (one, dearest) for n in (0, 8)]
    wide = Compare(field="document", operator="in", value=tuple(str(n) for n in range(1, 20_000)))
    many = Or(parts=tuple(Compare(field="document", operator="eq", value=str(n)) for n in range(1, 1000)))
    assert _selected(records, [deep, *bushes, wide, many]) == [[1], *[[0, 1, 2]] * len(bushes), [1, 2], [1, 2]]
