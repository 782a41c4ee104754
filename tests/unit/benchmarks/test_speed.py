"""The speed benchmark measures what it says."""

from __future__ import annotations

import importlib.util
import time
from pathlib import Path

import pytest

from tests.support import REPO

if not (REPO / "benchmarks" / "chunking.py").is_file() or importlib.util.find_spec("benchmarks") is None:
    pytest.skip("needs the repository; this run tests an installed wheel", allow_module_level=True)

from benchmarks import chunking
from benchmarks.judge.source import make_source, read_sources

pytestmark = pytest.mark.needs_repo


def test_processor_time_is_counted_and_waiting_is_not():
    """A busy loop costs its processor time; a sleep costs none."""
    source = make_source("a.md", b"# A\n\ntext\n")
    assert source is not None

    def busy(_: object) -> None:
        end = time.process_time() + 0.05
        while time.process_time() < end:
            pass

    assert chunking.timed(busy, [source, source]) >= 0.1
    assert chunking.timed(lambda _: time.sleep(0.1), [source]) < 0.05


def test_every_contestant_is_measured_in_every_round():
    """Bare passes and both forms of withgrain get a figure for each unit."""
    source = make_source("a.md", b"# A\n\n" + b"some words here. " * 200)
    assert source is not None
    found = chunking.measure(["withgrain"], [source], "tokens", 480, 2)
    assert set(found) == {"withgrain", *chunking.BARE}
    assert all(s["least"] > 0 for s in found.values())


def test_counts_are_compared_with_an_independent_tokenizer():
    """Hugging Face tokenizers, a development dependency, must agree on every paragraph."""
    source = make_source("a.md", "# Ä\n\nnaïve — 東京 `x_y`\n\nmore\n".encode())
    assert source is not None
    assert chunking.check_counts([source], [])["hugging_face_tokenizers"] == 3


def test_peak_memory_is_the_childs_own():
    """A process that does little must not report the memory of the one that started it."""
    folder = REPO / "examples" / "handbook"
    ballast = bytearray(400_000_000)
    for at in range(0, len(ballast), 4096):
        ballast[at] = 1
    assert chunking.memory_of(chunking.COUNT, [folder])["peak"] < 300


def test_only_markdown_and_text_are_read(tmp_path: Path):
    """Other suffixes and other encodings are left out."""
    (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbfone\r\ntwo")
    (tmp_path / "b.html").write_text("<p>")
    (tmp_path / "c.txt").write_bytes(b"\xff\xfe\xff")
    assert [(s.path, s.text) for s in read_sources([tmp_path])] == [("a.md", "one\ntwo")]
