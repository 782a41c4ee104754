"""The compiled Markdown for authors: the document as it is, with a marker under each heading that has none."""

from __future__ import annotations

from dataclasses import dataclass

from withgrain.model import Audit, Document, sections

#: Media types whose canonical text is Markdown.
MARKDOWN = frozenset({"text/markdown", "text/mdx"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """A document with markers.

    Attributes:
        text: Its canonical text; nothing but lines with markers was added.
        markers: How many.
    """

    text: str
    markers: int


def is_markdown(document: Document) -> bool:
    """Return whether the canonical text of a document is Markdown."""
    return document.rendered or document.source.media_type in MARKDOWN


def compile_markdown(document: Document, audit: Audit) -> Compiled:
    """Return a document with the nearest marker in scope, or the inferred one, under each heading.

    Sections without text, and those with a marker of their own, stay as they are. Reading the result gives the same
    sections.

    Args:
        document: Its canonical text must be Markdown.
        audit: Its audit, with markers.
    """
    pieces: list[str] = []
    at = count = 0
    text = document.text
    for section, known in zip(sections(document), audit.sections, strict=True):
        if section.heading is None or not known.chunks or known.marker_origin not in ("inherited", "inferred"):
            continue
        if not section.blocks:
            continue  # the heading itself is the text of the section
        end = section.heading.span.end
        pieces.append(text[at:end])
        lead = "\n" if text[:end].endswith("\n") else "\n\n"
        tail = "\n" if text[end : end + 1] in ("\n", "") else "\n\n"
        pieces.append(f"{lead}{known.marker}{tail}")
        at, count = end, count + 1
    return Compiled(text="".join((*pieces, text[at:])), markers=count)
