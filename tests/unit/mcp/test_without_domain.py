"""Quote: "chunks without a domain are reported apart": to agents and in packed contexts, too, within the budget."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import withgrain
from withgrain.mcp.budget import Answer, cost
from withgrain.mcp.calls import call
from withgrain.mcp.collections import Collections, States
from withgrain.mcp.tools import TOOLS
from withgrain.model import Results
from withgrain.search import pack
from withgrain.tokens import load_tokenizer

SEARCH = next(tool for tool in TOOLS if tool.name == "search")
LONG = " ".join(f"The marmot number {i} sleeps in its burrow until spring comes." for i in range(40))


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("domains")
    (place / "docs").mkdir()
    for number in range(6):
        (place / "docs" / f"free{number}.md").write_text(f"# Free {number}\n\nA marmot without an owner.\n\n{LONG}\n")
        (place / "docs" / f"own{number}.md").write_text(
            f"---\ndomain: OKTA\n---\n\n# Own {number}\n\nA marmot of the domain.\n\n{LONG}\n"
        )
        (place / "docs" / f"other{number}.md").write_text(
            f"---\ndomain: ENTRA\n---\n\n# Other {number}\n\nA marmot of Entra.\n\n{LONG}\n"
        )
    withgrain.open(place / "kb", embedder="none").ingest(place / "docs")
    return place / "kb"


def ask(kb: Path, **arguments: Any) -> Answer:
    return call(Collections(States({"kb": kb}, embedder="none")), SEARCH, {"query": "marmot", **arguments})


@pytest.mark.parametrize("given", [{"domain": "OKTA"}, {"filters": ["domain = OKTA"]}, {"query": "marmot domain:OKTA"}])
@pytest.mark.parametrize("limit", [500, 700, 1500, 20_000])
def test_an_agent_hears_of_them_within_its_budget(kb: Path, given: dict[str, Any], limit: int) -> None:
    answer = ask(kb, **given, max_tokens=limit)
    apart = answer.data["without_domain"]
    assert 0 < len(apart) <= 3
    assert all(one["where"].startswith("free") and one["id"] in answer.text for one in apart)
    assert "state no domain" in answer.text
    assert answer.data["hits"] and all(hit["document"].startswith("own") for hit in answer.data["hits"])
    assert cost(answer, load_tokenizer("wordpiece").count) <= limit


def test_they_are_named_once_and_only_when_a_domain_is_asked_for(kb: Path) -> None:
    assert ask(kb, domain="OKTA", offset=1, k=1).data["without_domain"] == []
    plain = ask(kb)
    assert plain.data["without_domain"] == [] and "state no domain" not in plain.text


def test_they_are_named_where_nothing_is_found_in_the_domain(kb: Path) -> None:
    answer = ask(kb, domain="NOWHERE")
    assert answer.data["hits"] == [] and len(answer.data["without_domain"]) == 3


@pytest.mark.parametrize("budget", [0, 5, 20, 40, 80, 200, 2000])
def test_a_context_names_them_within_its_budget(kb: Path, budget: int) -> None:
    library = withgrain.open(kb, embedder="none")
    found = library.pack("marmot", max_tokens=budget, filter="domain = OKTA")
    assert found.tokens <= budget
    assert found.tokens == (load_tokenizer("wordpiece").count(found.text) if found.text else 0)
    assert [one.why for one in found.apart] == ["no_domain"] * 3
    assert not {one.chunk_id for one in found.apart} & {item.chunk_id for item in found.items}
    assert "Entra" not in found.text and "other" not in json.dumps(found.text)
    assert budget < 2000 or "Sections that state no domain, not shown: free" in found.text


def test_without_a_domain_a_context_is_as_before(kb: Path) -> None:
    found = withgrain.open(kb, embedder="none").search("marmot")
    tokenizer = load_tokenizer("words")
    assert pack(found, max_tokens=300, tokenizer=tokenizer).apart == ()
    again = Results(query=found.query, hits=found.hits, trace=found.trace)
    assert pack(found, max_tokens=300, tokenizer=tokenizer) == pack(again, max_tokens=300, tokenizer=tokenizer)
