"""What stands in front of every body: document title, heading path, and the metadata that the user asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from withgrain.chunk.ruler import Ruler
from withgrain.model import Part

SEPARATOR = " > "
ELISION = "…"
#: The path takes at most this share of the maximum (invariant 5).
SHARE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefix:
    """Parts in front of the body, and whether something was left out of them.

    Attributes:
        parts: At most one ``path`` and one ``metadata`` part.
        elided: Headings or title words were left out on the left.
        truncated: Metadata were cut.
    """

    parts: tuple[Part, ...] = ()
    elided: bool = False
    truncated: bool = False


def prefix(
    title: str, path: Sequence[str], ruler: Ruler, maximum: int, metadata: Mapping[str, Any] | None = None
) -> Prefix:
    """Return the parts in front of a body, elided from the left to a third of ``maximum``."""
    most = max(1, maximum // SHARE)
    names = [name for name in (title if not path or path[0] != title else "", *path) if name]
    text, elided = _elide(names, ruler, most)
    parts: tuple[Part, ...] = (Part(role="path", text=text),) if text else ()
    if text and not elided:
        ruler.know(text, ruler.joined(names, SEPARATOR))
    truncated = False
    if metadata:
        room = most - ruler.parts(parts)
        line, truncated = _metadata(metadata, ruler, room)
        parts += (Part(role="metadata", text=line),) if line else ()
    return Prefix(parts=parts, elided=elided, truncated=truncated)


def _elide(names: list[str], ruler: Ruler, most: int) -> tuple[str, bool]:
    """Join the names; when they are too long leave out the outermost, then words of the innermost."""
    for first in range(len(names)):
        kept = names[first:]
        pieces = kept if first == 0 else [ELISION, *kept]
        if ruler.joined(pieces, SEPARATOR) <= most:
            return SEPARATOR.join(pieces), first > 0
    if not names:
        return "", False
    words = names[-1].split()
    low, high = 0, len(words)
    while low < high:  # the longest tail of words that fits
        middle = (low + high) // 2
        if ruler.part(f"{ELISION} {' '.join(words[middle:])}") <= most:
            high = middle
        else:
            low = middle + 1
    kept_words = words[low:]
    return (f"{ELISION} {' '.join(kept_words)}" if kept_words else ""), True


def _metadata(metadata: Mapping[str, Any], ruler: Ruler, most: int) -> tuple[str, bool]:
    words = "; ".join(f"{key}: {value}" for key, value in metadata.items()).split()
    if ruler.part(" ".join(words)) <= most:
        return " ".join(words), False
    low, high = 0, len(words)
    while low < high:  # the longest head of words that fits
        middle = (low + high + 1) // 2
        if ruler.part(f"{' '.join(words[:middle])} {ELISION}") <= most:
            low = middle
        else:
            high = middle - 1
    return (f"{' '.join(words[:low])} {ELISION}" if low else ""), True
