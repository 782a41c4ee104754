"""The document of a raw format: decoded source, blocks with exact offsets, the file's name as its title."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

from withgrain.model import Block, Document, Notice, Source, document_id, label
from withgrain.parse.decode import Decoded


def raw_document(
    source: Source,
    decoded: Decoded,
    blocks: Iterable[Block],
    *,
    title: str = "",
    meta: Mapping[str, Any] | None = None,
    notices: Iterable[Notice] = (),
) -> Document:
    """Return the document; ``title`` is the format's own, where it has one."""
    found = [*decoded.notices, *notices]
    if not decoded.text.strip():
        found.append(Notice(kind="empty_document", message="The document holds no text."))
    name = "" if source.uri == source.sha256 else PurePosixPath(source.path).name
    return Document(
        id=document_id(source.uri),
        source=source,
        title=label(" ".join(title.split())) or name,
        text=decoded.text,
        blocks=tuple(blocks),
        meta={**decoded.meta, **(meta or {})},
        notices=tuple(found),
        removed=decoded.removed,
    )


def parse_failed(message: str) -> Notice:
    """Return the notice of a document that its parser understands in part only."""
    return Notice(kind="parse_failed", message=message)
