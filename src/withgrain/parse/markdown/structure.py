"""Blocks of a piece of Markdown: plain pieces go to pulldown-cmark, the constructs between them are built here."""

from __future__ import annotations

import re
from collections.abc import Callable

from withgrain.model import Block
from withgrain.parse.build import make_block, make_span
from withgrain.parse.markdown.containers import group_html
from withgrain.parse.markdown.place import Map, dedent, relocate, relocate_notes
from withgrain.parse.markdown.regions import Region, find_regions
from withgrain.parse.markdown.sink import Sink
from withgrain.parse.markdown.walk import markdown_blocks

#: Constructs inside constructs deeper than this are read as plain Markdown.
MAX_NESTING = 4

_INDENT = re.compile(r"^[ \t]*(?=\S)", re.MULTILINE)
_ADMONITIONS = re.compile(
    "(?:callout-|admonition-|alert-)?(?:note|tip|info|warning|danger|caution|important|details|success|error|hint|attention|abstract|summary|tldr|todo|"
    "question|faq|help|check|done|failure|fail|bug|example|quote|cite|seealso|notice|alert|callout|expand|critical|tab)"
)


def structure(text: str, sink: Sink, *, mdx: bool, skip: int = 0, nesting: int = 0) -> list[Block]:
    """Return the top-level blocks of ``text``, in order, in its own offsets; what lies between them is not covered.

    The first ``skip`` characters (front matter) are left out.
    """
    regions = find_regions(text, skip, mdx=mdx) if nesting < MAX_NESTING else []
    if mdx and regions:
        regions = _with_indented_pieces(text, regions)
    specials = {
        region.start: (region.end, lambda region=region: _build(text, region, sink, mdx=mdx, nesting=nesting))
        for region in regions
    }
    return group_html(text, markdown_blocks(text, sink, skip, specials))


def _with_indented_pieces(text: str, regions: list[Region]) -> list[Region]:
    """Add the indented Markdown between lines of component tags: its common indentation means nothing."""
    result: list[Region] = []
    for region, following in zip(regions, [*regions[1:], None], strict=True):
        result.append(region)
        start, end = region.end, following.start if following else len(text)
        if region.kind != "tags" or text[start:end].isspace():
            continue
        width = min((len(match.group()) for match in _INDENT.finditer(text, start, end)), default=0)
        if width:
            start += _blank_lines(text, start, end)
            result.append(Region(kind="piece", start=start, end=end, body=start, body_end=end, indent=width))
    return result


def _blank_lines(text: str, start: int, end: int) -> int:
    """Return the length of the blank lines at the start of a range."""
    piece = text[start:end]
    return piece.rfind("\n", 0, len(piece) - len(piece.lstrip())) + 1


def _moved(parse: Callable[[], list[Block]], sink: Sink, back: Map) -> list[Block]:
    held = len(sink.links), len(sink.notices)
    blocks = relocate(parse(), back)
    relocate_notes(sink, *held, back)
    return blocks


def _build(text: str, region: Region, sink: Sink, *, mdx: bool, nesting: int) -> list[Block]:
    start, end, body, body_end = region.start, region.end, region.body, region.body_end
    if region.kind == "math":
        return [make_block("math", start, end, make_span(body, body_end))]
    if region.kind == "code":
        return [make_block("code", start, end, make_span(body, body_end), (), region.attrs)]
    if region.kind == "comment":
        return [make_block("comment", start, end)]
    if region.kind in ("esm", "tags"):
        return [make_block("html", start, end, attrs=region.attrs)]
    if region.kind in ("indented", "piece"):
        piece, back = dedent(text, body, body_end, region.indent)
    else:
        piece, back = text[body:body_end], lambda offset: offset + body
    inner = _moved(lambda: structure(piece, sink, mdx=mdx, nesting=nesting + 1), sink, back)
    if region.kind == "piece":
        return inner
    if _ADMONITIONS.fullmatch(region.attrs["type"]) is None and any(block.kind == "heading" for block in inner):
        opening = make_block("html", start, body, attrs={"tag": region.attrs["type"]})
        closing = [make_block("html", body_end, end, attrs={"tag": region.attrs["type"]})] if end > body_end else []
        return [opening, *inner, *closing]
    return [make_block("admonition", start, end, make_span(body, body_end), tuple(inner), region.attrs)]
