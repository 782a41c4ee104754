"""Secrets at ingestion: always reported, masked or refused by policy, and nothing else of the document changes."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from tests.unit.signals.test_secrets import SAMPLES
from withgrain.chunk import load_policy
from withgrain.errors import DocumentError
from withgrain.ingest.guarding import guarded
from withgrain.model import Document
from withgrain.parse import parse

TOKEN = SAMPLES["github token"][1]
PAGE = f"""---
title: Deploy with {TOKEN}
---

# Deploy {TOKEN}

- Use [this](https://host/{TOKEN}) and `export TOKEN={TOKEN}`.

<!-- {TOKEN} -->
"""


def page(text: str = PAGE) -> Document:
    """Return a parsed page."""
    return parse(text.encode(), uri="kb/deploy.md", root="kb")


def test_off_reports_without_touching() -> None:
    """Off by default, reported always: the document is as it was, with a notice that shows no secret."""
    document = guarded(page(), "off")
    assert document.text == page().text
    (notice,) = document.notices
    assert notice.kind == "secrets" and "github token (5)" in notice.message and TOKEN not in notice.message


def test_report_names_each_place() -> None:
    """``report`` says the line of each."""
    said = [n.message for n in guarded(page(), "report").notices]
    assert len(said) == 5 and "line 2" in said[0] and "line 5" in said[1]


def test_mask_leaves_nothing_and_moves_nothing() -> None:
    """Nothing of the document holds a masked secret, and every block stands where it stood."""
    before, after = page(), guarded(page(), "mask")
    assert TOKEN not in json.dumps(asdict(after), default=str)
    assert len(after.text) == len(before.text)
    assert [b.span for b in after.blocks] == [b.span for b in before.blocks]
    assert "█" in after.title


def test_refuse_fails_the_document_and_shows_no_secret() -> None:
    """``refuse`` is an error that says which family and where."""
    with pytest.raises(DocumentError, match="github token") as error:
        guarded(page(), "refuse")
    assert TOKEN not in str(error.value) and "line 2" in str(error.value)


def test_clean_documents_stay_as_they_are() -> None:
    """Without a secret every mode returns the document itself."""
    clean = page("# Fine\n\nNothing here.\n")
    assert all(guarded(clean, mode) is clean for mode in ("off", "report", "mask", "refuse"))  # type: ignore[arg-type]


def test_only_masking_is_another_contract() -> None:
    """What changes no chunk needs no new collection."""
    prints = {mode: load_policy({"secrets": mode}).fingerprint for mode in ("off", "report", "refuse", "mask")}
    assert prints["off"] == prints["report"] == prints["refuse"] == load_policy({}).fingerprint
    assert prints["mask"] != prints["off"]
