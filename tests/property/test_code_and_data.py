"""The invariants over code and data files: the golden inputs, whole and damaged at random places, and hostile texts."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from withgrain.chunk import STRUCTURE_AWARE, chunk_document
from withgrain.model import Block, Document
from withgrain.parse import parse
from withgrain.tokens import wordpiece

GOLDEN = Path(__file__).parents[1] / "golden"
INPUTS = sorted([*GOLDEN.glob("code/*/input.*"), *GOLDEN.glob("data/*/input.*")])
SETTINGS = settings(deadline=None, max_examples=12, suppress_health_check=[HealthCheck.too_slow])
PIECES = st.sampled_from(
    ["", "\n", "\n\n", "{", "}", "[", "]", '"', "'", "`", "(", ";", ",", "#", "/*", "---\n", "é🙂", "\t"]
)

HOSTILE = {
    "open brackets.json": b"[" * 100_000,
    "nested.json": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "staircase.json": b"[1," * 20_000 + b"1" + b"]" * 20_000,
    "quotes.json": b'"' * 200_000,
    "backslashes.json": b'"\\' * 200_000,
    "comments.json": b"/* " * 200_000,
    "flow.yaml": b"[" * 50_000,
    "stairs.yaml": b"".join(b" " * i + b"a:\n" for i in range(800)),
    "aliases.yaml": b"a0: &a0 [x]\n"
    + b"".join(b"a%d: &a%d [*a%d, *a%d]\n" % (i, i, i - 1, i - 1) for i in range(1, 500)),
    "regex.js": b"a=/[" * 20_000,
    "functions.js": b"function f(){" * 5_000,
    "parentheses.py": b"(" * 50_000,
    "classes.py": b"".join(b" " * i + b"class A:\n" for i in range(500)),
    "blocks.tf": b'a "b" {\n' * 5_000,
    "blocks.nginx": b"a {\n" * 8_000,
    "quote.csv": b'a,"b\n' + b"1,2\n" * 12_000,
    "quotes.csv": b'a,"\n' * 20_000,
    "strings.sql": b"'" * 100_001,
    "dollars.sql": b"$a$ $b$ " * 10_000,
    "parentheses.sql": b"(" * 50_000 + b";\n" * 5_000,
    "quotes.toml": b'"""' * 30_001,
    "stages.dockerfile": b"FROM a\n" * 1_500,
}


def check(data: bytes, name: str, maximum: int) -> Document:
    document = parse(data, uri=name)
    text, at = document.text, 0
    for block in document.blocks:
        assert block.span.start == at, "top-level blocks tile the text"
        at = block.span.end
        inside(block)
    assert at == len(text)
    policy = replace(STRUCTURE_AWARE, classes=()).with_maximum(maximum)
    chunked = chunk_document(document, policy, wordpiece())
    assert chunked.audit.words_lost == 0, [span.of(text) for span in chunked.audit.lost]
    end = 0
    for chunk in chunked.chunks:
        assert chunk.span is not None
        assert chunk.span.of(text) == chunk.body
        assert chunk.body.strip()
        assert chunk.span.start >= end, "bodies are disjoint"
        end = chunk.span.end
        assert chunk.tokens is not None
        assert chunk.tokens <= maximum
        source = document.to_source(chunk.span)
        assert source is not None
    assert [c.id for c in chunk_document(document, policy, wordpiece()).chunks] == [c.id for c in chunked.chunks]
    return document


def inside(block: Block) -> None:
    stack = [block]
    while stack:
        outer = stack.pop()
        at = outer.span.start
        for child in outer.children:
            assert at <= child.span.start <= child.span.end <= outer.span.end, "children in order, inside"
            at = child.span.end
        stack.extend(outer.children)


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.parent.name)
@SETTINGS
@given(data=st.data(), maximum=st.sampled_from([24, 60, 200]))
def test_invariants_hold_for_damaged_files(path: Path, data: st.DataObject, maximum: int) -> None:
    """1, 2, 3, 6: lossless, exact, fits, deterministic, whatever was cut out of a file or put into it."""
    text = path.read_text(encoding="utf-8")
    for _ in range(data.draw(st.integers(0, 3))):
        start = data.draw(st.integers(0, len(text)))
        stop = data.draw(st.integers(start, min(len(text), start + 200)))
        text = text[:start] + data.draw(PIECES) + text[stop:]
    newline = data.draw(st.sampled_from(["\n", "\r\n"]))
    check(text.replace("\n", newline).encode(), path.name, maximum)


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_texts_end(name: str) -> None:
    """7: hostile nesting ends; nothing is lost in it."""
    started = time.process_time()
    check(HOSTILE[name], name, 480)
    assert time.process_time() - started < 20


def test_invariants_hold_for_real_python() -> None:
    """Ten files of an installed package, none of them written for this test."""
    import rich

    files = sorted(Path(rich.__file__).parent.glob("*.py"), key=lambda path: path.stat().st_size)[30:42]
    assert len(files) >= 10
    for path in files:
        document = check(path.read_bytes(), path.name, 200)
        assert not document.notices
