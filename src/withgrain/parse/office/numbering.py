"""Automatic numbers of headings, lists and clauses: what Word prints in front of a paragraph."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from withgrain.parse.office.package import attribute, child, local, number, value

_PLACE = re.compile(r"%([1-9])")
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
          (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
LEVELS = 9


@dataclass(frozen=True, slots=True)
class Level:
    """A level of a numbering.

    Attributes:
        start: First number.
        kind: ``decimal``, ``lowerLetter``, ``bullet``, ``none`` …
        text: "%1.%2)": the numbers of the levels in it.
        restart: Level (1-based) whose step sets this one back; None for the level above; 0 for never.
        legal: Whether all numbers in the text are decimal.
        indent: Left edge of the text, in twentieths of a point.
    """

    start: int = 1
    kind: str = "decimal"
    text: str = "%1."
    restart: int | None = None
    legal: bool = False
    indent: int = 0


@dataclass(slots=True)
class Numbering:
    """The numberings of a document, and how far each has counted."""

    levels: dict[int, dict[int, Level]] = field(default_factory=dict)
    owner: dict[int, int] = field(default_factory=dict)
    _counts: dict[int, list[int | None]] = field(default_factory=dict)
    _begun: set[tuple[int, int]] = field(default_factory=set)

    def level(self, identity: int, deep: int) -> Level | None:
        """Return a level of a numbering; None where the document defines none."""
        return self.levels.get(identity, {}).get(deep)

    def step(self, identity: int, deep: int) -> str:
        """Count a paragraph and return what is printed in front of it; empty for a bullet or for nothing."""
        deep = min(max(deep, 0), LEVELS - 1)
        levels = self.levels.get(identity, {})
        own = levels.get(deep)
        if own is None:
            return ""
        shared = self.owner.get(identity, identity)
        counts = self._counts.setdefault(shared, [None] * LEVELS)
        if (identity, deep) not in self._begun and identity in self._restarts:
            if deep in self._restarts[identity]:
                counts[deep] = None
            self._begun.add((identity, deep))
        counts[deep] = own.start if counts[deep] is None else (counts[deep] or 0) + 1
        for lower in range(deep + 1, LEVELS):
            level = levels.get(lower)
            if level is None or level.restart is None or (level.restart and deep + 1 <= level.restart):
                counts[lower] = None
        if own.kind in ("bullet", "none"):
            return ""

        def shown(match: re.Match[str]) -> str:
            place = int(match[1]) - 1
            level = levels.get(place, Level())
            count = counts[place]
            if count is None:
                count = level.start
            return formatted(count, "decimal" if own.legal else level.kind)

        return _PLACE.sub(shown, own.text).strip()

    _restarts: dict[int, set[int]] = field(default_factory=dict)


def read_numbering(root: Any) -> Numbering:
    """Return the numberings that ``numbering.xml`` defines."""
    found = Numbering()
    abstract: dict[int, dict[int, Level]] = {}
    links: dict[int, str] = {}
    named: dict[str, int] = {}
    for element in root if root is not None else ():
        if local(element) == "abstractNum":
            identity = number(attribute(element, "abstractNumId"))
            abstract[identity] = dict(_level(e) for e in element if local(e) == "lvl")
            link, name = value(element, "numStyleLink"), value(element, "styleLink")
            if link:
                links[identity] = link
            if name:
                named[name] = identity
    for element in root if root is not None else ():
        if local(element) != "num":
            continue
        identity = number(attribute(element, "numId"))
        base = number(value(element, "abstractNumId"))
        base = named.get(links.get(base, ""), base)
        levels = dict(abstract.get(base, {}))
        for override in (e for e in element if local(e) == "lvlOverride"):
            deep = number(attribute(override, "ilvl"))
            own = child(override, "lvl")
            if own is not None:
                levels[deep] = _level(own)[1]
            start = value(override, "startOverride")
            if start is not None:
                old = levels.get(deep, Level())
                levels[deep] = Level(number(start, 1), old.kind, old.text, old.restart, old.legal, old.indent)
                found._restarts.setdefault(identity, set()).add(deep)
        found.levels[identity] = levels
        found.owner[identity] = -1 - base  # lists of one definition count together until one begins anew
    return found


def _level(element: Any) -> tuple[int, Level]:
    restart = value(element, "lvlRestart")
    indent = child(child(element, "pPr"), "ind")
    left = 0 if indent is None else number(attribute(indent, "left") or attribute(indent, "start"))
    level = Level(
        start=number(value(element, "start"), 1),
        kind=value(element, "numFmt") or "decimal",
        text=(value(element, "lvlText") or "")[:100],
        restart=None if restart is None else number(restart),
        legal=child(element, "isLgl") is not None,
        indent=left,
    )
    return number(attribute(element, "ilvl")), level


def formatted(count: int, kind: str) -> str:
    """Return a number as a numbering of this kind prints it."""
    if kind in ("lowerLetter", "upperLetter"):
        letters = chr(ord("a") + (count - 1) % 26) * min((count - 1) // 26 + 1, 20) if count > 0 else str(count)
        return letters if kind == "lowerLetter" else letters.upper()
    if kind in ("lowerRoman", "upperRoman"):
        text = roman(count)
        return text if kind == "lowerRoman" else text.upper()
    if kind == "decimalZero":
        return f"{count:02d}"
    if kind == "ordinal":
        last = "th" if 10 <= count % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")
        return f"{count}{last}"
    if kind in ("bullet", "none"):
        return ""
    return str(count)


def roman(count: int) -> str:
    """Return a number in small Roman numerals; in digits where it has none."""
    if not 0 < count < 4000:
        return str(count)
    out = ""
    for size, sign in _ROMAN:
        while count >= size:
            out += sign
            count -= size
    return out
