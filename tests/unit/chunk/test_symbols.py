"""Symbols as sections: a class with its methods shares a region; a chunk's path is the innermost symbol around it."""

from __future__ import annotations

import json
from dataclasses import replace

from withgrain.chunk import STRUCTURE_AWARE, Chunked, chunk_document
from withgrain.model import Chunk
from withgrain.parse import parse
from withgrain.tokens import wordpiece

SMALL = '''"""Gates."""
import os


class Gate:
    """One gate."""

    limit = 4

    def open(self):
        return os.name

    def shut(self):
        return None


def main():
    return Gate().open()
'''


def cut(text: str, name: str = "gate.py", maximum: int | None = None) -> Chunked:
    policy = STRUCTURE_AWARE
    if maximum:
        policy = replace(policy, classes=()).with_maximum(maximum)
    return chunk_document(parse(text.encode(), uri=name), policy)


def paths(chunked: Chunked) -> list[tuple[str, ...]]:
    return [chunk.heading_path for chunk in chunked.chunks]


def large() -> str:
    methods = "\n\n".join(
        f"    def step_{n}(self, level):\n"
        + "\n".join(f"        total_{k} = level * {k} + self.offset_{n}" for k in range(6))
        + f"\n        return total_{n % 6}"
        for n in range(60)
    )
    return f"@sealed\nclass Pump(Base):\n    offset = 3\n\n{methods}\n"


def test_a_class_that_fits_is_one_chunk_and_names_its_methods() -> None:
    chunked = cut(SMALL)
    assert paths(chunked) == [(), ("Gate",), ("main",)]
    inside = [ref.path for ref in chunked.chunks[1].sections]
    assert inside == [("Gate",), ("Gate", "open"), ("Gate", "shut")]
    assert chunked.chunks[1].body.startswith("class Gate:")


def test_a_long_class_is_cut_between_its_methods_with_its_header_beside_each() -> None:
    """The enclosing class header is a part with the role signature."""
    chunked = cut(large())
    assert len(chunked.chunks) > 8
    for chunk in chunked.chunks[1:]:
        assert chunk.body.lstrip().startswith("def step_")
        assert [p.text for p in chunk.parts if p.role == "signature"] == ["@sealed\nclass Pump(Base):"]
    assert all(chunk.heading_path[0] == "Pump" for chunk in chunked.chunks)


def test_a_long_method_is_cut_at_its_statements_under_its_own_path() -> None:
    body = "\n".join(f"        if level > {n}:\n            total += level * {n}  # step {n}" for n in range(80))
    chunked = cut(f"class Pump:\n    def run(self, level):\n{body}\n        return total\n")
    inner = [chunk for chunk in chunked.chunks[1:] if chunk.heading_path == ("Pump", "run")]
    assert len(inner) >= 3
    for chunk in inner:
        signatures = [p.text.strip() for p in chunk.parts if p.role == "signature"]
        assert signatures == ["class Pump:", "def run(self, level):"]
        assert chunk.body.lstrip().startswith(("if level", "return"))


def test_the_parent_of_a_chunk_is_its_symbol() -> None:
    chunked = cut(large(), maximum=80)
    by_path: dict[tuple[str, ...], set[str | None]] = {}
    for chunk in chunked.chunks:
        by_path.setdefault(chunk.heading_path, set()).add(chunk.parent_id)
    assert ("Pump", "step_7") in by_path
    assert all(len(ids) == 1 for ids in by_path.values())


def test_one_word_in_a_long_class_changes_few_chunks() -> None:
    """6: a one-word insertion changes at most 3 chunks."""
    text = large() * 3
    before = ids(cut(text).chunks)
    for at in ("total_0 = level", "total_5 = level * 5 + self.offset_30", "offset = 3"):
        changed = text.replace(at, at + " + extra", 1)
        assert len(ids(cut(changed).chunks) - before) <= 3


def ids(chunks: tuple[Chunk, ...]) -> set[str]:
    return {chunk.id for chunk in chunks}


def test_an_operation_that_fits_with_its_own_path_is_whole() -> None:
    """One operation = one unit: the longer paths of its members take no room from it while it is whole."""
    parameters = [
        {"name": f"filter_{i}", "in": "query", "description": "Which of the accounts are listed.", "schema": {}}
        for i in range(5)
    ]
    for words in range(105, 118):  # about the limit
        operation = {"summary": "accounts " * words, "parameters": parameters, "responses": {}}
        paths = {
            "/": {"get": {"responses": {}}},
            "/accounts": {"get": operation, "delete": {"summary": "Delete them", "responses": {}}},
        }
        text = json.dumps({"openapi": "3.0.0", "info": {"title": "Directory"}, "paths": paths}, indent=1)
        chunks = [c for c in cut(text, "api.json").chunks if "GET /accounts" in c.heading_path]
        body = text[text.index('"/accounts"') : text.index('"delete"')].strip()
        size = wordpiece().count("Directory > GET /accounts\n" + body)
        assert len(chunks) == 1 or size > STRUCTURE_AWARE.budget_for("api_reference").maximum, size
