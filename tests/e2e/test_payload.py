"""Facts and payload of a chunk are complete: in `chunk --records` and in the fields of a collection."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support import repository, run_cli

TEXT = """---
url: https://example.com/users
domain: okta
---
# Users

@@OKTA:USERS

## 4.2 Suspend a user {#suspend}

See [states](states.md). `POST /api/v1/users/{id}/suspend` fails with E0000001 when `statuskey=1`.

## 4.3 More

Plain text of this clause.
"""


def test_records_and_fields_say_the_same(tmp_path: Path) -> None:
    """Class, clause, lines, url, modified, neighbours, parent, ordinal/total, links, markers, ingestion_version."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "users.md").write_text(TEXT)
    lines = run_cli(["chunk", "docs/users.md", "--records"], cwd=tmp_path).stdout.splitlines()
    records = [json.loads(line)["metadata"] for line in lines]
    suspend, more = (next(r for r in records if r["clause"] == c) for c in ("4.2", "4.3"))
    assert suspend["markers"] == more["markers"] == ["@@OKTA:USERS"]
    assert suspend["domain"] == ["OKTA"]
    assert suspend["links"] == ["states.md"]
    assert suspend["url"] == "https://example.com/users"
    assert suspend["anchor"] == "suspend"
    assert suspend["modified"].endswith("Z") or "+" in suspend["modified"]
    assert suspend["lines"] == [11, 11]
    assert suspend["next_id"] and suspend["prev_id"] and suspend["parent_id"]
    assert (suspend["ordinal"], suspend["total"]) == (1, 3)
    assert suspend["class"]
    assert len(suspend["ingestion_version"]) == 16
    assert run_cli(["ingest", "docs", "--embedder", "none"], cwd=tmp_path).code == 0
    for condition, count in (
        ("clause=4.2", 1),
        ("url=https://example.com/users", 3),
        ("links=states.md", 1),
        ("anchor=suspend", 1),
        (f"ingestion_version={suspend['ingestion_version']}", 3),
        ("line=11", 1),
        ("total=3", 3),
    ):
        done = run_cli(["search", "user text users", "--filter", condition, "--json"], cwd=tmp_path)
        assert len(json.loads(done.stdout)["hits"]) <= count, condition
        assert json.loads(done.stdout)["hits"], condition


def test_the_join_path_can_be_followed(tmp_path: Path) -> None:
    """entitlement_values -> ACCOUNTKEY -> accounts -> USERKEY -> users, step by step through `withgrain related`."""
    handbook = repository() / "examples" / "handbook"
    assert run_cli(["ingest", str(handbook), "--embedder", "none"], cwd=tmp_path).code == 0

    def tables(**condition: str) -> list[dict[str, Any]]:
        expression = [f"{name}={value}" for name, value in condition.items()]
        done = run_cli(["search", "table row key", "-f", "document=schema/ledger-tables.md", "-k", "30", "--json",
                        *(a for e in expression for a in ("-f", e))], cwd=tmp_path)  # fmt: skip
        return list(json.loads(done.stdout)["hits"])

    ids = {hit["heading_path"][-1]: hit["chunk_id"] for hit in tables()}

    def joined(start: str, goal: str) -> list[str]:
        done = run_cli(["related", ids[start], "--limit", "30", "--json"], cwd=tmp_path)
        found = json.loads(done.stdout)["related"]
        return next(r["shared"]["keys"] for r in found if r["chunk_id"] == ids[goal])

    assert "ACCOUNTKEY" in joined("entitlement_values", "accounts")
    assert "USERKEY" in joined("accounts", "users")
