"""``withgrain chunk`` and ``audit``: without a collection."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from tests.e2e.shape import AUDIT, CUT, RECORD, problems
from tests.support import Run

Cli = Callable[..., Run]


def test_json_is_one_object_a_file(cli: Cli, docs: Path) -> None:
    """``chunk --json`` is NDJSON, one object a file; bodies are slices of the canonical text, exactly."""
    done = cli("chunk", docs / "runbooks/reset.md", docs / "schema/status.md", "--json")
    assert done.code == 0, done.stderr
    shapes = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(shapes) == 2
    for shape in shapes:
        assert problems(shape, CUT) == []
        assert shape["error"] is None
        for chunk in shape["chunks"]:
            if chunk["start"] is not None:
                assert shape["canonical_text"][chunk["start"] : chunk["end"]] == chunk["text"]
            assert chunk["text"] in chunk["embed_text"]
    assert shapes[0]["doc_metadata"]["owner"] == "security"


def test_records_are_ready_to_upsert(cli: Cli, docs: Path) -> None:
    """``--records`` prints one {id, content, metadata} a chunk; ids are the same on every run."""
    one, two = (cli("chunk", docs / "schema/status.md", "--records").stdout for _ in range(2))
    assert one == two
    records = [json.loads(line) for line in one.splitlines()]
    assert len({record["id"] for record in records}) == len(records) >= 2
    assert [p for record in records for p in problems(record, RECORD)] == []


def test_json_and_records_together_are_refused(cli: Cli, docs: Path) -> None:
    """Two forms at once: exit 2."""
    assert cli("chunk", docs / "schema/status.md", "--records", "--json").code == 2


def test_standard_input(cli: Cli) -> None:
    """``-`` reads standard input."""
    done = cli("chunk", "-", "--json", stdin="# A\n\n## B\n\nA sentence stands here, naïve and exact.\n")
    assert done.code == 0, done.stderr
    (chunk,) = json.loads(done.stdout)["chunks"]
    assert chunk["heading_path"] == ["A", "B"]
    assert "naïve" in chunk["text"]


def test_text_for_a_person(cli: Cli, docs: Path) -> None:
    """The human form names every chunk's path, lines and boundaries."""
    done = cli("chunk", docs / "schema/status.md")
    assert done.code == 0
    assert "Status codes › Disabled" in done.stdout
    assert re.search(r"\blines? \d+", done.stdout)
    assert "0 words lost" in done.stdout


def test_max_tokens_bounds_every_chunk(cli: Cli, tmp_path: Path) -> None:
    """``--max-tokens`` bounds what is embedded."""
    (tmp_path / "long.md").write_text("# Long\n\n" + "A plain sentence with a few words in it. " * 200)
    done = cli("chunk", "long.md", "--max-tokens", "60", "--json")
    chunks = json.loads(done.stdout)["chunks"]
    assert len(chunks) > 10
    assert max(chunk["tokens"] for chunk in chunks) <= 60


def test_unknown_policy_names_the_nearest(cli: Cli, docs: Path) -> None:
    """An unknown policy is a configuration error with the nearest name."""
    done = cli("chunk", docs / "schema/status.md", "--policy", "structure_awar")
    assert done.code == 3
    assert "structure_aware" in done.stderr


def test_a_named_file_of_unknown_format_is_an_error(cli: Cli, docs: Path, tmp_path: Path) -> None:
    """A file that the user named explicitly is an error; the others are cut."""
    (tmp_path / "a.xyz").write_text("something")
    done = cli("chunk", "a.xyz", docs / "schema/status.md", "--json")
    assert done.code == 4
    bad, good = (json.loads(line) for line in done.stdout.splitlines())
    assert problems(bad, CUT) == []
    assert bad["error"]["kind"] == "unknown_format"
    assert good["error"] is None
    assert "a.xyz" in done.stderr


def test_a_missing_file_is_a_usage_error(cli: Cli) -> None:
    """chunk takes paths that exist."""
    assert cli("chunk", "missing.md").code == 2


def test_a_folder_stands_for_its_files(cli: Cli, docs: Path) -> None:
    """Each file of a folder is one line of NDJSON; what is of no known format is said and stops nothing."""
    (docs / "picture.xyz").write_bytes(bytes(range(256)))
    done = cli("chunk", docs, "--json")
    assert done.code == 0
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["uri"] for one in found] == sorted(str(path) for path in docs.rglob("*.md"))
    assert all(problems(one, CUT) == [] for one in found)
    assert "picture.xyz" in done.stderr
    only = cli("chunk", docs, "--json", "--include", "schema/")
    assert {json.loads(line)["uri"] for line in only.stdout.splitlines()} == {
        str(path) for path in (docs / "schema").rglob("*.md")
    }


def test_audit_json_has_the_promised_shape(cli: Cli, docs: Path, tmp_path: Path) -> None:
    """``audit --json`` prints the promised shape, loses no word, rescues the small sections, and writes nothing."""
    before = sorted(p.name for p in tmp_path.iterdir())
    done = cli("audit", docs, "--json")
    assert done.code == 0, done.stderr
    shape = json.loads(done.stdout)
    assert problems(shape, AUDIT) == []
    assert len(shape["documents"]) == 3
    assert sum(document["words_lost"] for document in shape["documents"]) == 0
    assert sum(document["rescued"] for document in shape["documents"]) > 0
    assert sorted(p.name for p in tmp_path.iterdir()) == before


def test_audit_for_a_person(cli: Cli, docs: Path) -> None:
    """The human form has the table of fates and the words lost; -v the fate of every section with its reason."""
    done = cli("audit", docs)
    assert done.code == 0
    assert "words lost" in done.stdout
    assert "fate of sections" in done.stdout
    assert "Data retention › Exception" not in done.stdout
    assert "Data retention › Exception" in cli("audit", docs, "-v").stdout
