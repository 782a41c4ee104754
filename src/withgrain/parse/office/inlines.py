"""The runs of a DOCX paragraph: text, links, notes, fields, tracked changes, text boxes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from withgrain.parse.office.math import to_tex
from withgrain.parse.office.package import Relation, attribute, child, local, value
from withgrain.parse.office.styles import Style, is_mono, is_on
from withgrain.parse.rendered import Inline

_MAX_DEPTH = 60
_THROUGH = frozenset(
    {"r", "smartTag", "customXml", "sdt", "sdtContent", "ins", "moveTo", "fldSimple", "bdo", "dir", "ruby", "rubyBase"}
)
_LEFT_OUT = frozenset({"del", "moveFrom", "rt", "instrText", "delText", "pPr", "rPr"})


@dataclass(slots=True)
class Found:
    """What a paragraph holds beside its text.

    Attributes:
        boxes: Contents of text boxes, to be read behind the paragraph.
        graphics: Drawings that show a chart or diagram, to be read behind it, too.
        notes: Labels of the notes that it refers to ("1", "e2").
        anchors: Bookmarks in it.
        breaks: Pages that end inside its text.
        text: Characters of text, and of them those in a typewriter face.
    """

    boxes: list[Any] = field(default_factory=list)
    graphics: list[Any] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    breaks: int = 0
    characters: int = 0
    mono: int = 0


class Runs:
    """Reads the runs of paragraphs of one document."""

    def __init__(self, relations: dict[str, Relation], styles: dict[str, Style]) -> None:
        self.relations = relations
        self.styles = styles
        self.hidden: list[str] = []
        self.changes: Counter[str] = Counter()
        self.pages = False
        self.page = 1
        self.turned = False
        self._style_hides = False

    def read(self, paragraph: Any, inline: Inline) -> Found:
        """Add the content of a paragraph to ``inline``."""
        found = Found()
        style = self.styles.get(value(child(paragraph, "pPr"), "pStyle") or "")
        self._style_hides = style is not None and style.hidden
        self._fields: list[
            list[str]
        ] = []  # an entry for each open field: "code" or "result", and whether a link is open
        self._walk(paragraph, inline, found, 0)
        for state in self._fields:
            if state[1]:
                inline.end_link()
        return found

    def _walk(self, element: Any, inline: Inline, found: Found, depth: int) -> None:
        if depth > _MAX_DEPTH:
            return
        for inner in element:
            name = local(inner)
            if name in _LEFT_OUT:
                self._changed(name, inner)
            elif name == "r":
                self._run(inner, inline, found, depth)
            elif name == "hyperlink":
                self._link(inner, inline, found, depth)
            elif name in ("oMath", "oMathPara"):
                inline.math(to_tex(inner))
            elif name == "bookmarkStart":
                mark = attribute(inner, "name") or ""
                if mark and not mark.startswith("_GoBack"):
                    found.anchors.append(mark)
            elif name in _THROUGH:
                if name == "ins":
                    self.changes["insertions"] += 1
                self._walk(inner, inline, found, depth + 1)
            elif name == "AlternateContent":
                chosen = child(inner, "Choice")
                self._walk(chosen if chosen is not None else inner, inline, found, depth + 1)
            elif name in ("drawing", "pict", "object"):
                self._drawing(inner, inline, found)

    def _changed(self, name: str, element: Any) -> None:
        if name in ("del", "moveFrom"):
            self.changes["deletions"] += 1
        del element

    def _link(self, element: Any, inline: Inline, found: Found, depth: int) -> None:
        relation = self.relations.get(attribute(element, "id") or "")
        anchor = attribute(element, "anchor") or ""
        target = relation.target if relation else ""
        if anchor:
            target += f"#{anchor}"
        inline.begin_link(target)
        self._walk(element, inline, found, depth + 1)
        inline.end_link()

    def _run(self, run: Any, inline: Inline, found: Found, depth: int) -> None:
        properties = child(run, "rPr")
        if self._is_hidden(properties):
            self.hidden.append("".join(t.text or "" for t in run if local(t) == "t"))
            return
        mono = is_mono(properties)
        for inner in run:
            name = local(inner)
            if name == "fldChar":
                self._field(attribute(inner, "fldCharType") or "", inline)
            elif name == "instrText":
                self._instruction(inner.text or "", inline)
            elif self._fields and self._fields[-1][0] == "code":
                continue
            elif name == "t":
                text = (inner.text or "").replace("\u00ad", "")
                found.characters += len(text)
                found.mono += len(text) if mono else 0
                inline.text(text)
            else:
                self._special(name, inner, inline, found, depth)

    def _is_hidden(self, properties: Any) -> bool:
        """Return whether a run is not shown: as it says itself, else as its style or that of its paragraph says."""
        if child(properties, "vanish") is not None:
            return is_on(properties, "vanish")
        named = self.styles.get(value(properties, "rStyle") or "")
        return is_on(properties, "webHidden") or self._style_hides or (named is not None and named.hidden)

    def _special(self, name: str, inner: Any, inline: Inline, found: Found, depth: int) -> None:
        """Add what a run holds beside text."""
        if name in ("tab", "ptab"):
            inline.space()
        elif name in ("br", "cr"):
            self._break(inner, inline, found)
        elif name == "lastRenderedPageBreak":
            self._turn(inline, found)
        elif name == "noBreakHyphen":
            inline.text("-")
        elif name == "sym":
            code = attribute(inner, "char") or ""
            inline.text(_symbol(code))
        elif name in ("footnoteReference", "endnoteReference"):
            label = ("e" if name[0] == "e" else "") + (attribute(inner, "id") or "")
            found.notes.append(label)
            inline.note(label)
        elif name in ("drawing", "pict", "object"):
            self._drawing(inner, inline, found)
        elif name == "AlternateContent":
            chosen = child(inner, "Choice")
            self._walk(chosen if chosen is not None else inner, inline, found, depth + 1)
        elif name == "ruby":
            self._walk(inner, inline, found, depth + 1)

    def _break(self, element: Any, inline: Inline, found: Found) -> None:
        kind = attribute(element, "type")
        if kind == "page":
            if not self.pages:
                self._turn(inline, found, counted=True)
            inline.space()
        elif kind == "column":
            inline.space()
        else:
            inline.line_break()

    def _turn(self, inline: Inline, found: Found, *, counted: bool = False) -> None:
        if self.pages or counted:
            self.page += 1
            self.turned = True
            if inline:
                found.breaks += 1
                inline.page(self.page)

    def _field(self, kind: str, inline: Inline) -> None:
        if kind == "begin":
            self._fields.append(["code", ""])
        elif kind == "separate" and self._fields:
            self._fields[-1][0] = "result"
        elif kind == "end" and self._fields and self._fields.pop()[1]:
            inline.end_link()

    def _instruction(self, text: str, inline: Inline) -> None:
        words = text.split()
        if self._fields and words[:1] == ["HYPERLINK"] and len(words) > 1 and not self._fields[-1][1]:
            local_target = words[1] == "\\l" and len(words) > 2
            target = words[2].strip('"') if local_target else words[1].strip('"')
            inline.begin_link(f"#{target}" if local_target else target)
            self._fields[-1][1] = "link"

    def _drawing(self, element: Any, inline: Inline, found: Found) -> None:
        """Add the description of an image; note the content of text boxes, charts and diagrams."""
        described = False
        for inner in element.iter():
            name = local(inner)
            if name == "docPr" and not described:
                text = attribute(inner, "descr") or ""
                if text:
                    inline.image(text)
                    described = True
            elif name in ("txbxContent", "chart", "relIds") and not _inner(inner, element):
                (found.boxes if name == "txbxContent" else found.graphics).append(inner)
            elif name == "shape" and not described and attribute(inner, "alt"):
                inline.image(attribute(inner, "alt") or "")
                described = True


def _inner(element: Any, drawing: Any) -> bool:
    """Return whether something in a drawing stands in a text box of it, which is read by itself, or in a twin."""
    for ancestor in element.iterancestors():
        if ancestor is drawing:
            return False
        if local(ancestor) in ("txbxContent", "Fallback"):
            return True
    return False


def _symbol(code: str) -> str:
    try:
        point = int(code, 16)
    except ValueError:
        return ""
    bullets = {0xF0B7: "•", 0xF0A7: "▪", 0xF0E0: "→", 0xF0FC: "✓", 0xF0FE: "☒", 0xF0A8: "☐", 0xF06F: "☐"}
    if 0xF000 <= point <= 0xF0FF:
        return bullets.get(point, chr(point - 0xF000) if point > 0xF020 else "")
    return chr(point) if 32 <= point < 0xD800 else ""
