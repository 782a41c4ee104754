"""``related``: shared keys and links; the join path of a schema can be followed."""

from __future__ import annotations

import pytest

from tests.unit.search.build import Doc, Text, collection
from withgrain.errors import UsageError
from withgrain.model import Compare
from withgrain.search.related import related
from withgrain.types import Snapshot

FILLER = Doc(
    path="z/filler.md",
    title="Filler",
    chunks=tuple(Text(path=("Filler", str(n)), body=f"Paragraph {n} of no interest.") for n in range(20)),
)
KB = collection(
    [
        Doc(
            path="schema/entitlement_values.md",
            title="entitlement_values",
            chunks=(Text(path=("entitlement_values",), body="Joins by ACCOUNTKEY. See [accounts](accounts.md#keys)."),),
        ),
        Doc(
            path="schema/accounts.md",
            title="accounts",
            chunks=(
                Text(path=("accounts", "About"), body="One row an account."),
                Text(path=("accounts", "Keys"), body="ACCOUNTKEY is the primary key, USERKEY leads to users."),
            ),
        ),
        Doc(path="schema/users.md", title="users", chunks=(Text(path=("users",), body="USERKEY is the primary key."),)),
        FILLER,
    ]
)


def chunk(kb: Snapshot, path: str, n: int = 0) -> str:
    document = next(d for d in kb.documents() if d.path == path)
    return kb.chunks(doc_id=document.id)[n].chunk.id


def test_the_join_path_can_be_followed() -> None:
    """Quote: "the join path entitlement_values → ACCOUNTKEY → accounts → USERKEY → users can be followed"."""
    (first, *_) = related(KB, chunk(KB, "schema/entitlement_values.md"))
    assert first.citation.heading_path == ("accounts", "Keys")
    assert first.shared["keys"] == ("ACCOUNTKEY",)
    assert first.link == "accounts.md#keys"
    second = [r for r in related(KB, first.chunk_id) if "USERKEY" in r.shared.get("keys", ())]
    assert [r.citation.document for r in second] == ["schema/users.md"]


def test_what_everything_shares_joins_nothing() -> None:
    kb = collection(
        [Doc(path=f"{n}.md", title=f"T{n}", chunks=(Text(body=f"USERKEY again {n}"),)) for n in range(60)] + [FILLER]
    )
    assert related(kb, chunk(kb, "1.md")) == ()


def test_filter_and_scope_hold() -> None:
    start = chunk(KB, "schema/entitlement_values.md")
    only = Compare(field="document", operator="ne", value="schema/accounts.md")
    assert related(KB, start, where=only) == ()
    assert related(KB, start, scope=only) == ()
    with pytest.raises(UsageError):
        related(KB, chunk(KB, "schema/accounts.md"), scope=only)


def test_bad_input_is_refused() -> None:
    with pytest.raises(UsageError):
        related(KB, "nothing")
    with pytest.raises(UsageError):
        related(KB, chunk(KB, "schema/users.md"), limit=0)
