"""What ``withgrain search`` does beside ranking: every flag changes the answer as it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support import Run, run_cli

WORDS = ("user session status events", "-c", "kb", "--mode", "lexical")


def asked(place: Path, *arguments: str) -> Run:
    done = run_cli(["search", *WORDS, *arguments], cwd=place)
    assert done.code == 0, done.stderr
    return done


def hits(place: Path, *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(asked(place, "--json", *arguments).stdout)["hits"]
    return found


def test_doc_gives_one_result_a_document(knowledge: Path) -> None:
    documents = [hit["document"] for hit in hits(knowledge, "--doc")]
    assert len(documents) == len(set(documents)) > 1
    assert "sections of this document" in asked(knowledge, "--doc").stdout


@pytest.mark.parametrize("expand", ["neighbours", "section"])
def test_expand_widens(knowledge: Path, expand: str) -> None:
    plain, wide = hits(knowledge, "-k", "1"), hits(knowledge, "-k", "1", "--expand", expand)
    assert plain[0]["body"].strip() in wide[0]["body"]
    assert (len(wide[0]["body"]) > len(plain[0]["body"])) or expand == "section"


def test_merge_and_diversity_keep_the_best_first(knowledge: Path) -> None:
    best = hits(knowledge, "-k", "1")[0]["chunk_id"]
    assert hits(knowledge, "--merge")[0]["chunk_id"] == best
    assert hits(knowledge, "--diversity", "0.5")[0]["chunk_id"] == best
    assert run_cli(["search", *WORDS, "--diversity", "2"], cwd=knowledge).code == 2


def test_rerank_is_in_the_trace_and_an_unknown_one_is_refused(knowledge: Path) -> None:
    shape = json.loads(asked(knowledge, "--rerank", "late", "--explain", "--json", "-k", "2").stdout)
    assert shape["trace"]["after"]["reranker"]
    assert run_cli(["search", *WORDS, "--rerank", "nonsense"], cwd=knowledge).code in (2, 3)


@pytest.mark.parametrize("budget", [0, 30, 5000])
def test_max_tokens_is_a_budget(knowledge: Path, budget: int) -> None:
    packed = json.loads(asked(knowledge, "--max-tokens", str(budget), "--json").stdout)
    assert packed["tokens"] <= budget
    assert bool(packed["items"]) == (budget > 0)
    assert packed["left_out"] or budget == 5000


def test_what_did_not_fit_is_named_with_a_line_that_works(knowledge: Path) -> None:
    told = asked(knowledge, "--max-tokens", "30").stderr
    line = told.partition("withgrain get ")[2].partition("\n")[0]
    assert run_cli(["get", *line.split()], cwd=knowledge).code == 0


def test_why_not_tells_the_stage(knowledge: Path) -> None:
    (other,) = hits(knowledge, "-k", "1", "--filter", "document = policies/retention.md")
    where = ("--filter", "document = schema/status.md")
    shape = json.loads(asked(knowledge, "--why-not", other["chunk_id"], *where, "--json").stdout)
    assert shape["stage"] == "filter"
    assert json.loads(asked(knowledge, "--why-not", "feed", "--json").stdout)["stage"] == "unknown"


def test_scope_hides_the_rest(knowledge: Path) -> None:
    """Quote: "binds a filter that callers cannot widen"."""
    scope = ("--scope", "document = schema/status.md")
    assert {hit["document"] for hit in hits(knowledge, *scope)} == {"schema/status.md"}
    assert hits(knowledge, *scope, "--filter", "document = policies/retention.md") == []
    assert run_cli(["get", "policies/retention.md", "-c", "kb", *scope], cwd=knowledge).code == 2


def test_of_many_copies_a_few_are_named_to_people_and_all_to_programs(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for number in range(9):
        (tmp_path / "docs" / f"v{number}.md").write_text("# Valves\n\nTurn the green valve.\n", encoding="utf-8")
    assert run_cli(["ingest", "docs", "-c", "kb", "--embedder", "none"], cwd=tmp_path).code == 0
    shown = run_cli(["search", "green valve", "-c", "kb"], cwd=tmp_path).stdout
    assert "also in v1.md, v2.md, v3.md and 5 more" in shown
    (hit,) = json.loads(run_cli(["search", "green valve", "-c", "kb", "--json"], cwd=tmp_path).stdout)["hits"]
    assert hit["copies"] == [f"docs/v{n}.md" for n in range(1, 9)]
