"""``withgrain eval`` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import Run, repository, run_cli


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with documents and questions, and the two collections of the field's own flow."""
    folder = tmp_path_factory.mktemp("eval")
    docs = folder / "docs"
    docs.mkdir()
    handbook = repository() / "examples" / "handbook"
    for name in ("policies/data-retention.md", "schema/status-codes.md"):
        (docs / Path(name).name).write_text((handbook / name).read_text(encoding="utf-8"), encoding="utf-8")
    chosen = []
    for line in (repository() / "examples" / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["doc_id"] in ("policies/data-retention.md", "schema/status-codes.md"):
            chosen.append(row | {"doc_id": Path(row["doc_id"]).stem})
    rows = [r for r in chosen if all("doc_id" not in ref for ref in r["references"])]
    (folder / "q.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    for policy, name in (("token_only", "a"), ("structure_aware", "b")):
        done = run_cli(["ingest", "docs", "--policy", policy, "-c", name, "--embedder", "none"], cwd=folder)
        assert done.code == 0, done.stderr
    return folder


def ask(place: Path, *arguments: str) -> Run:
    return run_cli(["eval", *arguments], cwd=place)


def test_the_literal_flow_of_the_field_works(place: Path) -> None:
    """Quote: "`ingest --policy token_only -c a`, `ingest --policy structure_aware -c b`, `eval q -c a -c b`"."""
    done = ask(place, "q.jsonl", "-c", "a", "-c", "b", "--json", "--report", "r.html")
    assert done.code == 0, done.stderr
    shape = json.loads(done.stdout)
    assert list(shape["collections"]) == ["a", "b"]
    assert shape["collections"]["a"]["policy"] == "token_only"
    assert shape["collections"]["b"]["cost"]["index_bytes"] > 0
    assert {c["candidate"] for c in shape["comparisons"]} == {"b"}
    assert (place / "r.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_policies_are_compared_in_one_command(place: Path) -> None:
    done = ask(place, "q.jsonl", "--docs", "docs", "-p", "fixed", "-p", "structure_aware", "--mode", "lexical")
    assert done.code == 0, done.stderr
    assert "fixed" in done.stdout and "structure_aware" in done.stdout and "recall@5" in done.stdout


def test_what_is_left_out_gives_exit_4_and_the_rest_runs(place: Path) -> None:
    good = (place / "q.jsonl").read_text(encoding="utf-8")
    bad = {"question": "?", "doc_id": "absent", "references": [{"text": "x"}]}
    (place / "bad.jsonl").write_text(f"{good}\n{json.dumps(bad)}\nnot json\n", encoding="utf-8")
    done = ask(place, "bad.jsonl", "-c", "b", "--json")
    assert done.code == 4
    lines = good.count("\n") + 1
    assert f"bad.jsonl:{lines + 1}:" in done.stderr and f"bad.jsonl:{lines + 2}:" in done.stderr
    assert json.loads(done.stdout)["questions"] == lines
    assert len(json.loads(done.stdout)["problems"]) == 2


def test_the_gate_is_pinned_and_closes_when_retrieval_gets_worse(place: Path) -> None:
    """Quote: "`withgrain eval gate baseline.json`: floors pinned with the corpus hash, exit 1 on a drop"."""
    done = ask(place, "gate", "gate.json", "--pin", "--questions", "q.jsonl", "-c", "b", "--mode", "lexical")
    assert done.code == 0, done.stderr
    shape = json.loads((place / "gate.json").read_text(encoding="utf-8"))
    assert shape["pinned"]["questions"] == ["q.jsonl"] and len(shape["corpus"]["documents"]) == 2
    shape["floors"]["mrr"] = 0.999
    (place / "strict.json").write_text(json.dumps(shape), encoding="utf-8")
    done = ask(place, "gate", "strict.json", "--json", "--junit", "j.xml", "--markdown", "m.md")
    assert done.code == 1, done.stderr
    assert [c["metric"] for c in json.loads(done.stdout)["checks"] if not c["passed"]] == ["mrr"]
    assert "below the floor" in (place / "j.xml").read_text() and "closed" in (place / "m.md").read_text()
    done = ask(place, "gate", "strict.json", "--pin")
    assert done.code == 1 and "--lower REASON" in done.stderr
    assert json.loads((place / "strict.json").read_text()) == shape
