"""Bytes to `Document`: one parser per format, chosen by media type, name or suffix (`withgrain.parse.registry`)."""

from __future__ import annotations

from dataclasses import replace

from withgrain.errors import DocumentError
from withgrain.model import Document, Notice, Source, sha256_hex
from withgrain.parse.decode import Decoded, decode
from withgrain.parse.registry import Format, format_for, format_of, formats, parser_of, witness_of
from withgrain.parse.sniff import BINARY, HEAD, HTML, PDF, ZIP, office_type, script_type, sniff
from withgrain.parse.witness import lost_words

__all__ = ["PARSER_VERSION", "Decoded", "Format", "decode", "formats", "media_type_for", "parse"]

#: Changes whenever the blocks of an unchanged file can change.
PARSER_VERSION = "4"


def media_type_for(path: str, head: bytes = b"") -> str | None:
    """Return the media type that the name of a file says, else the first line of a script without a suffix.

    Args:
        path: Its name.
        head: Its first bytes, for names that say nothing.
    """
    found = format_for(path) or _script(path, head)
    return found.media_type if found else None


def _script(path: str, head: bytes) -> Format | None:
    """Return the format that the first line of a script names, where its name has no suffix."""
    kind = script_type(head) if "." not in path.rpartition("/")[2] else None
    return format_of(kind) if kind else None


def _with_unread(document: Document, data: bytes, chosen: Format) -> Document:
    """Note the words that an independent extraction of the source finds and the parser did not."""
    witness = witness_of(chosen)
    unread = lost_words(witness(data), document) if witness and document.rendered else ()
    if not unread:
        return document
    shown = ", ".join(list(dict.fromkeys(unread))[:10])
    notice = Notice(kind="words_unread", message=f"{len(unread)} words of the source were not read: {shown}.")
    return replace(document, unread=unread, notices=(*document.notices, notice))


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
        media_type: Overrides what the name in ``uri`` says.
        modified: Modification time as an ISO 8601 UTC string.

    Raises:
        DocumentError: No format reads this (kind ``unknown_format``); the bytes are not text (kind ``binary``), or not
            what the name says (kind ``disguised``).
        MissingExtra: The libraries that the format needs are not installed.
    """
    named = format_of(media_type) if media_type else format_for(uri) or _script(uri, data[:HEAD])
    chosen, disguise = (named, None) if media_type or named is None else _by_content(data, named)
    if chosen is None:
        known = " ".join(suffix for entry in formats() for suffix in entry.suffixes)
        asked = f"media type {media_type}" if media_type else "its suffix"
        raise DocumentError(f"{uri}: no parser reads {asked}. Known suffixes: {known}", kind="unknown_format")
    source = Source(root=root, uri=uri, media_type=chosen.media_type, sha256=sha256_hex(data), modified=modified)
    try:
        document = _with_unread(parser_of(chosen)(data, source), data, chosen)
    except DocumentError as error:
        raise DocumentError(f"{uri}: {error}", kind=error.kind) from error
    return replace(document, notices=(*document.notices, disguise)) if disguise else document


#: Formats whose text may begin like a page and still be what the name says.
_MAY_BEGIN_LIKE_A_PAGE = frozenset({"message/rfc822", "text/mdx", "application/x-ipynb+json"})


def _by_content(data: bytes, named: Format) -> tuple[Format, Notice | None]:
    """Return the format that the content speaks for, and a notice where the name says another one.

    Raises:
        DocumentError: The name says an Office document or PDF, and the content is of another kind that is not read.
    """
    kind = sniff(data[:HEAD])
    if kind == ZIP:
        kind = office_type(data)
        if kind is None and named.extra == "office":
            raise DocumentError(
                f"The name says {named.name}, but it is another zip archive, or damaged. Give an archive the ending "
                ".zip to have it read as a folder.",
                kind="disguised",
            )
    text = named.extra is None and named.media_type not in _MAY_BEGIN_LIKE_A_PAGE
    if kind is None or kind == BINARY or (kind == HTML and not (text or named.extra in ("office", "pdf"))):
        return named, None
    found = format_of(kind)
    if found is None or found is named or (kind == PDF and named.extra == "code"):
        return named, None
    message = f"The name says {named.name}, but the content is {found.name}: it was read as that."
    return found, Notice(kind="disguised", message=message)
