"""The parser of plain text: runs of lines between blank lines, read as headings, lists or paragraphs."""

from __future__ import annotations

from withgrain.model import Block, Document, Notice, Source, document_id
from withgrain.parse.build import make_block
from withgrain.parse.decode import decode
from withgrain.parse.links import resolve_links
from withgrain.parse.text.groups import groups_of
from withgrain.parse.text.headings import find_headings
from withgrain.parse.text.lists import find_lists
from withgrain.parse.text.logs import log_blocks
from withgrain.parse.tile import tile
from withgrain.parse.title import title_of


def parse_text(data: bytes, source: Source) -> Document:
    """Parse the bytes of a plain text file or a log.

    Raises:
        DocumentError: The bytes are not text (kind ``binary``).
    """
    decoded = decode(data)
    text = decoded.text
    found = log_blocks(text) if source.media_type == "text/x-log" else None
    blocks = tile(text, text_blocks(text) if found is None else found, 0, len(text), _paragraph)
    notices = list(decoded.notices)
    if not text.strip():
        notices.append(Notice(kind="empty_document", message="The document holds no text."))
    return Document(
        id=document_id(source.uri),
        source=source,
        title=title_of({}, blocks, source),
        text=text,
        meta=decoded.meta,
        blocks=tuple(blocks),
        links=resolve_links(text, blocks, []),
        notices=tuple(notices),
        removed=decoded.removed,
    )


def text_blocks(text: str) -> list[Block]:
    """Return the headings, lists and paragraphs of a text, in order."""
    groups = find_headings(text, groups_of(text))
    return find_lists(text, groups)


def _paragraph(start: int, end: int) -> list[Block]:
    return [make_block("paragraph", start, end)]
