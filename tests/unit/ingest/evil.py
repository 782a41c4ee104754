"""A format of another package whose files say what its parser shall do to the process that reads them."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from withgrain.parse import registry

PARSER = """
import os, signal, socket, subprocess, sys, time
from withgrain.parse.text import parse_text

def parse_evil(data, source):
    word, _, rest = data.decode().partition(" ")
    number = rest.split()[0] if rest.split() else ""
    if word == "sleep":
        time.sleep(float(number))
    elif word == "spin":
        while True:
            pass
    elif word == "eat":
        hoard = []
        while True:
            hoard.append(bytearray(16 << 20))
    elif word == "gulp":
        bytearray(64 << 30)
    elif word == "die":
        os.kill(os.getpid(), int(number))
    elif word == "exit":
        os._exit(int(number))
    elif word == "print":
        os.write(1, b"m" * 4096)
        print("x" * 100000)
    elif word == "deep":
        def down(): down()
        down()
    elif word == "raise":
        raise KeyError("nothing like that")
    elif word == "connect":
        socket.create_connection(("127.0.0.1", 9))
    elif word == "spawn":
        subprocess.run(["true"])
    elif word == "fork":
        os.fork()
    elif word == "write":
        import tempfile
        with tempfile.TemporaryFile() as file:
            for _ in range(200):
                file.write(bytes(1 << 20))
    elif word == "once":
        if not os.path.exists(number):
            open(number, "w").close()
            os.kill(os.getpid(), 9)
    return parse_text(data, source)
"""

FORMAT = """
from withgrain.parse.registry import Format
EVIL = Format(name="evil", media_type="text/x-evil", suffixes=(".evil",), loader="evil_parser:parse_evil")
"""


@contextmanager
def evil_format(place: Path, patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install the format for this process and the ones that it starts."""
    place.mkdir(parents=True, exist_ok=True)
    (place / "evil_parser.py").write_text(PARSER)
    (place / "evil_format.py").write_text(FORMAT)
    info = place / "evil-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[withgrain.formats]\nevil = evil_format:EVIL\n")
    patch.syspath_prepend(place)
    _forget()
    try:
        yield
    finally:
        patch.undo()
        _forget()


def _forget() -> None:
    importlib.invalidate_caches()
    registry.formats.cache_clear()
    registry._tables.cache_clear()
