"""Logs: one paragraph an entry, with the lines that belong to it (a stack trace, a wrapped message)."""

from __future__ import annotations

import re

from withgrain.model import Block
from withgrain.parse.build import make_block

_ENTRY = re.compile(
    r"^(?:"
    r"[\[(<\"]?\d{4}[-/.]\d\d[-/.]\d\d[T \t_]"  # 2031-04-05T10:11:12
    r"|[\[(]?\d\d[-/.]\d\d[-/.]\d{2,4}[T ,]"  # 05/04/2031 10:11
    r"|[\[(]?\d\d:\d\d:\d\d"  # 10:11:12
    r"|(?:<\d{1,3}>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"  # syslog (RFC 3164)
    r"|[IWEF]\d{4} \d\d:\d\d:\d\d"  # klog
    r"|\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|FATAL|CRITICAL|SEVERE)\b"
    r"|\S+ \S+ \S+ \[\d\d/[A-Z][a-z]{2}/\d{4}:"  # common log format
    r"|\{\""  # JSON lines
    r"|(?:time|ts|level)="  # logfmt
    r"|\d{10}(?:\.\d+)?[ \t]"  # Unix time
    r")",
    re.MULTILINE,
)


def log_blocks(text: str) -> list[Block] | None:
    """Return one paragraph an entry; None when the text does not look like a log."""
    starts = [match.start() for match in _ENTRY.finditer(text)]
    if len(starts) < 2:
        return None
    blocks = [make_block("paragraph", 0, starts[0])] if text[: starts[0]].strip() else []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        blocks.append(make_block("paragraph", start, start + _length(text, start, end)))
    return blocks


def _length(text: str, start: int, end: int) -> int:
    """Return the length of an entry up to the line break of its last line that is not blank."""
    while end > start and text[end - 1] in " \t\n":
        end -= 1
    newline = text.find("\n", end)
    return (len(text) if newline < 0 else newline + 1) - start
