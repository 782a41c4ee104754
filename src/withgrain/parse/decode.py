"""Bytes to canonical text: line feeds as newlines, no byte order mark, no NUL; and what was removed, exactly."""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from dataclasses import dataclass
from itertools import accumulate

from withgrain.errors import DocumentError
from withgrain.model import Notice

_SAMPLE = 65_536
_HEAD = 4_096
_JUDGED = 32  # shorter texts are never called binary for their control characters

#: First bytes of formats that are not text (file(1) magic numbers), with the name used in the error.
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"PK\x03\x04", "a ZIP archive or Office document"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"%PDF-", "a PDF document"),
    (b"\x7fELF", "an ELF program"),
    (b"\x1f\x8b\x08", "a gzip archive"),
    (b"BZh9", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\x00asm", "a WebAssembly module"),
    (b"\xca\xfe\xba\xbe", "a Java class or Mach-O program"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O program"),
    (b"wOFF", "a web font"),
    (b"wOF2", "a web font"),
    (b"OggS\x00", "an Ogg file"),
    (b"ID3\x03", "an MP3 file"),
    (b"ID3\x04", "an MP3 file"),
)
_MAGIC_PREFIXES = tuple(prefix for prefix, _ in _MAGIC)

# C0 controls that no text holds: all but \t \n \v \f \r, escape (terminal colours) and NUL (counted apart).
_CONTROL = bytes(set(range(0x01, 0x20)) - {0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1B}) + b"\x7f"
_REMOVABLE = re.compile("[\x00\ufeff]+|\r(?=[\x00\ufeff]*\n)")

# Evidence for Windows-1252 / Latin-1 among bytes that are no UTF-8: accented lower-case letters in a word, accented
# capitals that begin a word, and typographic marks in their usual place.
_HIGH = re.compile(rb"[\x80-\xff]")
_WESTERN = re.compile(
    rb"[\xdf-\xf6\xf8-\xfe](?=[A-Za-z\xdf-\xf6\xf8-\xfe])(?<=[A-Za-z\xc0-\xfe].)"  # inside a word
    rb"|(?<=[A-Za-z])[\xdf-\xf6\xf8-\xfe](?![\x80-\xff])"  # at its end
    rb"|(?<![\x80-\xffa-z])[\xc0-\xd6\xd8-\xde\xe0-\xf6\xf8-\xfd](?=[A-Za-z])"  # at its start
    rb"|(?<=[A-Z])[\xc0-\xd6\xd8-\xde](?=[A-Z\W])"  # in capitals
    rb"|(?<=[A-Za-z.,?!0-9])[\x92\x94\x99](?![\x80-\xff])"  # closing quote, apostrophe, trade mark
    rb"|(?<![\x80-\xff])[\x91\x93](?=[A-Za-z0-9])"  # opening quote
    rb"|(?<=[ A-Za-z0-9])[\x80\x85\x95\x96\x97\xa0\xa3\xa7\xa9\xab\xae\xb0\xb1\xb5\xb7\xbb\xbd](?![\x80-\xff])"
    rb"|(?<![\x80-\xff])[\x80\x95\x96\x97\xa3\xa7\xa9\xab](?=[ A-Za-z0-9])"
)
#: A letter that is a word (French "à") or a cell: no evidence by itself, nor against what the others show.
_LONE = re.compile(rb"(?<![\x80-\xffA-Za-z])[\xc0-\xd6\xd8-\xf6\xf8-\xfe](?![\x80-\xffA-Za-z])")
_CP1252_UNDEFINED = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """A decoded file.

    Attributes:
        text: Canonical text.
        removed: Canonical offsets in front of which one source character was removed (see ``Document.removed``).
        encoding: Python name of the encoding that was used.
        notices: ``decode_replaced``, ``encoding_guessed``.
    """

    text: str
    removed: tuple[int, ...] = ()
    encoding: str = "utf-8"

    @property
    def meta(self) -> dict[str, str]:
        """The encoding as metadata of the document, where it is not the usual one."""
        return encoding_meta(self.encoding)

    notices: tuple[Notice, ...] = ()


def encoding_meta(encoding: str) -> dict[str, str]:
    """Return the metadata that names an encoding; nothing for UTF-8 and for ASCII, which is part of it."""
    return {} if encoding in ("utf-8", "utf-8-sig", "ascii") else {"encoding": encoding}


def decode(data: bytes) -> Decoded:
    """Decode the bytes of a text file.

    A byte order mark decides (UTF-8, UTF-16, UTF-32). Else it is UTF-8. What is not is UTF-16 without a mark or
    Windows-1252 where the bytes clearly look so (notice ``encoding_guessed``), else UTF-8 with U+FFFD for every
    broken sequence (notice ``decode_replaced``).

    Raises:
        DocumentError: The bytes are not text (kind ``binary``).
    """
    if data.startswith(_MAGIC_PREFIXES):
        name = next(name for prefix, name in _MAGIC if data.startswith(prefix))
        raise _binary(f"it begins like {name}")
    source, encoding, notices = _to_characters(data)
    text, removed = _canonical(source)
    return Decoded(text=text, removed=removed, encoding=encoding, notices=notices)


def _to_characters(data: bytes) -> tuple[str, str, tuple[Notice, ...]]:
    marked = _marked_encoding(data)
    if marked is not None:
        return _decode_as(data, marked, ())
    guess = None if data.startswith(BOM_UTF8) else _utf16_without_mark(data)
    if guess is not None:
        return _decode_as(data, guess, (_guessed(guess),))
    try:
        source = data.decode("utf-8")
    except UnicodeDecodeError:
        return _broken_utf8(data)
    if len(data) >= _JUDGED and _controls(data[:_HEAD]) > 0.3:
        raise _binary("most of its bytes are control characters")
    return source, "utf-8", ()


def _marked_encoding(data: bytes) -> str | None:
    """Return the UTF-16 or UTF-32 that a byte order mark announces; a UTF-8 mark announces nothing new."""
    if data.startswith(BOM_UTF32_BE):
        return "utf-32-be"
    if data.startswith(BOM_UTF32_LE) and _decodes(data, "utf-32-le"):
        return "utf-32-le"  # else UTF-16 that goes on with a NUL
    if data.startswith(BOM_UTF16_LE):
        return "utf-16-le"
    return "utf-16-be" if data.startswith(BOM_UTF16_BE) else None


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _decode_as(data: bytes, encoding: str, notices: tuple[Notice, ...]) -> tuple[str, str, tuple[Notice, ...]]:
    try:
        return data.decode(encoding), encoding, notices
    except UnicodeDecodeError:
        source = data.decode(encoding, "replace")
    if source.count("\ufffd") * 3 > len(source):
        raise _binary(f"it does not decode as {encoding}, which its first bytes announce")
    return source, encoding, (*notices, _replaced(encoding))


def _utf16_without_mark(data: bytes) -> str | None:
    """Return UTF-16 of some byte order when every other byte of the sample is mostly NUL and its twin never is."""
    sample = data[:_HEAD]
    if b"\x00" not in sample or len(sample) < 8:
        return None
    even, odd = sample[0::2], sample[1::2]
    nul_even, nul_odd = even.count(0) / len(even), odd.count(0) / len(odd)
    if nul_odd > 0.6 and nul_even < 0.02 and _controls(even) < 0.02:
        return "utf-16-le"
    if nul_even > 0.6 and nul_odd < 0.02 and _controls(odd) < 0.02:
        return "utf-16-be"
    return None


def _broken_utf8(data: bytes) -> tuple[str, str, tuple[Notice, ...]]:
    middle = len(data) // 2
    sample = data if len(data) <= 2 * _SAMPLE else data[:_SAMPLE] + data[middle : middle + _SAMPLE]
    if _controls(sample) > 0.03 or sample.count(0) > len(sample) * 0.05:
        raise _binary("it holds control bytes and is no UTF-8")
    source = data.decode("utf-8", "replace")
    if _looks_western(data, source):
        return data.decode("cp1252"), "cp1252", (_guessed("cp1252"),)
    if source.count("\ufffd") * 3 > len(source):
        raise _binary("more than a third of it is no UTF-8")
    return source, "utf-8", (_replaced("utf-8"),)


def _looks_western(data: bytes, replaced: str) -> bool:
    if _CP1252_UNDEFINED.search(data):
        return False
    broken = replaced.count("\ufffd")
    if len(replaced.encode("ascii", "ignore")) + broken != len(replaced):
        return False  # some sequences are good UTF-8: it is UTF-8 with faults
    high, shown = len(_HIGH.findall(data)), len(_WESTERN.findall(data))
    lone = min(3 * shown, len(_LONE.findall(data)))
    return shown > 0 and shown >= 0.9 * (high - lone)


def _controls(sample: bytes) -> float:
    """Return the share of control bytes, NUL not counted."""
    return 1 - len(sample.translate(None, _CONTROL)) / len(sample) if sample else 0.0


def _canonical(source: str) -> tuple[str, tuple[int, ...]]:
    has_return = "\r" in source
    if "\x00" in source or (not source.isascii() and "\ufeff" in source):
        return _remove(source)
    if not has_return:
        return source, ()
    lines = source.split("\r\n")
    text = "\n".join(lines)
    if "\r" in text:
        text = text.replace("\r", "\n")  # one for one: nothing is removed
    ends = accumulate(map(len, lines[:-1]))
    return text, tuple([end + index for index, end in enumerate(ends)])


def _remove(source: str) -> tuple[str, tuple[int, ...]]:
    kept: list[str] = []
    removed: list[int] = []
    at = length = 0
    for match in _REMOVABLE.finditer(source):
        start, end = match.span()
        kept.append(source[at:start])
        length += start - at
        removed.extend([length] * (end - start))
        at = end
    kept.append(source[at:])
    return "".join(kept).replace("\r", "\n"), tuple(removed)


def _binary(why: str) -> DocumentError:
    return DocumentError(
        f"The file is not text: {why}. Convert it to a text format, or leave it out of the ingested folder.",
        kind="binary",
    )


def _guessed(encoding: str) -> Notice:
    return Notice(
        kind="encoding_guessed",
        message=f"The file says no encoding and is no UTF-8; it was read as {encoding}. Save it as UTF-8 to be sure.",
    )


def _replaced(encoding: str) -> Notice:
    return Notice(
        kind="decode_replaced",
        message=f"Bytes that are no {encoding} were replaced by U+FFFD. Save the file as UTF-8 to keep its words.",
    )
