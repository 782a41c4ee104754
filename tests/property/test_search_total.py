"""Search answers every question: no exception but `UsageError`, the same twice, never a row outside of the filter."""

from __future__ import annotations

from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.search.build import Doc, Text, collection
from withgrain.errors import UsageError
from withgrain.model import Compare
from withgrain.search import Weights, search
from withgrain.search.literal import contains
from withgrain.testing import HashEmbedder
from withgrain.types import Snapshot

_WORDS = [
    "reset",
    "factor",
    "USERKEY",
    "statuskey=1",
    "/api/v1/users/{id}",
    "@@OKTA:USERS",
    "--tls",
    "policy",
    '"',
    "`",
]
_QUESTIONS = st.text(max_size=60) | st.lists(st.sampled_from(_WORDS), min_size=1, max_size=8).map(" ".join)


@cache
def kb() -> Snapshot:
    docs = [
        Doc(
            path=f"{domain}/{n}.md",
            title=f"Note {n}",
            domain=domain,
            chunks=tuple(
                Text(path=(f"Part {i}",), body=f"{w} {_WORDS[(i + n) % len(_WORDS)]}") for i, w in enumerate(_WORDS)
            ),
        )
        for domain in ("okta", "entra")
        for n in range(3)
    ]
    return collection(docs, HashEmbedder())


@settings(deadline=None, max_examples=60)
@given(
    _QUESTIONS, st.sampled_from(["hybrid", "lexical", "dense"]), st.integers(1, 70), st.sampled_from(["zscore", "rrf"])
)
def test_every_question_is_answered_the_same_way_twice(query: str, mode: str, k: int, fusion: str) -> None:
    weights = Weights(fusion=fusion, candidates=20)  # type: ignore[arg-type]
    where = Compare(field="domain", operator="eq", value="okta")
    try:
        first = search(kb(), query, k=k, mode=mode, where=where, embedder=HashEmbedder(), weights=weights)  # type: ignore[arg-type]
    except UsageError:
        return
    second = search(kb(), query, k=k, mode=mode, where=where, embedder=HashEmbedder(), weights=weights)  # type: ignore[arg-type]
    assert first == second
    assert len(first.hits) <= k
    assert all(h.citation.document.startswith("okta/") for h in first.hits)
    assert len({h.chunk.id for h in first.hits}) == len(first.hits)


@given(st.text("Ab_1=-/.", min_size=1, max_size=6), st.text("Ab_1=-/. ,", max_size=30))
def test_an_identifier_stands_between_spaces_and_not_inside_a_word(identifier: str, text: str) -> None:
    assert contains(f"{text} {identifier} {text}", identifier)
    assert (
        not contains(f"x{identifier}x", f"{identifier}") or not identifier[0].isalnum() or not identifier[-1].isalnum()
    )
