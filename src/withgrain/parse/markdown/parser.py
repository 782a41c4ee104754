"""The Markdown parser: front matter, then pieces of plain Markdown and of constructs that CommonMark does not know."""

from __future__ import annotations

from withgrain.model import Document, Notice, Source, document_id
from withgrain.parse.decode import decode
from withgrain.parse.links import resolve_links
from withgrain.parse.markdown.definitions import fill_definitions
from withgrain.parse.markdown.front_matter import read_front_matter
from withgrain.parse.markdown.regions import is_mdx
from withgrain.parse.markdown.sink import Sink
from withgrain.parse.markdown.structure import structure
from withgrain.parse.tile import tile
from withgrain.parse.title import title_of


def parse_markdown(data: bytes, source: Source) -> Document:
    """Parse the bytes of a Markdown file.

    Raises:
        DocumentError: The bytes are not text (kind ``binary``).
    """
    decoded = decode(data)
    text = decoded.text
    sink = Sink()
    front = read_front_matter(text)
    sink.notices.extend(front.notices)
    mdx = source.media_type == "text/mdx" or is_mdx(text)
    blocks = list(front.blocks)
    found = structure(text, sink, mdx=mdx, skip=front.end)
    blocks += tile(text, found, front.end, len(text), lambda start, end: fill_definitions(text, start, end))
    notices = [*decoded.notices, *sink.notices]
    if not text.strip():
        notices.append(Notice(kind="empty_document", message="The document holds no text."))
    return Document(
        id=document_id(source.uri),
        source=source,
        title=title_of(front.meta, blocks, source),
        text=text,
        blocks=tuple(blocks),
        links=resolve_links(text, blocks, sink.links),
        meta=front.meta,
        notices=tuple(notices),
        removed=decoded.removed,
    )
