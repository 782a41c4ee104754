"""The tools are listed before the heavy parts are loaded; these are loaded in the background afterwards."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support import environment

PROGRAM = """
import sys
from pathlib import Path
from withgrain.mcp.collections import Collections, States
from withgrain.mcp.serving import make_server
make_server(Collections(States({"kb": Path("kb")})))
import mcp.server.stdio
print(*sorted({"lancedb", "pyarrow", "onnxruntime", "numpy", "tokenizers", "turbohtml"} & set(sys.modules)))
"""


def test_nothing_heavy_is_loaded_before_the_tools_are_listed(tmp_path: Path) -> None:
    """Engine, model and parsers are not among what a server needs to shake hands."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
