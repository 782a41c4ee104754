"""The characters of a page: by byte order mark, else by its own declaration, else UTF-8, else detection."""

from __future__ import annotations

import codecs
import re

from withgrain.errors import DocumentError
from withgrain.model import Notice
from withgrain.parse.decode import decode

_DECLARED = re.compile(rb"<meta\b[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE)
_XML = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{2,40})", re.IGNORECASE)
_HEAD = 4_096
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
#: What browsers read these names as (WHATWG Encoding Standard).
_READ_AS = {
    "iso8859-1": "cp1252", "ascii": "cp1252", "iso8859-9": "cp1254", "gb2312": "gb18030", "gbk": "gb18030",
    "shift_jis": "cp932", "euc_kr": "cp949", "utf-16": "utf-8", "utf-16-le": "utf-8", "utf-16-be": "utf-8",
    "utf-7": "utf-8",
}  # fmt: skip


def read_page(data: bytes) -> tuple[str, str, list[Notice]]:
    """Return the characters of a page, the encoding that they were in, and what had to be guessed or replaced.

    Raises:
        DocumentError: The bytes are not text (kind ``binary``).
    """
    declared = None if data.startswith(_MARKS) else _declared(data[:_HEAD])
    if declared and declared != "utf-8":
        text = data.decode(declared, "replace")
        replaced = text.count("\ufffd") - data.count(b"\xef\xbf\xbd")
        return text, declared, [_replaced(declared)] if replaced > 0 else []
    try:
        decoded = decode(data)
    except DocumentError:
        detected = _detected(data)
        if detected is None:
            raise
        return detected
    if any(notice.kind == "decode_replaced" for notice in decoded.notices):
        return _detected(data) or (decoded.text, decoded.encoding, list(decoded.notices))
    return decoded.text, decoded.encoding, list(decoded.notices)


def _declared(head: bytes) -> str | None:
    match = _DECLARED.search(head) or _XML.match(head)
    if match is None:
        return None
    try:
        name = codecs.lookup(match.group(1).decode("ascii", "replace")).name
    except LookupError:
        return None
    name = _READ_AS.get(name, name)
    return name if _is_text(name) else None


def _is_text(name: str) -> bool:
    try:
        return isinstance(b"a".decode(name), str)
    except (LookupError, ValueError):
        return False


def _detected(data: bytes) -> tuple[str, str, list[Notice]] | None:
    """Return the page in the encoding that its bytes speak for, where that decodes without a fault."""
    from turbohtml.detect import detect

    if b"\x00" in data[:_HEAD]:
        return None
    name = detect(data[:65_536]).encoding
    try:
        found = codecs.lookup(str(name)).name
        found = _READ_AS.get(found, found)
        text = data.decode(found)
    except (LookupError, ValueError):
        return None
    notices = [
        Notice(
            kind="encoding_guessed",
            message=f"The page declares no encoding and is no UTF-8; it was read as {found}. Declare it to be sure.",
        )
    ]
    return text, found, notices


def _replaced(encoding: str) -> Notice:
    return Notice(
        kind="decode_replaced",
        message=f"Bytes that are no {encoding}, which the page declares, were replaced by U+FFFD.",
    )
