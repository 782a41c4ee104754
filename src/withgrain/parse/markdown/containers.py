"""HTML elements that CommonMark cuts at blank lines, put together again: ``<details>`` and ``<table>``."""

from __future__ import annotations

import re

from withgrain.model import Block
from withgrain.parse.build import make_block, make_span

_SUMMARY = re.compile(r"<summary[^>]*>(.*?)</summary>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_EDGE = {tag: re.compile(rf"<(/?){tag}\b", re.IGNORECASE) for tag in ("details", "table")}


def group_html(text: str, blocks: list[Block]) -> list[Block]:
    """Make one block of an element that was cut at blank lines.

    ``<details>`` becomes an admonition with the blocks between its tags as children, ``<table>`` one ``html`` block.
    An element with headings inside stays as it is: its headings are the document's.
    """
    if not any(block.kind == "html" and block.attrs.get("tag") in _EDGE for block in blocks):
        return blocks
    result: list[Block] = []
    index = 0
    ends = {tag: _element_ends(text, blocks, tag) for tag in _EDGE}
    headings = _headings_before(blocks)
    while index < len(blocks):
        block = blocks[index]
        tag = block.attrs.get("tag", "") if block.kind == "html" else ""
        last = ends[tag].get(index, -1) if tag in ends else -1
        if last < 0 or headings[last + 1] > headings[index] or (tag == "table" and last == index):
            result.append(block)
            index += 1
            continue
        result.append(_group(text, tag, blocks[index : last + 1]))
        index = last + 1
    return result


def _element_ends(text: str, blocks: list[Block], tag: str) -> dict[int, int]:
    """Return, for every block that begins with an opening tag, the block in which it is closed."""
    ends: dict[int, int] = {}
    open_at: list[int] = []
    for index, block in enumerate(blocks):
        if block.kind not in ("html", "paragraph"):
            continue
        for edge in _EDGE[tag].finditer(text, block.span.start, block.span.end):
            if not edge.group(1):
                open_at.append(index)
            elif open_at:
                ends[open_at.pop()] = index
    return ends


def _headings_before(blocks: list[Block]) -> list[int]:
    counts = [0]
    for block in blocks:
        counts.append(counts[-1] + (block.kind == "heading"))
    return counts


def _group(text: str, tag: str, members: list[Block]) -> Block:
    start, end = members[0].span.start, members[-1].span.end
    if tag == "table":
        return make_block("html", start, end, attrs={"tag": "table"})
    summary = _SUMMARY.search(text, start, end)
    title = " ".join(_TAG.sub("", summary.group(1)).split()) if summary else ""
    children = tuple(block for block in members if len(members) > 1)
    attrs = {"type": "details", "title": title}
    return make_block("admonition", start, end, make_span(start, end), children, attrs)
