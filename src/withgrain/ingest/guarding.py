"""What ingestion does with what looks like a secret: always say so, and by policy mask it or refuse the document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from withgrain.errors import DocumentError
from withgrain.model import Block, Document, Notice
from withgrain.signals.secrets import Secret, hide, masked, secrets

if TYPE_CHECKING:
    from withgrain.chunk.policy import Secrets

#: Places that are named one by one.
_PLACES = 20


def guarded(document: Document, mode: Secrets) -> Document:
    """Return the document with notices about its secrets; with ``mask``, without them.

    A mask has the length of what it hides, so that every span, line and source place stays right. What stands beside
    the text (title, front matter, targets of links, what was left out) is masked, too.

    Raises:
        DocumentError: ``refuse``, and there is one; says of which families and where, and shows none.
    """
    found = secrets(document.text)
    if not found:
        return document
    families = ", ".join(f"{name} ({n})" for name, n in Counter(secret.family for secret in found).items())
    if mode == "refuse":
        raise DocumentError(f"it holds what looks like secrets: {families}; the first {_where(document, found[0])}")
    said = [Notice(kind="secrets", message=f"Holds what looks like secrets: {families}.")]
    if mode in ("report", "mask"):
        done = "was masked" if mode == "mask" else "looks like a secret"
        said = [
            Notice(kind="secret", message=f"A {secret.family} {done}, {_where(document, secret)}.", span=secret.span)
            for secret in found[:_PLACES]
        ] or said
        if len(found) > _PLACES:
            said.append(Notice(kind="secrets", message=f"Holds what looks like secrets: {families}."))
    clean = _masked(document, found) if mode == "mask" else document
    return replace(clean, notices=(*clean.notices, *said))


def _where(document: Document, secret: Secret) -> str:
    lines = document.lines(secret.span)
    pages = document.pages(secret.span)
    return f"in line {lines[0]}" if lines else f"on page {pages[0]}" if pages else "in its text"


def _masked(document: Document, found: tuple[Secret, ...]) -> Document:
    raws = {secret.span.of(document.text) for secret in found}
    hidden = {raw: hide(raw) for raw in sorted(raws, key=len, reverse=True)}

    def clean(value: Any) -> Any:
        if isinstance(value, str):
            for raw, mask in hidden.items():
                value = value.replace(raw, mask)
            return value
        if isinstance(value, Mapping):
            return {clean(key): clean(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(clean(inner) for inner in value)
        return value

    return replace(
        document,
        text=masked(document.text, found),
        title=clean(document.title),
        meta=clean(document.meta),
        blocks=tuple(_clean_block(block, clean) for block in document.blocks),
        links=tuple(replace(link, target=clean(link.target)) for link in document.links),
        dropped=tuple(replace(drop, text=clean(drop.text)) for drop in document.dropped),
    )


def _clean_block(block: Block, clean: Callable[[Any], Any]) -> Block:
    """Return a block with clean facts. Parsers bound how deep blocks nest, so that this may follow them down."""
    children = tuple(_clean_block(child, clean) for child in block.children)
    return replace(block, attrs=clean(block.attrs), children=children)
