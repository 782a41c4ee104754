"""Plain text and logs to a `Document`."""

from __future__ import annotations

from withgrain.model import Document, Notice, Source, document_id
from withgrain.parse.build import make_block
from withgrain.parse.decode import decode
from withgrain.parse.links import resolve_links
from withgrain.parse.tile import tile
from withgrain.parse.title import title_of


def parse_text(data: bytes, source: Source) -> Document:
    """Parse the bytes of a plain text file.

    Raises:
        DocumentError: The bytes are not text (kind ``binary``).
    """
    decoded = decode(data)
    text = decoded.text
    blocks = tile(text, (), 0, len(text), lambda start, end: [make_block("paragraph", start, end)])
    notices = list(decoded.notices)
    if not text.strip():
        notices.append(Notice(kind="empty_document", message="The document holds no text."))
    return Document(
        id=document_id(source.uri),
        source=source,
        title=title_of({}, blocks, source),
        text=text,
        blocks=tuple(blocks),
        links=resolve_links(text, blocks, ()),
        notices=tuple(notices),
        removed=decoded.removed,
    )
