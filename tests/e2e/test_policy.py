"""`withgrain policy`, and what a policy, class, detector or word of withgrain.toml does to every command."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from tests.support import run_cli

TOML = """
embedder = "none"
[policy]
use = "runbooks"
[policy.runbooks]
extends = "structure_aware"
merge = "siblings"
[classes]
"run/**" = "incident"
[domains]
"run/**" = "OPS"
[[detector]]
name = "ticket"
field = "codes"
pattern = 'TCK-[a-z]+'
[vocabulary.operations]
disable = ["park"]
"""


def _place(tmp_path: Path) -> Path:
    (tmp_path / "withgrain.toml").write_text(TOML)
    (tmp_path / "docs" / "run").mkdir(parents=True)
    (tmp_path / "docs" / "run" / "a.md").write_text("# Parked\n\nPark the user, see TCK-abc.\n")
    return tmp_path


def test_list_names_all_and_the_one_in_use(tmp_path: Path) -> None:
    """`policy list` shows built-in and own policies with versions and fingerprints."""
    done = run_cli(["policy", "list", "--json"], cwd=_place(tmp_path))
    rows = json.loads(done.stdout)["policies"]
    assert {"structure_aware", "semantic", "parent_child", "page", "strict", "runbooks"} <= {r["name"] for r in rows}
    assert [r["name"] for r in rows if r["used"]] == ["runbooks"]
    assert all(len(r["fingerprint"]) == 16 and r["version"] for r in rows)
    assert "* runbooks" in run_cli(["policy", "list"], cwd=tmp_path).stdout


def test_show_says_where_each_value_comes_from(tmp_path: Path) -> None:
    """`policy show NAME`: every value with its origin."""
    shown = json.loads(run_cli(["policy", "show", "runbooks", "--json"], cwd=_place(tmp_path)).stdout)["values"]
    assert shown["merge"]["value"] == "siblings"
    assert shown["merge"]["origin"].endswith("withgrain.toml:7")
    assert shown["class.sop.max"] == {"value": 440, "origin": "built in"}
    text = run_cli(["policy", "show", "runbooks"], cwd=tmp_path).stdout
    assert "withgrain.toml:7" in text


def test_show_as_toml_can_be_used_again(tmp_path: Path) -> None:
    """`--toml` prints a table that another withgrain.toml can hold."""
    text = run_cli(["policy", "show", "runbooks", "--toml"], cwd=_place(tmp_path)).stdout
    assert tomllib.loads(text)["policy"]["runbooks"]["merge"] == "siblings"
    (tmp_path / "withgrain.toml").write_text(text)
    again = run_cli(["policy", "show", "runbooks", "--toml"], cwd=tmp_path)
    assert (again.code, again.stdout) == (0, text)


def test_an_unknown_policy_is_a_configuration_error(tmp_path: Path) -> None:
    """Exit code 3, with the nearest name."""
    done = run_cli(["policy", "show", "runbook"], cwd=_place(tmp_path))
    assert done.code == 3
    assert "Did you mean runbooks?" in done.stderr


def test_the_settings_shape_ingest_and_audit(tmp_path: Path) -> None:
    """Class by path with its reason, domain by path, own detector and word: in `audit` and in the collection."""
    place = _place(tmp_path)
    audit = json.loads(run_cli(["audit", "docs", "--json"], cwd=place).stdout)["documents"][0]
    assert audit["doc_class"] == "incident"
    assert audit["class_reasons"] == ['The settings say that "run/**" is incident.']
    assert run_cli(["ingest", "docs"], cwd=place).code == 0
    for condition in ("class=incident", "domain=OPS", "codes=TCK-abc", "operations=disable"):
        found = json.loads(run_cli(["search", "user", "--filter", condition, "--json"], cwd=place).stdout)
        assert len(found["hits"]) == 1, condition
    kept = json.loads(run_cli(["ingest", "docs", "--json"], cwd=place).stdout)
    assert kept["documents"]["kept"] == 1
    (place / "withgrain.toml").write_text(TOML.replace('"incident"', '"faq"'))
    changed = json.loads(run_cli(["ingest", "docs", "--json"], cwd=place).stdout)
    assert changed["documents"]["updated"] == 1


def test_other_detectors_are_another_contract(tmp_path: Path) -> None:
    """The user's detectors are part of the contract's detector fingerprint."""
    place = _place(tmp_path)
    assert run_cli(["ingest", "docs"], cwd=place).code == 0
    (place / "withgrain.toml").write_text(TOML.replace("TCK", "TKT"))
    refused = run_cli(["ingest", "docs"], cwd=place)
    assert refused.code == 3
    assert "detectors" in refused.stderr


def test_semantic_without_an_embedder_is_refused(tmp_path: Path) -> None:
    """From the command line the collection's embedder is used; `none` is an error that names a way out."""
    done = run_cli(["chunk", "docs/run/a.md", "-p", "semantic"], cwd=_place(tmp_path))
    assert done.code == 3
    assert "needs an embedder" in done.stderr


def test_a_removed_class_rule_cuts_again_at_the_next_ingest(tmp_path: Path) -> None:
    """Without the rule its documents are classified by their content again, and nothing else is touched."""
    place = _place(tmp_path)
    (place / "docs" / "b.md").write_text("# Other\n\nPlain words.\n")

    def ingest() -> dict[str, int]:
        done = run_cli(["ingest", "docs", "--json"], cwd=place)
        assert done.code == 0, done.stderr
        documents: dict[str, int] = json.loads(done.stdout)["documents"]
        return documents

    assert ingest()["added"] == 2
    assert ingest()["kept"] == 2
    (place / "withgrain.toml").write_text(TOML.replace('"run/**" = "incident"\n', ""))
    changed = ingest()
    assert (changed["updated"], changed["kept"]) == (1, 1)
    assert ingest()["kept"] == 2
