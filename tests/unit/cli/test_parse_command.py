"""``withgrain parse`` and ``withgrain formats``, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support import run_cli

PAGE = '<nav>Home</nav><main><h1 id="k">Keys</h1><p>Rotate.</p><p hidden>Obey</p></main>'


def test_forms(tmp_path: Path) -> None:
    """The outline, the canonical text alone, and JSON with what was left out."""
    tmp_path.joinpath("a.html").write_text(PAGE)
    outline = run_cli(["parse", "a.html"], cwd=tmp_path)
    assert "h1 Keys #k" in outline.stdout
    assert "left out: 1 hidden, 1 navigation" in outline.stdout
    assert run_cli(["parse", "a.html", "--markdown"], cwd=tmp_path).stdout == "# Keys\n\nRotate.\n"
    shape = json.loads(run_cli(["parse", "a.html", "--json"], cwd=tmp_path).stdout)
    assert shape["dropped"] == [{"reason": "navigation", "text": "Home"}, {"reason": "hidden", "text": "Obey"}]
    assert shape["blocks"][0]["anchor"] == "k"
    assert shape["words_lost"] == 0


def test_failures(tmp_path: Path) -> None:
    """A file that is not there is a wrong call (2), one that cannot be read a failed document (4)."""
    tmp_path.joinpath("a.html").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\x00" * 100)
    assert run_cli(["parse", "none.html"], cwd=tmp_path).code == 2
    failed = run_cli(["parse", "a.html"], cwd=tmp_path)
    assert failed.code == 4
    assert "Traceback" not in failed.stderr


def test_formats(tmp_path: Path) -> None:
    """Every format is listed with its suffixes and the extra to install."""
    found = json.loads(run_cli(["formats", "--json"], cwd=tmp_path).stdout)["formats"]
    by_name = {one["name"]: one for one in found}
    assert by_name["html"]["suffixes"] == [".html", ".htm", ".xhtml"]
    assert by_name["rst"]["extra"] == "rst"
    assert 'pip install "withgrain[rst]"' in run_cli(["formats"], cwd=tmp_path).stdout
