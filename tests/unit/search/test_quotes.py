"""``cite``: whether and where a quote stands in a collection: the check against invented citations."""

from __future__ import annotations

import pytest

from tests.unit.search.build import Doc, Text, collection
from withgrain.errors import UsageError
from withgrain.search import cite

KB = collection(
    [
        Doc(
            path="policies/retention.md",
            title="Retention",
            meta={"url": "https://kb.example/retention"},
            stale="newer file unreadable",
            chunks=(
                Text(
                    path=("Retention", "4.2 Legal hold"), body="A legal hold suspends **every** period\nin this policy."
                ),
                Text(path=("Retention", "4.3 Release"), body="Only the Office of General Counsel may release a hold."),
            ),
        ),
        Doc(
            path="faq.md",
            title="FAQ",
            chunks=(Text(path=("FAQ",), body="Only the Office of General Counsel may release a hold."),),
        ),
    ]
)


def test_letter_for_letter_in_all_places() -> None:
    found = cite(KB, "Office of General Counsel may release a hold.")
    assert [q.found for q in found] == ["exact", "exact"]
    first = next(q for q in found if q.citation.document == "policies/retention.md")
    assert first.citation.heading_path == ("Retention", "4.3 Release")
    assert first.citation.clause == "4.3"
    assert first.citation.lines == (3, 3)
    assert first.citation.link == "policies/retention.md#L3"
    assert first.citation.url == "https://kb.example/retention"
    assert first.stale == "newer file unreadable"
    assert first.text == "Office of General Counsel may release a hold."
    document = KB.document(first.doc_id)
    assert document is not None
    assert first.span.of(document.text) == first.text
    assert [r.chunk.id for r in KB.chunks(ids=[first.chunk_id or ""])] == [first.chunk_id]


def test_apart_from_typography() -> None:
    (found,) = cite(KB, "a legal hold suspends every period in this policy"[2:])
    assert found.found == "normalised"
    assert found.citation.lines == (1, 2)
    assert found.similarity == 1.0


def test_the_nearest_text_with_the_differences() -> None:
    (found,) = cite(KB, "A legal hold suspends some period in this policy.")
    assert found.found == "near"
    assert 0.4 <= found.similarity < 1
    assert [(d.quote, d.document) for d in found.differences] == [("some", "every")]


def test_what_stands_nowhere_is_nowhere() -> None:
    assert cite(KB, "Backups are encrypted with keys that rotate quarterly.") == ()


def test_the_number_of_places_is_limited() -> None:
    assert len(cite(KB, "Office of General Counsel", limit=1)) == 1


@pytest.mark.parametrize("quote", ["", "  ", "?!", "x" * 2001, "\x00"])
def test_what_is_no_quote_is_refused(quote: str) -> None:
    with pytest.raises(UsageError):
        cite(KB, quote)


@pytest.mark.parametrize("quote", ["(((a", "[[[x](", "\\d+", "重置 身份", "a\ud800b", "' OR 1=1", "of of of of"])
def test_strange_quotes_are_answered(quote: str) -> None:
    assert all(q.found == "near" for q in cite(KB, quote))
