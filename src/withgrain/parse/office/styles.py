"""Paragraph styles of a DOCX: what each means after inheritance."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from withgrain.parse.office.package import attribute, child, local, number, value

_HEADING = re.compile(r"heading ([1-9])$")
_CODE = re.compile(r"\bcode\b|source|preformatted|macro text|verbatim|listing|console|terminal", re.IGNORECASE)
_MONO = re.compile(r"mono|courier|consolas|menlo|lucida console|typewriter|code(?!c)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Style:
    """What a paragraph style says.

    Attributes:
        name: Lower case; for the built-in styles the English name in every language.
        level: Outline level 1-9 of its paragraphs; 0 for text.
        numbering: (id of the numbering, level) of its paragraphs; id 0 for none.
        mono: Whether its font is a typewriter face.
        hidden: Whether its text is not shown.
    """

    name: str = ""
    level: int = 0
    numbering: tuple[int, int] = (0, 0)
    mono: bool = False
    hidden: bool = False

    @property
    def is_title(self) -> bool:
        """Whether it is the title of the document."""
        return self.name == "title"

    @property
    def is_code(self) -> bool:
        """Whether it is for code."""
        return bool(_CODE.search(self.name))

    @property
    def is_quote(self) -> bool:
        """Whether it is for quotations."""
        return self.name in ("quote", "intense quote", "block text")

    @property
    def is_contents(self) -> bool:
        """Whether it is for the lines of a table of contents."""
        return self.name.startswith(("toc ", "table of figures")) or self.name == "toc heading"

    @property
    def is_caption(self) -> bool:
        """Whether it is for captions."""
        return self.name == "caption"

    @property
    def goes_on(self) -> bool:
        """Whether its paragraphs belong to the list item in front of them."""
        return self.name.startswith("list continue")


def read_styles(root: Any) -> tuple[dict[str, Style], Style]:
    """Return the styles by id and the default one."""
    raw: dict[str, Any] = {}
    default = Style()
    first = ""
    for element in root if root is not None else ():
        if local(element) == "style" and attribute(element, "type") in ("paragraph", "character", None):
            identity = attribute(element, "styleId") or ""
            raw[identity] = element
            if attribute(element, "type") == "paragraph" and attribute(element, "default") in ("1", "true", "on"):
                first = identity
    found = {identity: _style(identity, raw) for identity in raw}
    return found, found.get(first, default)


def _style(identity: str, raw: dict[str, Any]) -> Style:
    name, level, numbering, numbering_level = "", None, None, None
    mono = hidden = False
    seen: set[str] = set()
    current: str | None = identity
    while current in raw and current not in seen:
        assert current is not None
        seen.add(current)
        element = raw[current]
        own = (value(element, "name") or "").lower()
        name = name or own
        properties = child(element, "pPr")
        outline = value(properties, "outlineLvl")
        if level is None and outline is not None:
            level = number(outline, 9) + 1
        match = _HEADING.match(own)
        if level is None and match:
            level = int(match[1])
        listed = child(properties, "numPr")
        if listed is not None:
            if numbering is None and value(listed, "numId") is not None:
                numbering = number(value(listed, "numId"))
            if numbering_level is None and value(listed, "ilvl") is not None:
                numbering_level = number(value(listed, "ilvl"))
        runs = child(element, "rPr")
        mono = mono or is_mono(runs)
        hidden = hidden or is_on(runs, "vanish")
        current = value(element, "basedOn")
    outlined = level if level is not None and 1 <= level <= 9 else 0
    deep = numbering_level if numbering_level is not None else max(outlined - 1, 0)
    return Style(name, outlined, (numbering or 0, deep), mono, hidden)


def is_mono(properties: Any) -> bool:
    """Return whether run properties name a typewriter face."""
    fonts = child(properties, "rFonts")
    return fonts is not None and bool(_MONO.search(attribute(fonts, "ascii") or attribute(fonts, "hAnsi") or ""))


def is_on(properties: Any, name: str) -> bool:
    """Return whether a switch is on."""
    found = child(properties, name)
    return found is not None and (attribute(found, "val") or "1") not in ("0", "false", "off")
