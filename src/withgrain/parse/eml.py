"""E-mail messages: headers, the text, quoted replies, attached messages and texts; other attachments are listed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import Message
from itertools import islice
from typing import Any, cast

from withgrain.errors import DocumentError
from withgrain.model import Document, Source
from withgrain.parse.decode import decode
from withgrain.parse.html.parser import write_page
from withgrain.parse.html.witness import markup_words
from withgrain.parse.rendered import Inline, Writer

#: Parts that are read; later ones are listed as dropped.
MAX_PARTS = 300
#: Characters of one attached text that are read.
MAX_ATTACHMENT = 200_000

_HEADERS = (("From", "from"), ("To", "to"), ("Cc", "cc"), ("Date", "date"), ("Message-ID", "message_id"))
_QUOTE = re.compile(r"((?:>[ ]?)+)")
_ITEM = re.compile(r"[ \t]*(?:[-*•]|(\d{1,3})[.)])[ \t]+(?=\S)")
_MARKDOWN = (".md", ".markdown")


def parse_message(data: bytes, source: Source) -> Document:
    """Parse a message; of a text and its HTML twin the one that says more is read.

    Raises:
        DocumentError: It is no message.
    """
    message = _load(data)
    writer = Writer()
    subject = _header(message, "Subject")
    for name, key in _HEADERS:
        value = _header(message, name)
        if value:
            writer.meta[key] = value
    _write_message(writer, message)
    return writer.document(source, title=subject)


def message_words(data: bytes) -> str:
    """Return the text of every text part, of both twins."""
    found: list[str] = []
    for part in islice(_parts(_load(data)), MAX_PARTS):
        if part.get_content_maintype() == "text":
            text = _text(part)
            found.append(markup_words(text) if part.get_content_subtype() == "html" else text)
    return "\n".join(found)


def _load(data: bytes) -> Message:
    try:
        message = message_from_bytes(data, policy=policy.default)
    except (RecursionError, ValueError, LookupError) as error:
        raise DocumentError(f"The message cannot be read: {error}.") from error
    if not any(message.get(name) for name in ("From", "To", "Subject", "Date", "Received", "Message-ID")):
        raise DocumentError("The file is no e-mail message: it has none of the headers From, To, Subject, Date.")
    return message


def _parts(message: Message) -> Iterator[Message]:
    stack = [message]
    while stack:
        part = stack.pop()
        yield part
        if part.is_multipart():
            inner = part.get_payload()
            stack.extend(p for p in reversed(cast("list[Any]", inner)) if isinstance(p, Message))


def _write_message(writer: Writer, message: Message) -> None:
    """Write a message and what is attached, nested messages too, without recursion."""
    stack: list[tuple[Message, int]] = [(message, 1)]
    count = 0
    listed: list[str] = []
    while stack:
        part, level = stack.pop()
        count += 1
        if count > MAX_PARTS:
            writer.drop("part beyond the limit", _text(part) if part.get_content_maintype() == "text" else "")
            writer.notice("too_large", f"Only the first {MAX_PARTS:,} parts of the message are read.")
            break
        kind = part.get_content_type()
        if part is message or kind == "message/rfc822":
            part, level = _write_head(writer, part, level)
            kind = part.get_content_type()
        if part.is_multipart():
            inner = [p for p in cast("list[Any]", part.get_payload()) if isinstance(p, Message)]
            if kind == "multipart/alternative":
                inner = [_better(inner, writer)] if inner else []
            stack.extend((p, level) for p in reversed(inner))
        else:
            _write_part(writer, part, kind, listed)
    if listed:
        writer.paragraph("Attachments:")
        writer.begin_list()
        for name in listed:
            writer.begin_item()
            writer.paragraph(name)
            writer.end()
        writer.end()


def _write_head(writer: Writer, part: Message, level: int) -> tuple[Message, int]:
    if part.get_content_type() == "message/rfc822" and part.is_multipart():
        inner = cast("list[Any]", part.get_payload())
        part = inner[0] if inner and isinstance(inner[0], Message) else part
        level += 1
    writer.heading(_header(part, "Subject") or "(no subject)", min(level, 6))
    lines = Inline()
    for name, _ in _HEADERS[:4]:
        value = _header(part, name)
        if value:
            lines.text(f"{name}: {value}")
            lines.line_break()
    writer.paragraph(lines)
    return part, level


def _better(twins: list[Message], writer: Writer) -> Message:
    """Return the twin to read: the plain text, unless it says much less than the HTML; the other is listed."""
    plain = next((p for p in twins if p.get_content_type() == "text/plain"), None)
    rich = next((p for p in twins if p.get_content_type() == "text/html" or p.is_multipart()), None)
    chosen = plain or rich or twins[0]
    if plain is not None and rich is not None and not rich.is_multipart():
        words = markup_words(_text(rich))
        if 2 * len(_text(plain).split()) < len(words.split()):
            chosen = rich
            writer.drop("alternative", _text(plain))
        else:
            writer.drop("alternative", words)
    return chosen


def _write_part(writer: Writer, part: Message, kind: str, listed: list[str]) -> None:
    name = part.get_filename() or ""
    attached = bool(name) or part.get_content_disposition() == "attachment"
    if kind == "text/html":
        if attached:
            writer.paragraph(f"Attachment {name}:")
        _write_html(writer, part)
    elif part.get_content_maintype() == "text" or (attached and name.lower().endswith(_MARKDOWN)):
        text = _text(part)
        if len(text) > MAX_ATTACHMENT:
            writer.drop("text beyond the limit", text[MAX_ATTACHMENT:])
            text = text[:MAX_ATTACHMENT]
        if not attached:
            write_plain(writer, text, flowed=part.get_param("format") == "flowed")
        else:
            writer.paragraph(f"Attachment {name}:")
            writer.markdown(text) if name.lower().endswith(_MARKDOWN) else writer.code(text)
    elif kind != "multipart/mixed":
        size = len(_bytes(part))
        listed.append(f"{name or 'unnamed'} ({kind}, {size:,} bytes)")
        writer.drop("attachment", name)


def _write_html(writer: Writer, part: Message) -> None:
    payload = _bytes(part)
    charset = part.get_content_charset()
    try:
        markup = payload.decode(charset or "utf-8")
    except (LookupError, ValueError):
        markup = payload.decode("utf-8", "replace")
    write_page(writer, markup)


def write_plain(writer: Writer, text: str, *, flowed: bool = False) -> None:
    """Write the plain text of a message: paragraphs, simple lists, and quoted replies by their ``>``."""
    depth = 0
    lines: list[str] = []
    for raw in [*text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""]:
        match = _QUOTE.match(raw)
        level = match.group(1).count(">") if match else 0
        line = raw[match.end() :] if match else raw
        if level != depth or not line.strip():
            _write_lines(writer, lines, flowed=flowed)
            lines = []
        for _ in range(depth - level):
            writer.end()
        for _ in range(level - depth):
            writer.begin_quote()
        depth = level
        if line.strip():
            lines.append(line)
    _write_lines(writer, lines, flowed=flowed)
    for _ in range(depth):
        writer.end()


def _write_lines(writer: Writer, lines: list[str], *, flowed: bool) -> None:
    items = [_ITEM.match(line) for line in lines]
    if (
        lines
        and items[0]
        and len(lines) > 1
        and all(m or line[:1].isspace() for m, line in zip(items, lines, strict=True))
    ):
        _write_items(writer, lines)
        return
    inline = Inline()
    for line in lines:
        inline.text(line)
        if not (flowed and line.endswith(" ")):
            inline.line_break()
    writer.paragraph(inline)


def _write_items(writer: Writer, lines: list[str]) -> None:
    first = _ITEM.match(lines[0])
    writer.begin_list(ordered=bool(first and first.group(1)))
    inline = Inline()
    for index, line in enumerate(lines):
        match = _ITEM.match(line)
        if match:
            if index:
                writer.paragraph(inline)
                writer.end()
                inline = Inline()
            writer.begin_item(number=match.group(1))
        inline.text(line[match.end() :] if match else line)
        inline.space()
    writer.paragraph(inline)
    writer.end()
    writer.end()


def _header(message: Message, name: str) -> str:
    try:
        value = message.get(name)
        return " ".join(str(value).split())[:2_000] if value is not None else ""
    except (
        ValueError,
        LookupError,
        IndexError,
        AttributeError,
        TypeError,
    ):  # the parser of headers fails on broken ones
        return ""


def _bytes(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _text(part: Message) -> str:
    payload = _bytes(part)
    charset = part.get_content_charset()
    if charset:
        try:
            return payload.decode(charset)
        except (LookupError, ValueError):
            pass
    try:
        return decode(payload).text
    except DocumentError:
        return payload.decode("utf-8", "replace")
