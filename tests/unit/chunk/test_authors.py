"""The compiled Markdown: markers under headings, and nothing else changed."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from withgrain.chunk import chunk_document
from withgrain.chunk.authors import Compiled, compile_markdown
from withgrain.model import Document, sections
from withgrain.parse import parse
from withgrain.testing.markdown import documents


def _compiled(text: str, uri: str = "okta/users.md") -> tuple[Document, Compiled, Document]:
    document = parse(text.encode(), uri=uri)
    compiled = compile_markdown(document, chunk_document(document).audit)
    return document, compiled, parse(compiled.text.encode("utf-8", "surrogatepass"), uri=uri)


def test_the_nearest_marker_or_an_inferred_one_stands_under_the_heading() -> None:
    """Nearest in-scope marker, or one inferred from path and content when the document has none."""
    _, compiled, _ = _compiled("# Users\n\nAll.\n\n## Suspend a user\nCall it.\n")
    assert compiled.text == (
        "# Users\n\n@@OKTA:USERS\n\nAll.\n\n## Suspend a user\n\n@@OKTA:SUSPEND_USER\n\nCall it.\n"
    )
    _, compiled, _ = _compiled("# Users\n\n@@ERS:MAIN\n\n## Suspend\n\nCall it.\n")
    assert compiled.text == "# Users\n\n@@ERS:MAIN\n\n## Suspend\n\n@@ERS:MAIN\n\nCall it.\n"


def test_a_second_time_changes_nothing() -> None:
    """Sections with a marker of their own stay as they are."""
    _, compiled, again = _compiled("# A\n\nText.\n\nB\n---\n\nMore.\n")
    assert compiled.markers == 2
    assert compile_markdown(again, chunk_document(again).audit) == Compiled(text=compiled.text, markers=0)


def test_every_chunk_of_the_compiled_text_has_its_own_marker() -> None:
    """Re-ingested, what was inferred metadata is an author's marker."""
    _, _, again = _compiled("# A\n\nText.\n\n## B\n\n- one\n- two\n")
    for chunk in chunk_document(again).chunks:
        assert chunk.facts.markers
        assert not chunk.facts.inferred_markers


@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(text=documents())
def test_reading_it_again_gives_the_same_sections(text: str) -> None:
    """Re-ingesting it gives the same sections; nothing but marker lines was added."""
    document, compiled, again = _compiled(text)
    assert [s.path for s in sections(again)] == [s.path for s in sections(document)]
    before = [line for line in document.text.split("\n") if line.strip()]
    after = [line for line in compiled.text.split("\n") if line.strip()]
    added = len(after) - len(before)
    assert added == compiled.markers
    for line in before:
        assert line in after
