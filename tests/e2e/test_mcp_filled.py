"""Answers of the tool ``search`` are as full as their limit allows."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import write
from tests.support import run_cli
from withgrain.mcp.budget import cost
from withgrain.mcp.calls import call
from withgrain.mcp.collections import Collections, States, named
from withgrain.mcp.tools.search import SEARCH
from withgrain.tokens import load_tokenizer


@pytest.fixture(scope="module")
def valves(tmp_path_factory: pytest.TempPathFactory) -> Collections:
    """Return sixty documents of a few sections each: more than any answer holds, under long headings."""
    place = tmp_path_factory.mktemp("valves")
    section = "## Close valve {0}.{1} of the northern harbour before the flood comes\n\n{2}\n\n"
    texts = ("Turn valve {0} to the left. ", "Turn the wheel of valve {0} slowly. " * 12, "Log valve {0}. " * 40)
    pages = {
        f"valves/{n}.md": f"# Valve {n}\n\n" + "".join(section.format(n, i, t.format(n)) for i, t in enumerate(texts))
        for n in range(60)
    }
    write(place / "docs", pages)
    assert run_cli(["ingest", "docs", "-c", "kb", "--embedder", "none"], cwd=place).code == 0
    return Collections(States(named([f"kb={place / 'kb'}"])))


@pytest.mark.parametrize("k", [1, 8, 50])
@pytest.mark.parametrize("limit", [500, 700, 1000, 4000, 20000])
@pytest.mark.parametrize("query", ["close the valve", "valve 7", "northern harbour wheel slowly"])
def test_an_answer_is_as_full_as_its_limit_allows(valves: Collections, query: str, limit: int, k: int) -> None:
    """An agent that asks for many hits gets texts, not names: what its limit has room for, never more."""
    count = load_tokenizer("wordpiece").count
    answer = call(valves, SEARCH, {"query": query, "k": k, "max_tokens": limit})
    spent = cost(answer, count)
    assert answer.data["hits"]
    assert spent <= limit
    assert len(answer.data["hits"]) == k or spent > 0.6 * limit


@pytest.mark.parametrize("limit", [1500, 20000])
def test_pages_of_an_answer_tell_every_hit_or_an_error(valves: Collections, limit: int) -> None:
    told, offset = [], 0
    while offset is not None:
        data = call(valves, SEARCH, {"query": "valve", "k": 50, "max_tokens": limit, "offset": offset}).data
        assert data["hits"]
        told += [entry["rank"] for entry in (*data["hits"], *data["left_out"])]
        offset = data["next_offset"]
    assert sorted(set(told)) == list(range(1, max(told) + 1))
    assert max(told) == 180
