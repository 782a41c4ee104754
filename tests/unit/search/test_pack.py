"""``pack``: the best context for a token budget."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.unit.search.build import Doc, Text, collection
from withgrain.errors import UsageError
from withgrain.search import Pack, pack, search
from withgrain.testing import HashEmbedder
from withgrain.tokens import load_tokenizer

EMBEDDER = HashEmbedder()
TOKENIZER = load_tokenizer("words")
LONG = "\n\n".join(f"Paragraph {i} tells how the factor number {i} is enrolled again and again." for i in range(12))
DOCS = (
    Doc(
        path="reset.md",
        title="Reset",
        chunks=(
            Text(path=("Reset", "Before"), body="Check who calls before the factor is reset."),
            Text(path=("Reset", "Steps"), body="1. Open the user.\n2. Reset the factor.\n3. Log it."),
            Text(path=("Reset", "Long"), body=LONG),
        ),
    ),
    Doc(
        path="copy.md",
        title="Copy",
        chunks=(Text(path=("Copy",), body="1. Open the user.\n2. Reset the factor.\n3. Log it."),),
    ),
    Doc(path="other.md", title="Other", chunks=(Text(path=("Other",), body="A factor is something you have."),)),
)
KB = collection(DOCS, EMBEDDER)
RESULTS = search(KB, "how is the factor reset", embedder=EMBEDDER)


def packed(budget: int, whole: int | None = None) -> Pack:
    return pack(RESULTS, max_tokens=budget, tokenizer=TOKENIZER, whole=whole)


@pytest.mark.parametrize("budget", [0, 1, 5, 12, 20, 30, 50, 80, 150, 400, 10**6])
@pytest.mark.parametrize("whole", [None, 0, 1, 4])
def test_the_budget_holds_and_every_hit_is_accounted_for(budget: int, whole: int | None) -> None:
    """Quote: "says what did not fit"."""
    found = packed(budget, whole)
    assert found.tokens == (TOKENIZER.count(found.text) if found.text else 0)
    assert found.tokens <= budget
    whole_ranks = {i.rank for i in found.items if i.whole}
    assert whole_ranks | {one.rank for one in found.left_out} == {h.rank for h in RESULTS.hits}
    assert {one.rank for one in found.left_out if one.why == "part"} == {i.rank for i in found.items if not i.whole}


def test_nothing_is_in_a_budget_of_zero() -> None:
    found = packed(0)
    assert (found.text, found.items, found.tokens) == ("", (), 0)
    assert len(found.left_out) == len(RESULTS.hits)


def test_a_text_that_is_there_is_not_repeated() -> None:
    """Quote: "no duplicates"."""
    found = packed(10**6)
    assert found.text.count("2. Reset the factor.") == 1
    assert [one.why for one in found.left_out] == ["duplicate"]


def test_the_same_place_of_two_collections_is_no_repetition() -> None:
    """Collections of two releases have the same documents; their words differ, and a reader gets both."""
    texts = ("The factor is reset in the console by the owner of the account.", "The factor is reset by mail.")
    found = [
        search(collection([Doc(path="a.md", title="A", chunks=(Text(path=("A",), body=t),))]), "factor", mode="lexical")
        for t in texts
    ]
    hits = tuple(replace(results.hits[0], rank=rank) for rank, results in enumerate(found, 1))
    packed = pack(replace(found[0], hits=hits), max_tokens=500, tokenizer=TOKENIZER)
    assert [item.text for item in packed.items] == list(texts)


def test_pieces_stand_in_document_order_under_their_path_and_mark() -> None:
    """Quote: "path once; document order inside a document; citation marks"."""
    found = packed(10**6)
    assert [i.mark for i in found.items] == list(range(1, len(found.items) + 1))
    assert re.findall(r"^\[(\d+)\]", found.text, flags=re.M) == [str(i.mark) for i in found.items]
    spans = [i.span.start for i in found.items if i.span and i.citation.document == "reset.md"]
    assert spans == sorted(spans)
    for item in found.items:
        path = " › ".join((item.citation.document, *item.citation.heading_path))
        assert found.text.count(f"{path}\n") == 1


def test_a_part_is_a_verbatim_slice_with_its_own_lines() -> None:
    found = packed(60, whole=1)
    for item in found.items:
        document = KB.document(item.doc_id)
        assert document is not None
        assert item.span is not None
        assert item.span.of(document.text).strip() in item.text
        if item.citation.lines:
            first = document.text.count("\n", 0, item.span.start) + 1
            assert item.citation.lines[0] == first


def test_too_small_for_one_hit_gives_its_beginning() -> None:
    found = packed(18)
    assert len(found.items) == 1
    assert not found.items[0].whole
    assert found.items[0].text.endswith("…")


TABLE = "| Flag | Meaning |\n|---|---|\n| `--all` | takes every file of the folder |\n| `--none` | takes no file |"


@pytest.mark.parametrize("body", [TABLE, "1. Open the valve and wait for the light.", "旋转签名密钥" * 20])
def test_a_beginning_says_something_of_the_body(body: str) -> None:
    """A header without a row, a number without its step, a word alone: that is no context, and its span is empty."""
    kb = collection([Doc(path="a.md", title="A", chunks=(Text(path=("A",), body=body),))])
    found = search(kb, "flag valve 旋转签名密钥", mode="lexical")
    for budget in range(80):
        for item in pack(found, max_tokens=budget, tokenizer=load_tokenizer("wordpiece")).items:
            assert item.span is not None
            assert item.whole or len(item.text) > 12
            assert item.whole or "takes" in item.text or body != TABLE


LONG_PATH = ("Records and what becomes of them", "While somebody holds them", "What is not deleted in that time")


@pytest.mark.parametrize("body", ["A hold suspends every period of this policy, and nobody deletes.", LONG, TABLE])
@pytest.mark.parametrize("tokenizer", ["words", "wordpiece"])
def test_no_far_hit_takes_the_place_of_the_best_one(body: str, tokenizer: str) -> None:
    """A budget takes the beginning of the best hit, or says what that takes: relevance, not the shortest path."""
    far = tuple(Doc(path=f"{n}.md", title="N", chunks=(Text(path=(), body=f"Four hold {n}."),)) for n in range(9))
    best = Doc(path="policies/records/retention.md", title="Hold", chunks=(Text(path=LONG_PATH, body=body),))
    found = search(collection([*far, best]), "hold suspends nobody factor paragraph enrolled flag", mode="lexical")
    assert found.hits[0].citation.document == best.path
    counter, empty = load_tokenizer(tokenizer), 0
    for budget in range(150):
        made = pack(found, max_tokens=budget, tokenizer=counter)
        assert made.tokens <= budget
        if made.items:
            assert 1 in {item.rank for item in made.items}
            assert made.notices == ()
            continue
        empty = budget
        assert {one.why for one in made.left_out} == {"budget"}
        (told,) = made.notices
        least = int(re.findall(r"takes (\d+)", told)[0])
        assert least > budget
        assert pack(found, max_tokens=least, tokenizer=counter).items
    assert empty == least - 1


@pytest.mark.parametrize(("budget", "whole"), [(-1, 4), (10, -1)])
def test_negative_numbers_are_refused(budget: int, whole: int) -> None:
    with pytest.raises(UsageError):
        packed(budget, whole)
