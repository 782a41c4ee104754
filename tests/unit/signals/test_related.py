"""Schema keys shared between tables: the join path can be followed."""

from __future__ import annotations

import pytest

from tests.support import repository
from withgrain.chunk import chunk_document
from withgrain.model import Facts
from withgrain.parse import parse
from withgrain.signals import Join, detect, join_path, related_keys

SCHEMA = """# Schema

## users

| Column | Meaning |
|---|---|
| `USERKEY` | primary key |
| `statuskey` | state |

## accounts

| ACCOUNTKEY | USERKEY | statuskey |
|---|---|---|
| 1 | 7 | 1 |

## entitlement_values

| `ENTITLEMENT_VALUEKEY` | `ACCOUNTKEY` | `statuskey` |
|---|---|---|
| 5 | 1 | 1 |

## doors

| doorId | statuskey |
|---|---|
| 5 | 1 |
"""


def _tables(text: str) -> dict[str, Facts]:
    document = parse(text.encode(), uri="schema.md")
    return {c.heading_path[-1]: c.facts for c in chunk_document(document).chunks}


def test_entitlement_values_lead_to_users() -> None:
    """entitlement_values -> ACCOUNTKEY -> accounts -> USERKEY -> users; a shared status key is no short cut."""
    assert join_path(_tables(SCHEMA), "entitlement_values", "users") == (
        Join(left="entitlement_values", right="accounts", key="ACCOUNTKEY"),
        Join(left="accounts", right="users", key="USERKEY"),
    )


def test_the_handbook_path_is_found() -> None:
    """The same on a real page, where the keys stand in code spans in the rows."""
    text = (repository() / "examples" / "handbook" / "schema" / "ledger-tables.md").read_text()
    steps = join_path(_tables(text), "entitlement_values", "users")
    assert [(s.key, s.right) for s in steps] == [("ACCOUNTKEY", "accounts"), ("USERKEY", "users")]


def test_another_key_leads_on_where_nothing_else_does() -> None:
    """A shared key that names neither table is better than no way."""
    tables = _tables(SCHEMA)
    assert [s.key for s in join_path(tables, "doors", "users")] == ["statuskey"]
    assert join_path({"a": detect("`AKEY`"), "b": detect("`BKEY`")}, "a", "b") == ()
    assert join_path(tables, "users", "users") == ()
    with pytest.raises(KeyError):
        join_path(tables, "users", "nowhere")


@pytest.mark.parametrize(
    ("a", "b", "shared"),
    [
        ("`USERKEY` and `name`", "`userkey`", ("USERKEY",)),
        ("`user_id`", "`userId` here", ("user_id",)),
        ("users.USERKEY=7", "`USERKEY`", ("USERKEY",)),
        ("`statuskey=1`", "`statuskey=7`", ("statuskey",)),
        ("`display_name`", "`display_name`", ()),
        ("MONKEY", "MONKEY", ()),
    ],
)
def test_related_keys(a: str, b: str, shared: tuple[str, ...]) -> None:
    """Keys are compared without case, underscores, values and table names; other columns join nothing."""
    assert related_keys(detect(a), detect(b)) == shared


def test_header_cells_are_keys() -> None:
    """Tables whose header cells are keys have them as facts, set as code or not."""
    header = "| statuskey | userId | Name |\n|---|---|---|\n| 1 | 2 | x |\n"
    assert detect(header).keys == ("statuskey", "userId")
    assert detect("The statuskey and userId in prose.").keys == ()
