"""``withgrain search``, ``get`` and ``info`` over a collection."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.conftest import DOCUMENTS
from tests.e2e.shape import SEARCH, problems
from tests.support import run_cli


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense"])
def test_json_has_the_promised_shape(knowledge: Path, mode: str) -> None:
    """``search --json`` prints the promised shape; a hit's span is the body, exactly, in the file."""
    done = run_cli(["search", "how do I reset a credential?", "-c", "kb", "--mode", mode, "--json"], cwd=knowledge)
    assert done.code == 0, done.stderr
    shape = json.loads(done.stdout)
    assert problems(shape, SEARCH) == []
    assert [hit["rank"] for hit in shape["hits"]] == list(range(1, len(shape["hits"]) + 1))
    assert shape["hits"][0]["document"] == "runbooks/reset.md"
    for hit in shape["hits"]:
        if hit["source_span"] is None:
            continue
        start, end = hit["source_span"]
        assert DOCUMENTS[hit["document"]][start:end] == hit["body"]


def test_identifier_is_found_literally(knowledge: Path) -> None:
    """A question with an identifier finds the section that has it, first."""
    done = run_cli(["search", "statuskey=7", "-c", "kb", "-k", "1", "--json"], cwd=knowledge)
    (hit,) = json.loads(done.stdout)["hits"]
    assert hit["heading_path"][-1] == "Disabled"


def test_other_words_than_the_text(knowledge: Path) -> None:
    """Where words differ the vectors find the section."""
    done = run_cli(
        ["search", "prevent erasing evidence during litigation", "-c", "kb", "-k", "1", "--json"],
        cwd=knowledge,
    )
    (hit,) = json.loads(done.stdout)["hits"]
    assert (hit["document"], hit["heading_path"][-1]) == ("policies/retention.md", "Exception")


def test_text_for_a_person(knowledge: Path) -> None:
    """The human form has rank, citation and the first lines of the text."""
    done = run_cli(["search", "legal hold", "-c", "kb", "-k", "2"], cwd=knowledge)
    assert done.code == 0
    first, *rest = done.stdout.splitlines()
    assert first.startswith(" 1. policies/retention.md › Data retention › Exception")
    assert "line" in first
    assert any("legal hold stops the purge job" in line for line in rest)


def test_explain_shows_the_trace(knowledge: Path) -> None:
    """``--explain`` adds the trace, and only then."""
    plain = json.loads(run_cli(["search", "hold", "-c", "kb", "--json"], cwd=knowledge).stdout)
    explained = json.loads(run_cli(["search", "hold", "-c", "kb", "--json", "--explain"], cwd=knowledge).stdout)
    assert "trace" not in plain
    assert explained["trace"]


def test_filter_narrows(knowledge: Path) -> None:
    """Only chunks that match the filter are hits."""
    done = run_cli(["search", "user", "-c", "kb", "--filter", "document = schema/status.md", "--json"], cwd=knowledge)
    assert {hit["document"] for hit in json.loads(done.stdout)["hits"]} == {"schema/status.md"}


def test_unknown_field_of_a_filter_is_a_usage_error(knowledge: Path) -> None:
    """A filter that cannot be read ends with exit code 2 and names the nearest field."""
    done = run_cli(["search", "user", "-c", "kb", "--filter", "documnet = a"], cwd=knowledge)
    assert done.code == 2
    assert "document" in done.stderr
    assert done.stdout == ""


def test_get_returns_the_whole_section(knowledge: Path) -> None:
    """outline → snippets → get(id): a chunk, its section and its document are there by id."""
    found = run_cli(["search", "legal hold", "-c", "kb", "-k", "1", "--json"], cwd=knowledge)
    (hit,) = json.loads(found.stdout)["hits"]
    done = run_cli(["get", hit["chunk_id"], "-c", "kb", "--json"], cwd=knowledge)
    assert done.code == 0, done.stderr
    content = json.loads(done.stdout)
    assert content["kind"] == "chunk"
    assert content["chunks"][0]["text"] == hit["body"]
    section = json.loads(
        run_cli(["get", content["chunks"][0]["parent_id"], "-c", "kb", "--json"], cwd=knowledge).stdout
    )
    assert section["kind"] == "section"
    assert hit["body"].strip() in section["text"]


def test_get_unknown_id_is_a_usage_error(knowledge: Path) -> None:
    """An id that is not there: exit 2, and the id is named."""
    done = run_cli(["get", "0" * 32, "-c", "kb"], cwd=knowledge)
    assert done.code == 2
    assert "0" * 32 in done.stderr


def test_info(knowledge: Path) -> None:
    """``info`` counts documents and names the contract."""
    shape = json.loads(run_cli(["info", "-c", "kb", "--json"], cwd=knowledge).stdout)
    assert shape["documents"] == 3
    assert shape["leaves"] > 0
    assert shape["contract"]["embedder"].startswith("minilm")
    assert "documents" in run_cli(["info", "-c", "kb"], cwd=knowledge).stdout


def test_search_without_a_collection(tmp_path: Path) -> None:
    """Searching before anything was ingested is a usage error that says what to do, and creates nothing."""
    done = run_cli(["search", "anything"], cwd=tmp_path)
    assert done.code == 2
    assert "ingest" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_empty_question(knowledge: Path) -> None:
    """An empty question is a usage error."""
    assert run_cli(["search", "  ", "-c", "kb"], cwd=knowledge).code == 2
