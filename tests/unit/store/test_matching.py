"""What a filter means, and which filters mean nothing."""

from __future__ import annotations

import pytest

from withgrain.errors import UsageError
from withgrain.model import FIELDS, And, Compare, Filter, Not, Or
from withgrain.model.filter import MAX_DEPTH
from withgrain.store.matching import check_filter, matches
from withgrain.store.payload import facet, facet_values, payload
from withgrain.testing.records import bundle

ROW = {
    "document": "Reset it",
    "title": "Reset it",
    "domain": "OKTA",
    "modified": None,
    "labels": ("team=a", "x"),
    "heading_path": ("4 Keeping", "4.2 Exception: legal hold"),
    "operations": ("disable",),
    "pages": ("2", "3", "10"),
    "page": 2,
    "quality": 50,
    "tokens": None,
}


@pytest.mark.parametrize(
    ("field", "operator", "value", "holds"),
    [
        ("title", "eq", "Reset it", True),
        ("document", "eq", "reset it", False),
        ("document", "prefix", "reset", False),
        ("title", "eq", "reset it", True),
        ("domain", "eq", "okta", True),
        ("domain", "ne", "okta", False),
        ("domain", "in", ("x", "Okta"), True),
        ("domain", "prefix", "ok", True),
        ("domain", "contains", "kt", True),
        ("domain", "lt", "p", True),
        ("operations", "eq", "Disable", True),
        ("heading_path", "contains", "exception", True),
        ("heading_path", "contains", "Keeping4.2", False),
        ("heading_path", "eq", "Exception", False),
        ("heading_path", "prefix", "4.2", True),
        ("labels", "eq", "Team=a", False),
        ("labels", "prefix", "team=", True),
        ("labels", "prefix", "a", False),
        ("page", "eq", 3.0, True),
        ("page", "ne", 10.0, False),
        ("page", "in", (4.0, 10.0), True),
        ("page", "ge", 10, True),
        ("page", "gt", 10, False),
        ("page", "le", 2, True),
        ("page", "lt", 2, False),
        ("title", "ne", "x", True),
        ("title", "in", ("x", "Reset it"), True),
        ("title", "in", (), False),
        ("title", "contains", "t i", True),
        ("title", "contains", "%", False),
        ("title", "prefix", "Res", True),
        ("title", "lt", "S", True),
        ("title", "ge", "Reset it", True),
        ("labels", "eq", "x", True),
        ("labels", "contains", "x", True),
        ("labels", "contains", "team", False),
        ("labels", "in", ("y", "x"), True),
        ("labels", "ne", "x", False),
        ("quality", "eq", 50.0, True),
        ("quality", "lt", 50, False),
        ("quality", "le", 50, True),
        ("quality", "in", (1.0, 50.0), True),
        ("modified", "lt", "9", False),
        ("modified", "eq", "", False),
        ("modified", "ne", "9", True),
        ("tokens", "ge", 0, False),
    ],
)
def test_a_comparison(field: str, operator: str, value: object, holds: bool) -> None:
    """Exact, but for the case of vocabulary and prose; a missing value fulfils nothing but `ne`."""
    where = Compare(field=field, operator=operator, value=value)  # type: ignore[arg-type]
    check_filter(where)
    assert matches(where, ROW) is holds
    assert matches(Not(part=where), ROW) is not holds


def test_and_or_of_nothing() -> None:
    """An empty `And` is true, an empty `Or` false, no filter at all true."""
    assert matches(And(parts=()), ROW)
    assert not matches(Or(parts=()), ROW)
    assert matches(None, ROW)


@pytest.mark.parametrize(
    ("where", "says"),
    [
        (Compare(field="titel", operator="eq", value="x"), 'Did you mean "title"'),
        (Compare(field="title`; DROP", operator="eq", value="x"), "no field"),
        (Compare(field="labels", operator="lt", value="x"), "list field"),
        (Compare(field="quality", operator="prefix", value="x"), "number field"),
        (Compare(field="quality", operator="eq", value="5"), "is a number"),
        (Compare(field="quality", operator="eq", value=float("nan")), "is a number"),
        (Compare(field="title", operator="eq", value=5), "is text"),
        (Compare(field="title", operator="in", value="x"), "list of values"),
        (Compare(field="title", operator="eq", value=("x",)), "one value"),
        (And(parts=(Not(part=Compare(field="nope", operator="eq", value="x")),)), "no field"),
    ],
)
def test_a_filter_without_meaning_is_refused(where: Filter, says: str) -> None:
    """A usage error that names the field and what it would accept."""
    with pytest.raises(UsageError, match=says):
        check_filter(where)


def test_a_tree_from_outside_cannot_exhaust_the_stack() -> None:
    """Deeper than `MAX_DEPTH` is refused without recursion."""
    where: Filter = Compare(field="title", operator="eq", value="x")
    for _ in range(100_000):
        where = Not(part=where)
    with pytest.raises(UsageError, match=str(MAX_DEPTH)):
        check_filter(where)
    while isinstance(where, Not):  # taken apart by hand: freeing it at once would recurse
        where = where.part


def test_the_payload_has_every_field() -> None:
    """Every name that a filter may use has a value of its type in every row."""
    row = payload(bundle("a.md", ["x"]).chunks[0])
    assert set(row) == set(FIELDS)
    types = {"text": (str, type(None)), "list": (tuple,), "number": (int, type(None))}
    assert all(isinstance(row[name], types[kind]) for name, kind in FIELDS.items())


def test_facet_values_are_distinct_and_not_empty() -> None:
    """A chunk counts once for each of its values."""
    assert facet_values(("a", "b", "a", "")) == ("a", "b")
    assert facet_values("") == facet_values(None) == facet_values(()) == ()
    assert facet_values(0) == ("0",)


def test_spellings_that_filters_do_not_tell_apart_are_one_value_of_a_facet() -> None:
    """In the spelling that most chunks have; identifiers, paths and labels stay apart."""
    counts = {"okta": 2, "OKTA": 5, "k8s": 6}
    assert list(facet("domain", counts).items()) == [("OKTA", 7), ("k8s", 6)]
    assert facet("document", counts) == facet("labels", counts) == counts
