"""What bytes are by their content: a name may be wrong, and a document may be disguised."""

from __future__ import annotations

import io
import re
import zipfile

HTML = "text/html"
PDF = "application/pdf"
ZIP = "application/zip"

#: Bytes of a file that are looked at; PDF allows other bytes in front of its header, as far as readers look.
HEAD = 4_096
_PDF_WITHIN = 1_024

_OFFICE = {
    "word/": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xl/": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "ppt/": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}
_PAGE = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s|<!--(?:(?!-->).){0,2000}-->|<\?xml[^>]{0,200}\?>)*<(?:!doctype\s+html|html[\s>])",
    re.IGNORECASE | re.DOTALL,
)
# First bytes of other formats that are no text.
_BINARY = (b"\xd0\xcf\x11\xe0", b"\x1f\x8b", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"\x7fELF", b"BZh", b"\xfd7zXZ")
BINARY = "application/octet-stream"


def sniff(head: bytes) -> str | None:
    """Return the media type that the first bytes of a file speak for; None for what may be any text.

    A zip archive is ``application/zip`` here, whatever is in it (`office_type` tells); formats that nothing reads are
    ``application/octet-stream``.
    """
    if head.startswith(b"PK\x03\x04"):
        return ZIP
    if b"%PDF-" in head[:_PDF_WITHIN] and (head.startswith(b"%PDF-") or b"\x00" in head or _is_raw(head)):
        return PDF
    if head.startswith(_BINARY):
        return BINARY
    return HTML if _PAGE.match(head[:HEAD]) else None


#: Interpreters of scripts, without their version, and what they read.
_INTERPRETERS = {
    **dict.fromkeys((b"sh", b"bash", b"dash", b"ash", b"ksh"), "application/x-sh"),
    **dict.fromkeys((b"python", b"pypy"), "text/x-python"),
    **dict.fromkeys((b"node", b"nodejs", b"bun"), "text/javascript"),
    b"deno": "text/typescript",
}
_SHEBANG = re.compile(rb"#![ \t]*(?:\S*/env[ \t]+(?:-\S+[ \t]+|\w+=\S*[ \t]+)*)?(?:\S*/)?([a-z]+)[\d.]*(?=\s|$)")


def script_type(head: bytes) -> str | None:
    """Return the media type that the first line of a script names (``#!/usr/bin/env python3``); None for other text."""
    found = _SHEBANG.match(head[:200].split(b"\n", 1)[0].rstrip())
    return _INTERPRETERS.get(found[1]) if found else None


def office_type(data: bytes) -> str | None:
    """Return the media type of an Office document by the parts in its zip package; None for another archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            names = package.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return None
    if not any(name.lower() in ("[content_types].xml", "_rels/.rels") for name in names):
        return None
    return next((kind for start, kind in _OFFICE.items() if any(n.lower().startswith(start) for n in names)), None)


def _is_raw(head: bytes) -> bool:
    """Return whether bytes in front of a header of PDF are no text, so that the header is not just mentioned."""
    before = head[: head.index(b"%PDF-")]
    return bool(before) and not before.strip().isascii()
