"""``withgrain ingest`` as a user runs it: what it prints, writes and returns."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.e2e.conftest import write
from tests.e2e.shape import INGEST, problems
from tests.support import Run

Cli = Callable[..., Run]


def test_json_has_the_promised_shape(cli: Cli, docs: Path) -> None:
    """``ingest --json`` prints one object of the promised shape, and nothing else on stdout."""
    done = cli("ingest", docs, "-c", "kb", "--embedder", "none", "--json")
    assert done.code == 0, done.stderr
    report = json.loads(done.stdout)
    assert problems(report, INGEST) == []
    assert report["documents"]["added"] == 3
    assert report["words_lost"] == 0
    assert report["chunks"] >= 5


def test_vectors_of_the_bundled_model(cli: Cli, docs: Path) -> None:
    """Without a flag the bundled model embeds; the second run embeds nothing, writes nothing, and says so."""
    first = json.loads(cli("ingest", docs, "--json").stdout)
    assert first["embedded"] > 0
    second = cli("ingest", docs)
    assert second.code == 0, second.stderr
    assert "Nothing changed: 0 embedded, 0 written." in second.stdout
    report = json.loads(cli("ingest", docs, "--json").stdout)
    assert report["documents"] == {"kept": 3} | dict.fromkeys(
        ("added", "updated", "renamed", "deleted", "failed", "skipped"), 0
    )
    assert set(report["written"].values()) == {0}


def test_default_collection_is_in_the_working_directory(cli: Cli, docs: Path, tmp_path: Path) -> None:
    """The default collection is ./.withgrain."""
    assert cli("ingest", docs, "--embedder", "none").code == 0
    assert (tmp_path / ".withgrain").is_dir()


def test_update_rename_delete(cli: Cli, docs: Path) -> None:
    """A changed document is updated, a moved one renamed, a removed one deleted; the others are kept."""
    write(docs, {"extra.md": "# Extra\n\nOne more page for the folder.\n"})
    assert cli("ingest", docs, "--embedder", "none").code == 0
    (docs / "policies/retention.md").write_text("# Data retention\n\nEverything is kept for a year.\n")
    (docs / "schema/status.md").rename(docs / "schema/codes.md")
    (docs / "extra.md").unlink()
    counts = json.loads(cli("ingest", docs, "--embedder", "none", "--json").stdout)["documents"]
    assert {k: v for k, v in counts.items() if v} == {"updated": 1, "renamed": 1, "deleted": 1, "kept": 1}


def test_dry_run_writes_nothing(cli: Cli, docs: Path, tmp_path: Path) -> None:
    """``--dry-run`` says what would be done and leaves no collection behind."""
    done = cli("ingest", docs, "-c", "kb", "--embedder", "none", "--dry-run")
    assert done.code == 0, done.stderr
    assert "would add" in done.stdout
    assert "Dry run, nothing written" in done.stdout
    assert not (tmp_path / "kb").exists()
    report = json.loads(cli("ingest", docs, "-c", "kb", "--embedder", "none", "--dry-run", "--json").stdout)
    assert problems(report, INGEST) == []
    assert [action["action"] for action in report["dry_run"]["actions"]] == ["add"] * 3


def test_progress_only_on_a_terminal(cli: Cli, docs: Path) -> None:
    """Progress bars appear on a terminal only: with stderr in a pipe a clean run says nothing there."""
    assert cli("ingest", docs, "--embedder", "none").stderr == ""


def test_labels_and_domains_reach_the_filter(cli: Cli, docs: Path, tmp_path: Path) -> None:
    """Labels and path rules of the settings can be asked for in a filter."""
    (tmp_path / "withgrain.toml").write_text(
        'embedder = "none"\n[labels]\nteam = "iam"\n[domains]\n"schema/**" = "LEDGER"\n'
    )
    assert cli("ingest", docs).code == 0
    found = cli(
        "search", "status of the user", "--filter", "domain = LEDGER", "--filter", "labels contains team=iam", "--json"
    )
    hits = json.loads(found.stdout)["hits"]
    assert {hit["document"] for hit in hits} == {"schema/status.md"}


def test_another_contract_is_refused_for_writing(cli: Cli, docs: Path) -> None:
    """Only writing with a different contract is refused: exit 3, the fields that differ are named."""
    assert cli("ingest", docs, "--embedder", "none").code == 0
    done = cli("ingest", docs, "--embedder", "none", "--policy", "heading")
    assert done.code == 3
    assert "policy" in done.stderr
    assert "Traceback" not in done.stderr
    assert cli("search", "legal hold").code == 0
