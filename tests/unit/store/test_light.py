"""The engine without the client of its REST catalogue: everything that a collection needs is there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_USE = """
import sys, time
from pathlib import Path
from withgrain.store import open_store
from withgrain.store.light import light_engine
from withgrain.testing.records import bundles, contract
from withgrain.testing.plain_reading import assert_answers, assert_state, commit
{before}
place, wanted = Path(sys.argv[1]), bundles(4)
commit(open_store(place), wanted, finish=True)
commit(open_store(place), [], [wanted[0].document.id])
snapshot = open_store(place).snapshot()
assert_state(snapshot, wanted[1:])
assert_answers(snapshot, wanted[1:])
from withgrain.store.lance import LanceStore
LanceStore(place).compact()
if sys.version_info < (3, 12):
    import overrides
    assert overrides.__file__, "others find the real one"
print("stand-ins" if type(sys.modules["lance_namespace"]).__name__ == "_StandIn" else "whole")
"""


_BROKEN = """
from withgrain.store import light
def refuse(self, spec):
    raise ImportError(spec.name)
light._Finder.create_module = refuse
light_engine()
"""


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("light_engine(); light_engine()", "stand-ins"),
        ("", "whole"),
        ("import lancedb; light_engine()", "whole"),
        (_BROKEN, "whole"),
    ],
    ids=["asked for", "not asked for", "too late", "an engine that needs more"],
)
def test_a_collection_works_with_and_without(tmp_path: Path, before: str, expected: str) -> None:
    """In a process of our own; a library leaves a program's engine alone; what cannot be left out is loaded."""
    command = [sys.executable, "-c", _USE.format(before=before), str(tmp_path / "collection")]
    run = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout == f"{expected}\n"
