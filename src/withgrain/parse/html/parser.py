"""The HTML parser: characters, tree, content, blocks."""

from __future__ import annotations

from withgrain.model import Document, Source
from withgrain.parse.decode import encoding_meta
from withgrain.parse.html.chrome import content_roots
from withgrain.parse.html.encoding import read_page
from withgrain.parse.html.handlers import HANDLERS
from withgrain.parse.html.head import read_head
from withgrain.parse.html.hidden import is_hidden
from withgrain.parse.html.tree import Node, around, has_any, load, plain, tag_of
from withgrain.parse.html.walk import Walk
from withgrain.parse.rendered import Writer


def parse_html(data: bytes, source: Source) -> Document:
    """Parse the bytes of a page.

    The content is that of ``main``, else of the only article, else of the body without what stands around it.

    Raises:
        DocumentError: The bytes are not text (kind ``binary``).
    """
    markup, encoding, notices = read_page(data)
    writer = Writer()
    writer.meta.update(encoding_meta(encoding))
    for notice in notices:
        writer.notice(notice.kind, notice.message)
    title = write_page(writer, markup)
    return writer.document(source, title=title)


def write_page(writer: Writer, markup: str) -> str:
    """Write a page and return the title that its head gives."""
    tree = load(markup)
    head = read_head(tree)
    writer.meta.update({**head.meta, **writer.meta})
    body = tree.find("body")
    if body is None:
        body = tree
    roots = content_roots(body)
    walk = Walk(writer, head, roots, body, HANDLERS)
    if not any(has_any(root, ("h1",)) for root in roots):
        title = _title_outside(body, walk)
        if title is not None:
            walk.write_title(title)
    walk.run(body)
    return head.title


def _title_outside(body: Node, walk: Walk) -> Node | None:
    """Return the only first-level heading of a page where it stands in front of the content; None for any other."""
    found = [h for h in body.find_all("h1", limit=3) if plain(h)]
    if len(found) != 1 or is_hidden(found[0]):
        return None
    if any(tag_of(a) in ("nav", "dialog", "footer") or is_hidden(a) for a in around(found[0], 600)):
        return None
    return found[0]
