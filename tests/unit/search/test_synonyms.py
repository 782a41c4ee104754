"""Other words for an operation are understood and shown; they count only where a weight says so."""

from __future__ import annotations

from tests.unit.search.build import Doc, Text, collection
from withgrain.search import Weights, search

KB = collection(
    [
        Doc(path="a.md", chunks=(Text(body="Deactivate the account of the leaver."),)),
        Doc(path="b.md", chunks=(Text(body="The account has a picture."),)),
    ]
)


def test_synonyms_are_in_the_trace_and_weigh_nothing_by_default() -> None:
    found = search(KB, "disable the account", mode="lexical")
    assert "deactiv" in found.trace["synonyms"]
    assert "deactiv" not in found.trace["terms"]


def test_synonyms_count_with_a_weight() -> None:
    found = search(KB, "disable the account", mode="lexical", weights=Weights(synonyms=0.5))
    assert found.hits[0].citation.document == "a.md"
    assert "deactiv" in found.hits[0].matched
