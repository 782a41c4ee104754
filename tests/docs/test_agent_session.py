"""The session of an agent that the documentation shows, and one over a large corpus: find, read and cite."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import withgrain
from tests.docs.blocks import code_blocks, shows
from tests.support import repository, shared
from withgrain.mcp.calls import call
from withgrain.mcp.collections import Collections, States
from withgrain.mcp.tools import TOOLS

pytestmark = pytest.mark.needs_repo
_NAMED = re.compile(r"\{([a-z]+(?:\.\w+)*)\}")


def filled(value: Any, before: Mapping[str, Any]) -> Any:
    """Return an argument with ``{hits.0.section}`` replaced by what the answer before has there."""
    found = _NAMED.fullmatch(value) if isinstance(value, str) else None
    if not found:
        return value
    here: Any = before
    for step in found[1].split("."):
        here = here[int(step)] if step.isdigit() else here[step]
    return here


def test_the_page_shows_what_happens(tmp_path: Path) -> None:
    """Each call of the page is made, and answered as the page shows."""
    withgrain.open(tmp_path / "kb", embedder="none").ingest(repository() / "examples" / "handbook")
    served = Collections(States({"handbook": tmp_path / "kb"}, embedder="none"))
    tools = {tool.name: tool for tool in TOOLS}
    printed, before, calls = "", {}, 0
    for block in code_blocks(repository() / "docs" / "agent-session.md"):
        if block.language == "json":
            given = {name: filled(value, before) for name, value in json.loads(block.text).items()}
            answer = call(served, tools[given.pop("tool")], given)
            printed, before, calls = answer.text, answer.data, calls + 1
        else:
            assert shows(block.text, printed), (block.line, printed)
    assert calls == 6


#: Questions over the documentation of operations that are asked, and how many must lead to their section.
ASKED = 8
FOUND = 7


def test_finds_reads_and_cites_in_techops(tmp_path: Path) -> None:
    """search → get → cite leads to the section that answers a question about techops, and to a checked quote of it."""
    place = shared() / "eval"
    lines = (place / "techops.dev.questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [q for q in map(json.loads, lines) if q["doc_id"].startswith("cm__")][:ASKED]
    pages = sorted((place / "corpus" / "techops").glob("cm__*.md"))
    withgrain.open(tmp_path / "kb", embedder="none").ingest(*pages)
    served = Collections(States({"techops": tmp_path / "kb"}, embedder="none"))
    tools = {tool.name: tool for tool in TOOLS}
    found = 0
    for question in questions:
        answer, document = question["references"][0]["text"], f"{question['doc_id']}.md"
        hits = call(served, tools["search"], {"query": question["question"]}).data["hits"]
        read = [
            call(served, tools["get"], {"id": hit["section"] or hit["id"], "document": document})
            for hit in hits
            if hit["document"] == document
        ]
        found += any(answer in one.data["text"] for one in read)
        cited = call(served, tools["cite"], {"quote": answer}).data
        assert cited["found"] == "exact"
        assert document in {where["document"] for where in cited["places"]}
    assert found >= FOUND
