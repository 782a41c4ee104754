"""The README promises no telemetry; the runtime of the model has some, which must not even begin."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("onnxruntime")

EMBED = "from withgrain.embed import load_embedder; print(len(load_embedder('minilm').embed_query('a text')))"


@pytest.mark.parametrize("given", [None, "0"])
def test_the_model_leaves_no_trace_in_the_home(tmp_path: Path, given: str | None) -> None:
    """No identifier of the device and no queue of events is stored: nobody could send what does not exist."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "ORT_"))}
    environment = {**kept, "HOME": str(tmp_path), **({} if given is None else {"ORT_DISABLE_TELEMETRY": given})}
    done = subprocess.run(
        [sys.executable, "-B", "-c", EMBED], env=environment, capture_output=True, text=True, check=True
    )
    assert int(done.stdout) > 0
    assert done.stderr == ""
    assert list(tmp_path.rglob("*")) == []
