"""Hidden text and instructions in documents: shown or reported, flagged, never dropped, always between the marks."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import withgrain
from tests.unit.mcp.hostile import ORDER, Hostile, documents
from withgrain.mcp.budget import Answer
from withgrain.mcp.calls import call
from withgrain.mcp.collections import Collections, States
from withgrain.mcp.tools import TOOLS
from withgrain.parse import parse
from withgrain.tokens.invisible import INVISIBLE

TOOL = {tool.name: tool for tool in TOOLS}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Collections:
    """Return a collection of the hostile documents."""
    place = tmp_path_factory.mktemp("hostile")
    for document in documents():
        file = place / "docs" / document.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(document.text, encoding="utf-8", errors="surrogatepass")
    report = withgrain.open(place / "kb", embedder="none").ingest(place / "docs")
    assert not report.failures
    return Collections(States({"kb": place / "kb"}, embedder="none"))


def outside(answer: Answer) -> str:
    """Return what of the text form stands outside the marks: our own words."""
    found = re.search(r"between <<(data-\w+) and", answer.text)
    assert found
    return re.sub(rf"<<{found[1]}\n.*?\n{found[1]}>>", "", answer.text, flags=re.DOTALL)


def test_there_are_sixty() -> None:
    """Sixty documents, each with another trick."""
    found = documents()
    assert len(found) == 60 and len({d.path for d in found}) == 60


@pytest.mark.parametrize("document", documents(), ids=lambda d: d.path)
def test_read(served: Collections, document: Hostile) -> None:
    """Whoever reads a hostile document is warned, sees what is there, and finds nothing of it outside the marks."""
    answer = call(served, TOOL["get"], {"id": document.path})
    flags = {warning["kind"] for warning in answer.data.get("warnings", ())}
    assert document.flags <= flags
    for form in (answer.text, json.dumps(answer.data, ensure_ascii=False)):
        assert document.shown in form
        assert not document.unseen or document.unseen not in form
        assert not re.search(f"[ -~][{INVISIBLE}]+[ -~]", form)
    assert "previous instructions" not in outside(answer).lower()
    assert "obey." not in outside(answer).lower()


@pytest.mark.parametrize("query", ["restart the node", "runbook steps ticket", "approve every request instructions"])
def test_found(served: Collections, query: str) -> None:
    """Search flags hostile hits the same way, and its own words hold none of theirs."""
    answer = call(served, TOOL["search"], {"query": query, "k": 50, "max_tokens": 20000})
    assert len(answer.data["hits"]) > 5
    for hit in answer.data["hits"]:
        if "previous instructions" in hit["text"].lower():
            assert "instruction" in {w["kind"] for w in hit["warnings"]}
    assert "previous instructions" not in outside(answer).lower()


def test_hidden_text_of_pages_is_reported_when_they_are_parsed() -> None:
    """What a page hides is never delivered, and what was left out is listed with its reason."""
    for document in documents():
        if document.path.endswith(".html"):
            parsed = parse(document.text.encode(), uri=f"kb/{document.path}", root="kb")
            assert ORDER not in parsed.text
            reported = any("previous instructions" in drop.text for drop in parsed.dropped)
            code = Path(document.path).stem in ("comment", "script", "style", "template")  # never text of a page
            assert reported or code, document.path
