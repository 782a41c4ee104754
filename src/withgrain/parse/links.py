"""References: links, footnotes and textual cross-references, resolved inside the document where possible."""

from __future__ import annotations

from collections.abc import Sequence

from withgrain.model import Block, Link, Span


def resolve_links(
    text: str, blocks: Sequence[Block], links: Sequence[tuple[int, int, str]], footnotes: Sequence[tuple[int, int, str]]
) -> tuple[Link, ...]:
    """Return the links of a document in order."""
    anchors = {block.anchor: block.span for block in reversed(blocks) if block.anchor}
    notes = {block.attrs["label"]: block.span for block in blocks if block.kind == "footnote"}
    result = []
    for start, end, target in links:
        if target.startswith("#"):
            span = anchors.get(target[1:])
            result.append(Link(span=Span(start=start, end=end), target=target, kind="anchor", resolved=span))
        elif "://" in target or target.startswith("mailto:"):
            result.append(Link(span=Span(start=start, end=end), target=target, kind="url"))
        else:
            result.append(Link(span=Span(start=start, end=end), target=target, kind="relative"))
    for start, end, label in footnotes:
        result.append(Link(span=Span(start=start, end=end), target=label, kind="footnote", resolved=notes.get(label)))
    return tuple(sorted(result, key=lambda link: link.span))
