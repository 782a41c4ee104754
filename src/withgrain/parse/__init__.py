"""Bytes to `Document`: one parser per format, chosen by media type.

A new format is one file here and one line in `_FORMATS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

from withgrain.errors import DocumentError
from withgrain.model import Document, Source, sha256_hex
from withgrain.parse.decode import Decoded, decode
from withgrain.parse.markdown import parse_markdown
from withgrain.parse.text import parse_text

__all__ = ["PARSER_VERSION", "Decoded", "Format", "decode", "formats", "media_type_for", "parse"]

#: Changes whenever the blocks of an unchanged file can change.
PARSER_VERSION = "1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format that can be parsed.

    Attributes:
        name: For people and for `--json`.
        media_type: What `Source.media_type` says.
        suffixes: File name endings, lower case, with their dot.
    """

    name: str
    media_type: str
    suffixes: tuple[str, ...]


_FORMATS: tuple[tuple[Format, Callable[[bytes, Source], Document]], ...] = (
    (Format(name="markdown", media_type="text/markdown", suffixes=(".md", ".markdown")), parse_markdown),
    (Format(name="mdx", media_type="text/mdx", suffixes=(".mdx",)), parse_markdown),
    (Format(name="text", media_type="text/plain", suffixes=(".txt", ".text")), parse_text),
    (Format(name="log", media_type="text/x-log", suffixes=(".log",)), parse_text),
)
_BY_SUFFIX = {suffix: entry for entry, _ in _FORMATS for suffix in entry.suffixes}
_BY_TYPE = {entry.media_type: parser for entry, parser in _FORMATS}


def formats() -> tuple[Format, ...]:
    """Return the formats that `parse` reads."""
    return tuple(entry for entry, _ in _FORMATS)


def media_type_for(path: str) -> str | None:
    """Return the media type that the name of a file says; None when no format has its suffix."""
    entry = _BY_SUFFIX.get(PurePosixPath(path).suffix.lower())
    return entry.media_type if entry else None


def parse(
    data: bytes,
    *,
    uri: str,
    root: str = "",
    media_type: str | None = None,
    modified: str | None = None,
) -> Document:
    """Parse the bytes of a file.

    Args:
        data: The bytes.
        uri: ``Source.uri``: root and path; the SHA-256 of the bytes for a text without a file.
        root: Name of the ingested root.
        media_type: Overrides what the suffix of ``uri`` says.
        modified: Modification time as an ISO 8601 UTC string.

    Raises:
        DocumentError: No format reads this (kind ``unknown_format``); the bytes are not text (kind ``binary``).
    """
    chosen = media_type or media_type_for(uri)
    parser = _BY_TYPE.get(chosen) if chosen else None
    if parser is None or chosen is None:
        known = " ".join(suffix for entry, _ in _FORMATS for suffix in entry.suffixes)
        asked = f"media type {media_type}" if media_type else "its suffix"
        raise DocumentError(f"{uri}: no parser reads {asked}. Known suffixes: {known}", kind="unknown_format")
    source = Source(root=root, uri=uri, media_type=chosen, sha256=sha256_hex(data), modified=modified)
    try:
        return parser(data, source)
    except DocumentError as error:
        raise DocumentError(f"{uri}: {error}", kind=error.kind) from error
