"""Filters: any text gives a tree or a usage error; what is written in the grammar means what was written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from withgrain.errors import UsageError
from withgrain.model import FIELDS, And, Compare, Filter, Not, Or
from withgrain.search.filters import parse_filter, written
from withgrain.search.filters.times import TIMES

_TEXT_FIELDS = sorted(name for name, kind in FIELDS.items() if kind == "text" and name not in {*TIMES, "document"})
_VALUES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


_COMPARES = st.builds(
    lambda field, operator, value: Compare(field=field, operator=operator, value=value),
    st.sampled_from(_TEXT_FIELDS),
    st.sampled_from(["eq", "ne", "contains", "prefix", "lt", "le", "gt", "ge"]),
    _VALUES,
)
_FILTERS = st.recursive(
    _COMPARES,
    lambda inner: st.one_of(
        inner.map(lambda part: Not(part=part)),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: And(parts=tuple(parts))),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: Or(parts=tuple(parts))),
    ),
    max_leaves=8,
)
_SIGNS = {"eq": "=", "ne": "!=", "contains": "*=", "prefix": "^=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def in_brackets(tree: Filter) -> str:
    """Write a tree in the grammar, every part in brackets."""
    if isinstance(tree, Compare):
        return f"{tree.field}{_SIGNS[tree.operator]}{_quoted(str(tree.value))}"
    if isinstance(tree, Not):
        return f"not ({in_brackets(tree.part)})"
    word = " and " if isinstance(tree, And) else " or "
    return word.join(f"({in_brackets(part)})" for part in tree.parts)


def flat(tree: Filter) -> Filter:
    """Merge nested parts of the same kind on the left, as the parser does: they mean the same."""
    if isinstance(tree, Compare):
        return tree
    if isinstance(tree, Not):
        return Not(part=flat(tree.part))
    kind = type(tree)
    first, *others = (flat(part) for part in tree.parts)
    left = first.parts if isinstance(first, kind) else (first,)
    return kind(parts=(*left, *others))


@given(_FILTERS)
def test_a_written_tree_is_read_back(tree: Filter) -> None:
    """Quote: "``field operator value``", and/or/not, brackets."""
    assert parse_filter([in_brackets(tree)]) == flat(tree)
    assert parse_filter([written(tree)]) == flat(tree)


def holds(tree: Filter, stored: str) -> bool:
    """Return whether a tree over one text field holds for a value, by its definition."""
    if isinstance(tree, Not):
        return not holds(tree.part, stored)
    if isinstance(tree, And | Or):
        return (all if isinstance(tree, And) else any)(holds(part, stored) for part in tree.parts)
    value = str(tree.value)
    return {"prefix": stored.startswith(value), "lt": stored < value, "ge": stored >= value}[tree.operator]


_MOMENTS = st.integers(631_152_000, 2_208_988_800).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))
_EXTENTS = {
    "%Y-%m-%d": timedelta(days=1),
    "%Y-%m-%dT%H:%M": timedelta(minutes=1),
    "%Y-%m-%dT%H:%M:%S": timedelta(seconds=1),
}


@given(
    _MOMENTS, st.sampled_from(sorted(_EXTENTS)), st.integers(-3, 3), st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
)
def test_a_written_moment_is_all_of_its_day_minute_or_second(named: datetime, form: str, steps: int, sign: str) -> None:
    """``modified=2026-01-31`` is all of that day: ``<=`` holds to its end, ``>`` begins behind it."""
    written = named.strftime(form)
    begin = datetime.fromisoformat(written).replace(tzinfo=UTC)
    end = begin + _EXTENTS[form]
    moment = named + steps * _EXTENTS[form] / 2
    expected = {
        "=": begin <= moment < end,
        "!=": not begin <= moment < end,
        "<": moment < begin,
        "<=": moment < end,
        ">": moment >= end,
        ">=": moment >= begin,
    }[sign]
    stored = moment.replace(microsecond=0).isoformat()
    assert holds(parse_filter([f'modified{sign}"{written}"']), stored) is expected


@given(st.text(max_size=200) | st.text("()=<>!^*,\"' \\andornotin:title domain", max_size=200))
def test_any_text_is_a_filter_or_a_usage_error(text: str) -> None:
    try:
        assert parse_filter([text]) is not None
    except UsageError as error:
        assert str(error)
