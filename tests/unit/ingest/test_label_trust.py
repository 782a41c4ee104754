"""Documents are untrusted: what they say of themselves never puts them into a scope that the operator's labels make."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import withgrain
from withgrain.ingest.records import Placement

RULES = (("a/**", "tenant=a"), ("b/**", "tenant=b"))
FORMS: tuple[dict[str, Any], ...] = (
    {"tenant": "a"},
    {"tenant": ["b", "a"]},
    {"tenant ": "a"},
    {" tenant": "a"},
    {"Tenant": "a"},
    {"ｔｅｎａｎｔ": "a"},
    {"labels": {"tenant": "a"}},
    {"labels": ["tenant=a"]},
    {"labels": ["tenant =a", " tenant= a"]},
    {"labels": {"tenant": ["a", "b"]}},
)


@pytest.mark.parametrize("meta", FORMS)
@pytest.mark.parametrize("path", ["b/forged.md", "elsewhere/forged.md"])
def test_front_matter_adds_no_label_of_a_key_that_a_rule_gives(meta: dict[str, Any], path: str) -> None:
    """Not to a document with another value, and not to one that no rule labels."""
    labels = Placement.of(label_rules=RULES).labels_of(path, {**meta, "owner": "x"})
    assert labels == (("tenant=b", "owner=x") if path.startswith("b/") else ("owner=x",))


@pytest.mark.parametrize("meta", FORMS)
def test_nor_one_that_the_run_gives(meta: dict[str, Any]) -> None:
    assert Placement.of(labels=("tenant=b",)).labels_of("a.md", meta) == ("tenant=b",)


_TEXTS = st.text(alphabet="tenant=Ab ,\t", max_size=12)
_META = st.dictionaries(
    st.one_of(_TEXTS, st.sampled_from(["labels", "tenant"])),
    st.one_of(_TEXTS, st.lists(_TEXTS, max_size=3), st.dictionaries(_TEXTS, _TEXTS, max_size=3)),
    max_size=5,
)


@given(_META)
def test_no_front_matter_at_all_makes_the_label_of_a_scope(meta: dict[str, Any]) -> None:
    labels = Placement.of(label_rules=RULES).labels_of("b/forged.md", meta)
    assert labels[0] == "tenant=b"
    assert not any(label.partition("=")[0].strip().lower() == "tenant" for label in labels[1:])
    assert Placement.of(front_matter=False).labels_of("b/forged.md", meta) == ()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_forged_document_is_outside_the_scope(tmp_path: Path, workers: int) -> None:
    """Whichever process cuts; a collection that was made without the rules is put right by the next ingest."""
    docs = tmp_path / "docs"
    for path, text in (
        ("a/own.md", "# Own\n\nThe marmot of a.\n"),
        ("b/forged.md", "---\ntenant: a\n---\n\n# Forged\n\nThe marmot of b.\n"),
        ("c/free.md", "---\ntenant: a\n---\n\n# Free\n\nThe marmot of nobody.\n"),
    ):
        (docs / path).parent.mkdir(parents=True)
        (docs / path).write_text(text)
    library = withgrain.open(tmp_path / "kb", embedder="none")

    def inside() -> set[str]:
        scoped = withgrain.open(tmp_path / "kb", embedder="none", scope="tenant=a")
        return {hit.citation.document for hit in scoped.search("marmot").hits}

    library.ingest(docs, workers=workers)
    assert inside() == {"b/forged.md", "c/free.md"}
    library.ingest(docs, workers=workers, front_matter_labels=False)
    assert inside() == set()
    library.ingest(docs, workers=workers, label_rules=RULES)
    assert inside() == {"a/own.md"}
