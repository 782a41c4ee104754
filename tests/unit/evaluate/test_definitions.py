"""The metrics are defined in one table of the documentation."""

from __future__ import annotations

import re

import pytest

from tests.support import repository
from withgrain.evaluate import METRICS


@pytest.mark.needs_repo
def test_every_metric_is_defined_in_the_table_and_no_other() -> None:
    """Quote: "Metrics, defined in one table in the docs with formulas"."""
    page = (repository() / "docs" / "concepts" / "evaluation.md").read_text(encoding="utf-8")
    table = page.split("## Metrics")[1].split("\n\n")[1]
    rows = [line.split(" | ") for line in table.splitlines()[2:]]
    defined = {name: row for row in rows for name in re.findall(r"`([^`]+)`", row[0])}
    assert set(defined) == {m.name for m in METRICS}
    for metric in METRICS:
        assert defined[metric.name][-1].strip(" |") == ("more" if metric.higher else "less")
