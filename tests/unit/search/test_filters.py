"""The grammar of filters."""

from __future__ import annotations

import re
import unicodedata

import pytest

from tests.support import REPO
from withgrain.errors import UsageError
from withgrain.model import FIELDS, And, Compare, Filter, Not, Or
from withgrain.model.filter import ANY_CASE, MAX_DEPTH
from withgrain.search.filters import parse_filter, written
from withgrain.search.filters.compare import ALIASES
from withgrain.store.matching import check_filter, matches


def one(text: str) -> Filter:
    tree = parse_filter([text])
    assert tree is not None
    return tree


def eq(field: str, value: str) -> Compare:
    return Compare(field=field, operator="eq", value=value)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("domain=okta", eq("domain", "okta")),
        ("domain == okta", eq("domain", "okta")),
        ("domain:okta", eq("domain", "okta")),
        ("DOMAIN=okta", eq("domain", "okta")),
        ("class != faq", Compare(field="class", operator="ne", value="faq")),
        ("class in (sop, incident)", Compare(field="class", operator="in", value=("sop", "incident"))),
        ("class not in (faq)", Not(part=Compare(field="class", operator="in", value=("faq",)))),
        ("path^=runbooks/", Compare(field="document", operator="prefix", value="runbooks/")),
        ("title contains 'Reset a \"factor\"'", Compare(field="title", operator="contains", value='Reset a "factor"')),
        (r'title*="a \"b\" \\ c"', Compare(field="title", operator="contains", value=r'a "b" \ c')),
        ("quality>=60", Compare(field="quality", operator="ge", value=60.0)),
        ("quality in (1, 2)", Compare(field="quality", operator="in", value=(1.0, 2.0))),
        ("markers=@@OKTA:USERS", eq("markers", "@@OKTA:USERS")),
        ("keys=statuskey=1", eq("keys", "statuskey=1")),
        ("api_endpoint=/users/{id}?a>=1", eq("api_endpoint", "/users/{id}?a>=1")),
        ("modified>=2024-01-31", Compare(field="modified", operator="ge", value="2024-01-31")),
        ("not class=faq", Not(part=eq("class", "faq"))),
        ("not not class=faq", Not(part=Not(part=eq("class", "faq")))),
        ('domain="or"', eq("domain", "or")),
        ("domain=and", eq("domain", "and")),
    ],
)
def test_a_comparison_becomes_a_tree(text: str, tree: Filter) -> None:
    assert one(text) == tree


def test_and_binds_closer_than_or() -> None:
    """Quote: "``and`` binds closer than ``or``"."""
    tree = one("root=a or root=b and root=c or root=d")
    assert tree == Or(parts=(eq("root", "a"), And(parts=(eq("root", "b"), eq("root", "c"))), eq("root", "d")))


def test_brackets_and_not_bind_what_they_stand_before() -> None:
    tree = one("not (root=a OR root=b) AND not root=c")
    assert tree == And(parts=(Not(part=Or(parts=(eq("root", "a"), eq("root", "b")))), Not(part=eq("root", "c"))))


def test_several_texts_hold_together() -> None:
    """Quote: "Several filter texts hold together: all of them must be true"."""
    assert parse_filter(["root=a", "root=b or root=c"]) == And(
        parts=(eq("root", "a"), Or(parts=(eq("root", "b"), eq("root", "c"))))
    )
    assert parse_filter([]) is None


def test_an_unknown_field_is_an_error_with_the_nearest_name_and_the_list() -> None:
    with pytest.raises(UsageError, match=r'no field "qualty".*Did you mean "quality".*api_endpoint.*versions'):
        parse_filter(["qualty>=60"])


@pytest.mark.parametrize(
    ("text", "character"),
    [
        ("domain=", 8),
        ("domain", 7),
        ("domain okta", 8),
        ("(domain=okta", 1),
        ("domain=okta)", 12),
        ("domain=okta root=b", 13),
        ("domain=okta and", 16),
        ("class in sop", 10),
        ("class in (sop", 14),
        ("class in ()", 11),
        ("title='open", 7),
        ("=okta", 1),
        ("domain=a, root=b", 9),
    ],
)
def test_broken_syntax_is_an_error_with_its_position(text: str, character: int) -> None:
    with pytest.raises(UsageError, match=rf"at character {character}:"):
        parse_filter([text])


@pytest.mark.parametrize(
    "text",
    ["", "   ", "quality=high", "quality=nan", "quality=inf", "quality^=1", "markers<a", "title contains", "not=1"],
)
def test_what_has_no_meaning_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError):
        parse_filter([text])


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5_000 + "root=a" + ")" * 5_000,
        "not " * 4_000 + "root=a",
        " or ".join(["root=a"] * 2_000),
        "root=" + "x" * 30_000,
    ],
)
def test_hostile_filters_end_as_usage_errors(text: str) -> None:
    """Quote: "Bounds that no honest filter reaches; they keep hostile ones cheap"."""
    with pytest.raises(UsageError):
        parse_filter([text])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("modified = 2026-01-31", "bc"),
        ("modified != 2026-01-31", "ad"),
        ("modified <= 2026-01-31", "abc"),
        ("modified < 2026-01-31", "a"),
        ("modified > 2026-01-31", "d"),
        ("modified >= 2026-01-31", "bcd"),
        ("modified = 2026-01", "abc"),
        ("modified > 2026-01", "d"),
        ("modified in (2026-02, 2025)", "d"),
        ("modified <= 2026-01-31T08:00", "ab"),
        ('modified < "2026-01-31 09:30+01:00"', "ab"),
        ("modified ^= 2026-01-3", "abc"),
    ],
)
def test_a_date_is_all_of_its_day_and_a_month_all_of_its_days(text: str, found: str) -> None:
    moments = {"a": "2026-01-30T23:59:59Z", "b": "2026-01-31T08:00:30Z", "c": "2026-01-31T23:59:59Z"}
    moments["d"] = "2026-02-01T00:00:00Z"
    assert "".join(name for name, moment in moments.items() if matches(one(text), {"modified": moment})) == found


@pytest.mark.parametrize("value", ["yesterday", "31.01.2026", "2026-13-01", "2026-01-31T25:00", "2026T08:00"])
def test_what_is_no_time_is_an_error_that_shows_one(value: str) -> None:
    with pytest.raises(UsageError, match="modified>=2026-01-31"):
        parse_filter([f'modified > "{value}"'])


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        ("page>=2 and page<=2", "12"),
        ("page=2", "12"),
        ("page>2", "3"),
        ("page<2", "1"),
        ("page!=2", "3"),
        ("page<3", "1"),
    ],
)
def test_a_range_sees_all_pages_of_a_chunk(text: str, pages: str) -> None:
    rows = {"12": (1, 2), "3": (3,)} if pages != "1" else {"1": (1, 2), "3": (3,)}
    found = [name for name, row in rows.items() if matches(one(text), {"page": row[0], "pages": tuple(map(str, row))})]
    assert found == [pages]


def nested(levels: int) -> str:
    text = "root=a"
    for n in range(levels - 1):
        text = f"(root=b {('and', 'or')[n % 2]} {text})"
    return text


def test_a_filter_may_be_nested_to_the_one_limit_which_the_error_says() -> None:
    """Quote: "Eight rounds of (a and (b or …))" and some more; what is read can be asked, under a scope, too."""
    deepest = one(nested(MAX_DEPTH))
    check_filter(And(parts=(one("root=b"), And(parts=(deepest, one("root=b"))))))
    assert one(nested(17))
    with pytest.raises(UsageError, match=f"at most {MAX_DEPTH} levels"):
        one(nested(MAX_DEPTH + 1))


@pytest.mark.parametrize(
    "text",
    [
        "domain = okta",
        'domain = "or" and title contains "a \\"b\\" \\\\ c"',
        "not (class = faq) and (quality >= 60 or document ^= runbooks/)",
        "class in (sop, incident) and not (kind in (toc))",
        "labels contains team=a or page >= 2.5",
        "not (not (root = a))",
        'modified < "2026-01-31T08:00" and modified >= 2026-01',
        "modified in (2026-02, 2025)",
    ],
)
def test_a_tree_is_written_as_it_is_read(text: str) -> None:
    tree = one(text)
    assert one(written(tree)) == tree


def test_a_page_is_asked_for_by_number_and_by_range() -> None:
    """Quote: "equality, in, contains, prefix, ranges … over the payload"."""
    assert one("page=12") == eq("pages", "12")
    assert one("page>=12") == one("pages>=12") == Compare(field="page", operator="ge", value=12.0)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("path = runbooks/", "ab"),
        ("path : ./runbooks/", "ab"),
        ("path != runbooks/", "c"),
        ("path in (runbooks/a/, c.md)", "bc"),
        ("path not in (runbooks/)", "c"),
        ("path = runbooks", ""),
    ],
)
def test_a_path_that_ends_with_a_slash_is_a_folder_as_in_a_question(text: str, found: str) -> None:
    paths = {"a": "runbooks/a.md", "b": "runbooks/a/b.md", "c": "c.md"}
    assert "".join(name for name, path in paths.items() if matches(one(text), {"document": path})) == found


def test_a_path_is_asked_for_as_it_is_stored_however_its_letters_are_composed() -> None:
    assert one(unicodedata.normalize("NFD", "path=größe.md")) == eq("document", "größe.md")


@pytest.mark.parametrize("text", ["tokens between 1 and 2", "document startswith a", "domain"])
def test_a_field_without_an_operator_is_told_the_operators(text: str) -> None:
    with pytest.raises(UsageError, match=r"starts with.*contains.*in \(…\)"):
        parse_filter([text])


def _documented() -> list[tuple[str, str, frozenset[str]]]:
    """Return field, letters and operators of every row of the table of fields."""
    page = (REPO / "docs" / "how-to" / "filter-a-search.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1:-1] for line in page.splitlines() if line.startswith("| `")]
    return [
        (name, letters.strip(), frozenset(re.findall(r"`(\S+)`", signs)))
        for names, _, letters, signs in rows
        for name in re.findall(r"`(\w+)`", names)
    ]


@pytest.mark.needs_repo
def test_the_page_says_of_every_field_what_it_can_be_asked() -> None:
    """The table of docs/how-to/filter-a-search.md is what the program does."""
    documented = _documented()
    assert sorted(name for name, _, _ in documented) == sorted({*FIELDS, *ALIASES})
    for name, letters, signs in documented:
        field = ALIASES.get(name, name)
        assert letters == ("any case" if field in ANY_CASE else "exact"), name
        value = "2026" if field == "modified" else "1"
        for sign in ("=", "!=", "in", "contains", "^=", "<", "<=", ">", ">="):
            text = f"{name} {sign} {f'({value})' if sign == 'in' else value}"
            if sign in signs:
                check_filter(one(text))
            else:
                with pytest.raises(UsageError, match="Use one of"):
                    one(text)


@pytest.mark.needs_repo
def test_the_page_says_how_deep_a_filter_may_be() -> None:
    page = (REPO / "docs" / "how-to" / "filter-a-search.md").read_text(encoding="utf-8")
    assert f"at most {MAX_DEPTH} levels deep" in page
