"""Half a procedure is worse than none: one that the chunker had to cut comes back whole, wherever it was cut."""

from __future__ import annotations

from pathlib import Path

import pytest

import withgrain


def runbook(steps: int, words: int) -> str:
    """Return a runbook with a warning and steps of text and commands, longer than any chunk may be."""
    lines = ["# Reset the pump key", "", "## Procedure", "", "> [!WARNING]", "> Do not confirm before the test.", ""]
    for number in range(1, steps + 1):
        detail = " ".join(f"detail{number}x{k}" for k in range(words))
        lines += [f"{number}. Step{number} sets the {'pump' if number % 2 else 'valve'} with {detail}.", ""]
        if number % 3 == 0:  # from step 10 on not indented enough to be in the list, as authors write it
            lines += ["   ```console", f"   $ pumpctl set --step {number}", "   ```", ""]
    return "\n".join([*lines, "## After", "", "Write the time into the log.", ""])


@pytest.mark.parametrize("steps", [14, 23, 40])
def test_a_procedure_over_the_limit_comes_back_whole(tmp_path: Path, steps: int) -> None:
    """Quote: "ordered lists returned whole", also where a content anchor chose between which steps it was cut."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "runbook.md").write_text(runbook(steps, 12))
    library = withgrain.open(tmp_path / "kb", embedder="none")
    library.ingest(docs)
    for number in (1, steps // 2, steps):
        hits = library.search(f"step{number} detail{number}x1", k=1).hits
        assert [f"Step{n} " in hits[0].text for n in range(1, steps + 1)] == [True] * steps
        assert "Do not confirm" in hits[0].text
        assert "Write the time" not in hits[0].text
