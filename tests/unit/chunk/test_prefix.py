"""Title, path and metadata in front of the body (invariant 5)."""

from __future__ import annotations

from tests.unit.chunk.support import cut, parts
from withgrain.chunk import chunk_document
from withgrain.parse import parse
from withgrain.tokens import wordpiece

DEEP = "\n\n".join(f"{'#' * i} Part {i} concerning the yearly inspection of the northern cranes" for i in range(1, 7))


def test_title_and_path_are_embedded() -> None:
    """Title and heading path stand in the embedded text, and the heading is not in the body."""
    (chunk,) = cut("---\ntitle: Key handbook\n---\n# Keys\n\n## Rotate\n\nEvery 90 days.\n", 200).chunks
    assert chunk.embed_text == "Key handbook > Keys > Rotate\nEvery 90 days."
    assert chunk.body == "Every 90 days."


def test_the_only_h1_is_not_said_twice() -> None:
    """A title that is the H1 stands once."""
    (chunk,) = cut("# Keys\n\nEvery 90 days.\n", 200).chunks
    assert parts(chunk, "path") == ["Keys"]


def test_a_long_path_is_elided_from_the_left_and_said() -> None:
    """At most a third of the budget, elided from the left, recorded."""
    chunked = cut(f"{DEEP}\n\nThe hook must be oiled.", 60)
    (chunk,) = (c for c in chunked.chunks if "hook" in c.body)
    (path,) = parts(chunk, "path")
    assert path.startswith("… > ")
    assert path.endswith("Part 6 concerning the yearly inspection of the northern cranes")
    assert wordpiece().count(path) <= 20
    assert "context_truncated" in [n.kind for n in chunked.notices]


def test_metadata_are_embedded_only_when_asked_and_never_too_long() -> None:
    """User metadata take what a third of the maximum leaves beside the path."""
    document = parse(b"# Lamp\n\nIt burns.", uri="lamp.md")
    (plain,) = chunk_document(document).chunks
    assert not parts(plain, "metadata")
    chunked = chunk_document(document, metadata={"source": "shelf " * 400})
    (chunk,) = chunked.chunks
    assert parts(chunk, "metadata")
    assert chunk.tokens is not None
    assert chunk.tokens <= 480
    assert "metadata_truncated" in [n.kind for n in chunked.notices]
