"""Subtitles and transcripts (WebVTT, SubRip): what was said, by whom, from when to when."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape

from withgrain.errors import DocumentError
from withgrain.model import Document, Source
from withgrain.parse.decode import decode
from withgrain.parse.rendered import Inline, Writer

#: A longer silence ends a paragraph, in seconds.
PAUSE = 4.0
#: A paragraph ends with the sentence after so many characters.
LONG = 400

_TIME = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
_RANGE = re.compile(rf"{_TIME}\s*-->\s*{_TIME}[^\n]*")
_VOICE = re.compile(r"<v(?:\.[\w.-]+)?\s+([^<>\n]{1,100})>")
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>|<\d[\d:.]{0,20}>|\{\\[^{}\n]{0,40}\}")
_SPEAKER = re.compile(r"(?:>>\s*)?([A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,3})\s?:\s+(?=\S)")
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’)]*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cue:
    start: float
    end: float
    speaker: str
    text: str


def parse_transcript(data: bytes, source: Source) -> Document:
    """Parse subtitles; the cues of one speaker join to paragraphs, whose anchor is their time (``t=12.5``, seconds).

    Raises:
        DocumentError: It has no cues.
    """
    decoded = decode(data)
    writer = Writer()
    for notice in decoded.notices:
        writer.notice(notice.kind, notice.message)
    cues = list(_cues(decoded.text, writer))
    if not cues and decoded.text.strip() not in ("", "WEBVTT"):
        raise DocumentError("The file has no cues: no line of the form 00:01:02.000 --> 00:01:05.000.")
    for group in _paragraphs(cues):
        first, last = group[0], group[-1]
        writer.origin = f"{_clock(first.start)} --> {_clock(last.end)}"
        words = " ".join(cue.text for cue in group)
        writer.paragraph(Inline(f"{first.speaker}: {words}" if first.speaker else words), anchor=f"t={first.start:g}")
    return writer.document(source)


def _cues(text: str, writer: Writer) -> Iterator[_Cue]:
    before: tuple[str, ...] = ()
    speaker = ""
    for block in re.split(r"\n[ \t]*\n", text):
        match = _RANGE.search(block)
        if match is None:
            stripped = block.strip()
            if stripped and not stripped.startswith("WEBVTT"):
                writer.drop("comment" if stripped.startswith("NOTE") else "settings", stripped)
            continue
        start, end = _seconds(match.groups()[:4]), _seconds(match.groups()[4:])
        lines = [line for line in map(_plain, block[match.end() :].split("\n")) if line]
        fresh = [line for line in lines if line not in before]  # captions that roll up repeat the line before
        if len(fresh) < len(lines):
            writer.drop("repeated caption", " ".join(line for line in lines if line in before))
        before = tuple(lines)
        voice = _VOICE.search(block, match.end())
        words = " ".join(fresh)
        named = _SPEAKER.match(words)
        if voice:
            speaker = " ".join(unescape(voice.group(1)).split())
        elif named:
            speaker, words = named.group(1), words[named.end() :]
        elif words.startswith((">>", "- ")):
            speaker = ""
        if words:
            yield _Cue(start=start, end=end, speaker=speaker, text=words)


def _plain(line: str) -> str:
    return " ".join(unescape(_TAG.sub("", line)).split())


def _paragraphs(cues: list[_Cue]) -> Iterator[list[_Cue]]:
    group: list[_Cue] = []
    length = 0
    for cue in cues:
        if group:
            last = group[-1]
            ends = length > LONG and _SENTENCE_END.search(last.text)
            if cue.speaker != last.speaker or cue.start - last.end > PAUSE or ends or length > 3 * LONG:
                yield group
                group, length = [], 0
        group.append(cue)
        length += len(cue.text)
    if group:
        yield group


def _seconds(parts: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, thousandths = (int(part or 0) for part in (*parts[:3], (parts[3] or "0").ljust(3, "0")))
    return hours * 3600 + minutes * 60 + seconds + thousandths / 1000


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}.{round((seconds - whole) * 1000) % 1000:03}"
