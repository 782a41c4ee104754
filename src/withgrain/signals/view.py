"""What the detectors look at: a text, its tokens, and which words in it are set as code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

# Brackets of prose, quotes, table bars and list commas separate tokens. What identifiers are made of stays:
# letters, digits and  $ % & # @ - _ . / : = + { } ~ \ ! ?
_SEPARATORS = b"\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f `|()[],;\"'<>*"
_TOKEN_TABLE = bytes(32 if byte in _SEPARATORS else byte for byte in range(256))
# Lower case for letters; digits and "_" stay, so that "user_id" is not "user"; bytes of other scripts stay, so that
# "éuser" is not "user"; everything else separates.
WORD_TABLE = bytes(
    ord(chr(byte).lower()) if byte < 128 and chr(byte).isalnum() else byte if byte >= 128 or byte == 95 else 32
    for byte in range(256)
)

# Scripts that put no space between words: an identifier stands in the middle of them. The first bytes of their
# characters in UTF-8 tell whether a text has any.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]+")
_UNSPACED_LEAD = re.compile(rb"[\xe0\xe1\xe3-\xed\xef]")

_CODE_SPAN = re.compile(r"`([^`\n]{1,200})`")
_JSON_KEY = re.compile(r'"([A-Za-z_]\w{1,80})"\s{0,4}:')
_ARROW = re.compile(r"(?:->|=>|→)[ \t`*|\"']{0,8}([A-Za-z_][\w.]{1,80})")
_DELIMITER = re.compile(r"\n[ \t]*\|?[ \t]*:?-{1,200}:?[ \t]*\|")
_LONGEST_HEADER = 1000
_CELL = re.compile(r"[a-z][A-Za-z0-9_]{1,60}")
_MAX_FENCES = 128


class Segment(NamedTuple):
    """A stretch of text that is wholly inside or wholly outside of fenced code.

    Attributes:
        start: Its offset in the text.
        fenced: Whether it is code.
        tokens: Its tokens as UTF-8.
    """

    start: int
    fenced: bool
    tokens: list[bytes]


class View:
    """A text made ready for the detectors. What not every text needs is computed when it is first asked for."""

    __slots__ = ("_code", "_spaced", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._code: frozenset[str] | None = None
        self._spaced: bytes | None = None

    def segments(self) -> list[Segment]:
        """Return the segments of the text; where fences are too many to be real, it is one."""
        text = self.text
        if "```" not in text or text.count("```") > _MAX_FENCES:
            return [Segment(0, False, _tokens(text))]
        result: list[Segment] = []
        start = 0
        for index, piece in enumerate(text.split("```")):
            if piece:
                result.append(Segment(start, index % 2 == 1, _tokens(piece)))
            start += len(piece) + 3
        return result

    def is_code(self, word: str) -> bool:
        """Return whether the word is set as code: in a code span, as a JSON key, on a side of an arrow."""
        if self._code is None:
            if f"`{word}`" in self.text:
                return True
            self._code = _code_words(self.text)
        return word in self._code

    def has_phrase(self, phrase: bytes) -> bool:
        """Return whether a phrase, given in lower case between two spaces, stands in the text."""
        if self._spaced is None:
            self._spaced = b" " + self.text.encode("utf-8", "surrogatepass").translate(WORD_TABLE) + b" "
        return phrase in self._spaced

    def has_any(self, *needles: str) -> bool:
        """Return whether one of some literal strings stands in the text."""
        text = self.text
        return any(needle in text for needle in needles)


def _tokens(text: str) -> list[bytes]:
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) > len(text) and _UNSPACED_LEAD.search(encoded):
        encoded = _UNSPACED.sub(" ", text).encode("utf-8", "surrogatepass")
    return encoded.translate(_TOKEN_TABLE).split()


def _headers(text: str) -> Iterator[str]:
    """Yield the lines above the delimiter rows of tables."""
    for match in _DELIMITER.finditer(text):
        header = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if 0 < len(header) <= _LONGEST_HEADER:
            yield header


def _code_words(text: str) -> frozenset[str]:
    words: list[str] = []
    if "`" in text:
        spans = _CODE_SPAN.findall(text)
        words.extend(spans)
        for span in spans:
            if " " in span or "," in span:
                words.extend(word.strip("()[]{},;:\"'.|*") for word in span.split())
    if '":' in text or '" :' in text:
        words.extend(_JSON_KEY.findall(text))
    if "->" in text or "=>" in text or "→" in text:
        for match in _ARROW.finditer(text):
            left = text[max(0, match.start() - 90) : match.start()].rstrip(" \t`*|\"'").split()
            words.extend(word.strip("()[]{},;:\"'.|*`") for word in (*left[-1:], match[1]))
    if "|-" in text or "| -" in text or "|:" in text:  # a name alone in a cell of a table's header is a column
        for header in _headers(text):
            words.extend(cell for raw in header.split("|") if _CELL.fullmatch(cell := raw.strip()))
    return frozenset(words)
