"""A document's blocks as text that a person can check."""

from __future__ import annotations

from withgrain.model import Block, Document


def outline(document: Document) -> str:
    """Return title, metadata, one line a block (indented by depth), references and notices."""
    lines = [f"title: {document.title}"]
    lines += [f"meta: {key} = {value!r}" for key, value in document.meta.items()]
    lines.append("")
    stack = [(block, 0) for block in reversed(document.blocks)]
    while stack:
        block, depth = stack.pop()
        lines.append("  " * depth + _line(document, block))
        stack.extend((child, depth + 1) for child in reversed(block.children))
    lines.append("")
    for link in document.links:
        place = f" -> {_short(link.resolved.of(document.text))}" if link.resolved is not None else ""
        lines.append(f"{link.kind}: {link.target}{place}")
    lines += [f"notice: {notice.kind}" for notice in document.notices]
    return "\n".join(lines).rstrip() + "\n"


def _line(document: Document, block: Block) -> str:
    facts = [f"h{block.level}"] if block.level else []
    facts += [f"no={block.number!r}"] if block.number else []
    facts += [f"#{block.anchor}"] if block.anchor else []
    facts += [f"@{block.origin}"] if block.origin else [f"p{block.page}"] if block.page else []
    facts += [f"{key}={value!r}" for key, value in block.attrs.items()]
    first, last = document.lines(block.span) or (0, 0)
    where = f"{first}" if first == last else f"{first}-{last}"
    text = "" if block.kind == "blank" else f" {_short(block.span.of(document.text))}"
    return " ".join([block.kind, f"[{where}]", *facts]) + text


def _short(text: str) -> str:
    flat = text.strip("\n").replace("\n", "⏎")
    return f"«{flat if len(flat) <= 60 else flat[:40] + '…' + flat[-19:]}»"
