"""Make invisible characters visible: what a person would not see, an agent must not be steered by.

Concerned are Unicode's default-ignorable code points (Unicode Standard, section 5.21), bidirectional controls
(UAX #9), tag characters, control characters, line and paragraph separators, blank letters and lone surrogates. Marks
that scripts and emoji need (a single joiner or variation selector between two characters beyond ASCII) stay.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from withgrain.tokens.invisible import INVISIBLE

_RUN = re.compile(f"[{INVISIBLE}]+")
_FAMILIES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("tag characters", re.compile("[\U000e0000-\U000e007f]")),
    ("bidirectional controls", re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")),
    ("variation selectors", re.compile("[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")),
    ("control characters", re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")),
    ("lone surrogates", re.compile("[\ud800-\udfff]")),
)
_ZERO_WIDTH = "zero-width characters"
#: Runs that scripts and emoji need, between two characters beyond ASCII.
_NEEDED = frozenset({"\u200c", "\u200d", "\ufe0e", "\ufe0f", "\ufe0f\u200d"})
_KEYCAP = frozenset("0123456789#*")
_TAG_OFFSET = 0xE0000
_SHOWN = 4
_HIDDEN_TEXT = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Revealed:
    """A text whose invisible characters can be seen.

    Attributes:
        text: The text; ``⟦U+200B×3⟧`` stands for three zero-width spaces, ``⟦tags "…"⟧`` for text in tag characters.
        found: How many characters of each family were made visible, by name.
    """

    text: str
    found: tuple[tuple[str, int], ...] = ()


def reveal(text: str) -> Revealed:
    """Return ``text`` with every run of invisible characters replaced by a visible mark. Linear; idempotent."""
    found: Counter[str] = Counter()

    def shown(match: re.Match[str]) -> str:
        run = match.group()
        if run in _NEEDED and _joins(text, match.start(), match.end()):
            return run
        for character in run:
            found[_family(character)] += 1
        return _mark(run)

    return Revealed(text=_RUN.sub(shown, text), found=tuple(sorted(found.items())))


def remove_invisible(text: str) -> str:
    """Return ``text`` without invisible characters: for looking for words, never for showing."""
    return _RUN.sub("", text)


def label(text: str, limit: int = 160) -> str:
    """Return a title, path or name as one visible line of at most ``limit`` characters."""
    line = " ".join(reveal(text[: 4 * limit]).text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _joins(text: str, start: int, end: int) -> bool:
    before = text[start - 1] if start else ""
    after = text[end] if end < len(text) else ""
    if text[start:end] in ("\ufe0e", "\ufe0f"):
        return before > "\x7f" or before in _KEYCAP
    return before > "\x7f" and after > "\x7f"


def _family(character: str) -> str:
    return next((name for name, pattern in _FAMILIES if pattern.match(character)), _ZERO_WIDTH)


def _mark(run: str) -> str:
    hidden = "".join(chr(ord(c) - _TAG_OFFSET) for c in run if 0x20 <= ord(c) - _TAG_OFFSET < 0x7F)
    if hidden:
        return f'⟦tags "{hidden[:_HIDDEN_TEXT]}{"…" if len(hidden) > _HIDDEN_TEXT else ""}"⟧'
    counts = Counter(run)
    names = [f"U+{ord(c):04X}{f'×{n}' if n > 1 else ''}" for c, n in list(counts.items())[:_SHOWN]]
    return f"⟦{' '.join(names)}{' …' if len(counts) > _SHOWN else ''}⟧"
