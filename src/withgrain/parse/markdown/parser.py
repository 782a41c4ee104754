"""The Markdown parser: front matter, then pieces of plain Markdown and of constructs that CommonMark does not know."""

from __future__ import annotations

from functools import partial

from withgrain.model import Block, Document, Link, Notice, Source, document_id
from withgrain.parse.decode import decode
from withgrain.parse.lazy import Later, Tiling
from withgrain.parse.links import resolve_links
from withgrain.parse.markdown.definitions import fill_definitions
from withgrain.parse.markdown.front_matter import read_front_matter
from withgrain.parse.markdown.regions import is_mdx
from withgrain.parse.markdown.sink import Sink
from withgrain.parse.markdown.structure import structure
from withgrain.parse.tile import content, with_blanks
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
    blocks = (*front.blocks, *_content(text, sink, front.end, mdx=mdx))
    notices = [*decoded.notices, *sink.notices]
    if not text.strip():
        notices.append(Notice(kind="empty_document", message="The document holds no text."))
    return Document(
        id=document_id(source.uri),
        source=source,
        title=title_of(front.meta, blocks, source),
        text=text,
        blocks=Tiling(blocks, lambda content: with_blanks(text, content, 0, len(text))),
        links=Later(lambda: _links(text, front.blocks, front.end, mdx=mdx)),
        meta={**decoded.meta, **front.meta},
        notices=tuple(notices),
        removed=decoded.removed,
    )


def _content(text: str, sink: Sink, start: int, *, mdx: bool) -> list[Block]:
    found = structure(text, sink, mdx=mdx, skip=start)
    return content(text, found, start, len(text), partial(fill_definitions, text))


def _links(text: str, front: tuple[Block, ...], start: int, *, mdx: bool) -> tuple[Link, ...]:
    """Read the document once more, this time with its inline markup."""
    sink = Sink(thorough=True)
    return resolve_links(text, (*front, *_content(text, sink, start, mdx=mdx)), sink.links)
