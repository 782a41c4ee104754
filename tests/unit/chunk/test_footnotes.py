"""Issue 3: "footnotes (travel with their reference)"."""

from __future__ import annotations

from dataclasses import replace

from withgrain.chunk import STRUCTURE_AWARE, chunk_document
from withgrain.chunk.compile import Chunked
from withgrain.parse import parse
from withgrain.tokens import wordpiece


def cut(text: str, maximum: int = 480) -> Chunked:
    policy = replace(STRUCTURE_AWARE, classes=()).with_maximum(maximum)
    return chunk_document(parse(text.encode(), uri="doc.md"), policy, wordpiece())


def test_a_note_stands_behind_the_chunk_that_refers_to_it() -> None:
    """The reference is in one section, the note in another: the note travels as a part."""
    chunks = cut("# T\n\n## A\n\nThe limit is 10.[^n]\n\n## B\n\nOther.\n\n[^n]: Raised on request.\n").chunks
    first, second = chunks
    (note,) = [p for p in first.parts if p.role == "footnote"]
    assert note.text == "[^n]: Raised on request."
    assert note.position == "after"
    assert first.display_text.endswith(note.text)
    assert first.embed_text.endswith(note.text)
    assert not [p for p in second.parts if p.role == "footnote"]


def test_a_note_that_is_in_the_body_is_not_repeated() -> None:
    """Reference and note in one chunk need no part."""
    (chunk,) = cut("# T\n\nThe limit is 10.[^n]\n\n[^n]: Raised on request.\n").chunks
    assert not [p for p in chunk.parts if p.role == "footnote"]


def test_notes_count() -> None:
    """Parts included, nothing is over the limit; the piece that refers has the note."""
    words = "\n\n".join(f"Paragraph {i} holds some more words than it needs to.[^{i % 3}]" for i in range(30))
    notes = "\n".join(f"[^{i}]: Note {i} is short." for i in range(3))
    chunked = cut(f"# T\n\n## A\n\n{words}\n\n## B\n\n{notes}\n", 80)
    for chunk in chunked.chunks:
        assert chunk.tokens == wordpiece().count(chunk.embed_text)
        assert chunk.tokens <= 80
        for i in range(3):
            if f"to.[^{i}]" in chunk.body:
                assert f"[^{i}]: Note {i} is short." in chunk.embed_text


def test_a_note_that_does_not_fit_never_cuts_what_fits() -> None:
    """Parts shrink before an atom splits: a code block, table row or item that fits stays whole."""
    item = "- " + "word " * 60 + "end[^n]"
    chunked = cut(f"{item}\n\n# B\n\n[^n]: {'note ' * 25}\n", 76)
    assert any(c.body.startswith("- word") and c.body.endswith("end[^n]") for c in chunked.chunks)
