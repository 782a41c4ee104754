"""Constructs that CommonMark does not know, found line by line before it sees the text.

Admonitions (``::: warning``, ``!!! note``), content tabs (``=== "Linux"``), Hugo shortcodes, display math, and MDX
(imports, components, comments). Code fences, HTML comments and raw ``<pre>`` blocks are stepped over.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from withgrain.parse.markdown.math import math_end
from withgrain.parse.markdown.mdx import RUNAWAY, esm_end, tag_line_end

RegionKind = Literal["fenced", "indented", "math", "code", "esm", "tags", "comment", "piece"]

_OTHER = (
    r"(?P<fence>(?:(?:[-*+]|\d{1,9}[.)])[ \t]+|>[ \t]?)*(?P<ticks>`{3,}(?=[^`\n]*$)|~{3,}))"
    r"|(?P<colons>:{3,})[ \t]*(?P<directive>[^\n]*)"
    r'|(?P<mark>!!!|\?\?\?\+?|===[!+]?)[ \t]+(?P<rest>(?:[\w-]+[ \t]*)*(?:"[^"\n]*")?)[ \t]*$'
    r"|(?P<math>\$\$|\\\[)"
    r"|(?P<opaque><!--|<(?:pre|script|style|textarea)\b)"
    r"|\{\{(?P<brace>[%<])[ \t]*(?P<short>/?[\w-]+)(?P<args>[^\n]*?)[%>]\}\}[ \t]*$"
    r"|\{%-?[ \t]*(?P<liquid>highlight|comment|code|mermaid|math)\b[^\n]*?%\}[ \t]*$"
)
_INDENT = r"(?P<indent>[ \t]*)(?=[`~:!?=$\\<{>\-*+0-9ie])"  # most lines end here
_MDX = r"|(?P<esm>(?:import|export)[ \t])|(?P<tag></?(?:[A-Z][\w.]*|>))|(?P<note>\{/\*)"
_FIRST, _NEXT = (re.compile(rf"{before}{_INDENT}(?:{_OTHER})", re.MULTILINE) for before in ("", r"\n"))
_MDX_FIRST, _MDX_NEXT = (re.compile(rf"{before}{_INDENT}(?:{_OTHER}{_MDX})", re.MULTILINE) for before in ("", r"\n"))
_TRIGGER = re.compile(
    r"\n[ \t]*(?=[:!?=$\\{])(?::::|!!! |\?\?\?[+ ]|===[!+]? \"|\$\$|\\\[|\{\{[%<]|\{%)"  # a line that may begin one
)
_ESM = re.compile(r"\nimport\s[^\n]*?from\s+[\"']|\nimport\s+\{|\nexport\s+(?:const|default|function)\s")
_OPAQUE_END = {"<!--": re.compile("-->"), "<": re.compile(r"</(?:pre|script|style|textarea)>", re.IGNORECASE)}
_DIRECTIVE = re.compile(r"\{?[ \t]*(?:#[\w-]+[ \t]+)?[.]?(?P<name>[A-Za-z][\w-]*)(?P<tail>.*)")
_ITEM = re.compile(r" *(?:[-*+]|\d{1,9}[.)]) +(?=\S)")
_TITLE_ARG = re.compile(r"""title=(?:"([^"]*)"|'([^']*)'|(\S+))""")
_SHORTCODES = re.compile(
    "alert|note|warning|caution|tip|info|danger|important|notice|callout|hint|details|expand|attention|success|error|tab"
)
#: Shortcodes whose inside is no Markdown.
_OPAQUE_SHORTCODES = frozenset({"highlight", "mermaid", "katex", "math", "code", "plantuml", "chart"})
_CALLOUTS = re.compile(
    "(?:Callout|Note|Tip|Info|Warning|Caution|Danger|Important|Alert|Admonition|Aside|Hint|Success|Error|Check)(?:Box)?"
)
_ATTRIBUTE = re.compile(r"""\b(type|title)=["']([^"'\n]*)["']""")
_MARGIN = re.compile(r"^[ \t]*(?=\S)", re.MULTILINE)
_MARGIN_LINES = 32
_MAX_FAILED = 64  # searches for an end that found none, after which no more are made
_ESM_WINDOW = 4_000
_MAX_STEPS = 100_000  # lines looked at to find out what an indented marker stands in


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """One construct.

    Attributes:
        kind: ``fenced``: markers around Markdown; ``indented``: a marker line and an indented body; ``piece``: indented
            Markdown without markers; the others hold no Markdown.
        start: Beginning of its first line.
        end: Behind the line break of its last line.
        body: Where its content starts.
        body_end: Where its content ends.
        indent: Columns that an indented body is indented by.
        attrs: ``type`` and ``title`` of an admonition, ``tag`` of an HTML-like line.
    """

    kind: RegionKind
    start: int
    end: int
    body: int
    body_end: int
    indent: int = 0
    attrs: dict[str, str] = field(default_factory=dict)


def is_mdx(text: str) -> bool:
    """Return whether a Markdown file imports components near its top, as Docusaurus allows in ``.md`` files too."""
    return _ESM.search("\n" + text[:_ESM_WINDOW]) is not None


def find_regions(text: str, start: int, *, mdx: bool) -> list[Region]:
    """Return the outermost constructs of a text, in order, not overlapping."""
    if not mdx and _TRIGGER.search(text, max(0, start - 1)) is None and _TRIGGER.match("\n" + text[:100]) is None:
        return []
    return _Scan(text, start, mdx=mdx).regions()


@dataclass(slots=True)
class _Opener:
    name: str
    start: int
    body: int
    attrs: dict[str, str]
    colons: int


class _Scan:
    """One pass over the lines that may begin or end something."""

    def __init__(self, text: str, start: int, *, mdx: bool) -> None:
        self._text = text
        self._at = start
        self._first, self._next = (_MDX_FIRST, _MDX_NEXT) if mdx else (_FIRST, _NEXT)
        self._found: list[Region] = []
        self._open: list[_Opener] = []
        self._failed_fences = 0
        self._failed_tags = 0
        self._failed_code = 0
        self._steps = 0
        self._no_math_end = {"$$": False, "\\[": False}

    def regions(self) -> list[Region]:
        first = self._first.match(self._text, self._at)
        if first is None or self._line(first):
            for match in self._next.finditer(self._text, max(0, self._at - 1)):
                if match.start() + 1 >= self._at and not self._line(match):
                    break
        return self._found

    def _line(self, match: re.Match[str]) -> bool:
        """Look at a line; return False when the rest of the text is opaque."""
        kind = match.lastgroup
        if match["fence"] is not None:
            return self._step_over_fence(match)
        if match["opaque"] is not None:
            return self._step_over(match)
        indent = len(match["indent"].expandtabs(4))
        shallow = indent < 4 and not (indent and self._in_list(match.start("indent"), indent))
        if match["liquid"] is not None:
            self._raw(match, match["liquid"], r"\{{%-?[ \t]*end{}[ \t]*-?%\}}")
        elif match["short"] is not None:
            self._shortcode(match)
        elif match["colons"] is not None:
            if shallow:
                self._colons(match)
        elif match["mark"] is not None:
            if shallow:
                self._indented(match)
        elif match["math"] is not None:
            if shallow:
                self._math(match)
        elif kind == "esm":
            if not match["indent"]:
                self._simple("esm", match, esm_end(self._text, match.start("indent")), {"tag": match["esm"].strip()})
        elif kind == "tag":
            self._tags(match)
        elif kind == "note":
            close = self._text.find("*/}", match.end())
            self._simple("comment", match, close + 3 if close >= 0 else -1, {})
        return True

    def _in_list(self, start: int, indent: int) -> bool:
        """Return whether the nearest line above that is indented less is that of a list item which holds this line."""
        text = self._text
        end = start - 1
        while end > 0 and self._steps < _MAX_STEPS:
            self._steps += 1
            begin = text.rfind("\n", 0, end) + 1
            line = text[begin:end].expandtabs(4)
            bare = line.lstrip(" ")
            if bare and len(line) - len(bare) < indent:
                item = _ITEM.match(line)
                return item is not None and item.end() <= indent
            end = begin - 1
        return False

    def _add(self, region: Region) -> None:
        while self._found and self._found[-1].start >= region.start:
            self._found.pop()  # inside this one: found again when its body is parsed
        self._found.append(region)

    def _line_end(self, at: int) -> int:
        newline = self._text.find("\n", at)
        return len(self._text) if newline < 0 else newline + 1

    # -- opaque text -------------------------------------------------------------------------------------------------

    def _step_over_fence(self, match: re.Match[str]) -> bool:
        ticks = match["ticks"]
        deep = len(match["indent"].expandtabs(4)) > 3
        if deep and self._failed_fences >= _MAX_FAILED:
            return True
        close = re.compile(rf"^[ \t>]*{ticks[0]}{{{len(ticks)},}}[ \t]*$", re.MULTILINE).search(self._text, match.end())
        if close is None:
            self._failed_fences += 1
            return deep  # a shallow fence that is never closed runs to the end
        self._at = close.end()
        return True

    def _step_over(self, match: re.Match[str]) -> bool:
        opening = match["opaque"]
        close = _OPAQUE_END["<!--" if opening == "<!--" else "<"].search(self._text, match.end())
        if close is None:
            return False
        self._at = close.end()
        return True

    def _raw(self, match: re.Match[str], name: str, closing: str) -> None:
        """Add what stands between the tags of a template as code; they are its fence."""
        self._at = match.end()
        if self._failed_code >= _MAX_FAILED:
            return
        close = re.compile(rf"^[ \t]*{closing.format(name)}[ \t]*$", re.MULTILINE).search(self._text, match.end())
        if close is None:
            self._failed_code += 1
            return
        start, body = match.start("indent"), self._line_end(match.end())
        opening, ending = self._text[start:body].strip(), close.group().strip()
        kind: RegionKind = "comment" if name == "comment" else "code"
        attrs = {"fence": opening, "fence_end": ending}
        end = self._line_end(close.end())
        self._at = close.end()
        self._add(Region(kind=kind, start=start, end=end, body=body, body_end=close.start(), attrs=attrs))

    # -- containers --------------------------------------------------------------------------------------------------

    def _colons(self, match: re.Match[str]) -> None:
        directive = match["directive"].strip()
        end = self._line_end(match.end())
        self._at = match.end()
        if not directive:
            self._close(lambda opener: opener.colons > 0, match.start("indent"), end)
            return
        named = _DIRECTIVE.match(directive.rstrip(":").rstrip())
        if named is None:
            return
        attrs = {"type": named["name"].lower(), "title": _title(named["tail"])}
        if directive.endswith(":::"):
            body = match.start("directive") + named.end("name")
            stop = match.start("directive") + len(directive.rstrip(":").rstrip())
            attrs["title"] = ""
            self._add(
                Region(kind="fenced", start=match.start("indent"), end=end, body=body, body_end=stop, attrs=attrs)
            )
            return
        self._open.append(_Opener(attrs["type"], match.start("indent"), end, attrs, len(match["colons"])))

    def _shortcode(self, match: re.Match[str]) -> None:
        name = match["short"]
        if name.lower() in _OPAQUE_SHORTCODES:
            self._raw(match, name, r"\{{\{{[%<][ \t]*/{}[ \t]*[%>]\}}\}}")
            return
        end = self._line_end(match.end())
        self._at = match.end()
        if name.startswith("/"):
            self._close(lambda opener: not opener.colons and opener.name == name[1:], match.start("indent"), end)
        elif _SHORTCODES.fullmatch(name.lower()) and not match["args"].rstrip().endswith("/"):
            title = _TITLE_ARG.search(match["args"])
            attrs = {"type": name.lower(), "title": next(filter(None, title.groups()), "") if title else ""}
            self._open.append(_Opener(name, match.start("indent"), end, attrs, 0))

    def _close(self, fits: Callable[[_Opener], bool], start: int, end: int) -> None:
        """Close the innermost opener that fits; those inside it were never closed and are text."""
        for index in range(len(self._open) - 1, max(-1, len(self._open) - 33), -1):
            opener = self._open[index]
            if fits(opener):
                del self._open[index:]
                indent = _indent(self._text, opener.body, start) if opener.name.startswith("<") else 0
                self._add(
                    Region(
                        kind="indented" if indent else "fenced",
                        start=opener.start,
                        end=end,
                        body=opener.body,
                        body_end=start,
                        indent=indent,
                        attrs=opener.attrs,
                    )
                )
                return

    def _indented(self, match: re.Match[str]) -> None:
        words, _, quoted = match["rest"].partition('"')
        tab = match["mark"].startswith("=")
        if tab == bool(words.strip()) or not (words.strip() or quoted):
            return
        indent = len(match["indent"].expandtabs(4)) + 4
        body = self._line_end(match.end())
        end = _indented_end(self._text, body, indent)
        if end <= body:
            return
        kind = "tab" if tab else words.split()[0].lower()
        attrs = {"type": kind, "title": quoted.rstrip('"').strip()}
        self._at = end
        self._add(
            Region(
                kind="indented",
                start=match.start("indent"),
                end=end,
                body=body,
                body_end=end,
                indent=indent,
                attrs=attrs,
            )
        )

    # -- regions without Markdown inside -----------------------------------------------------------------------------

    def _math(self, match: re.Match[str]) -> None:
        opening = match["math"]
        if self._no_math_end[opening]:
            return
        close = math_end(self._text, opening, match.end())
        if close is None:
            self._no_math_end[opening] = True
        elif close > 0:
            end = self._line_end(close)
            self._at = end
            self._add(Region(kind="math", start=match.start("indent"), end=end, body=match.end(), body_end=close))

    def _tags(self, match: re.Match[str]) -> None:
        if self._failed_tags >= _MAX_FAILED:
            return
        stop = tag_line_end(self._text, match.end("indent"))
        self._failed_tags += stop == RUNAWAY
        name = match["tag"].strip("</>")
        self._simple("tags", match, stop, {"tag": name})
        if stop >= 0 and _CALLOUTS.fullmatch(name):
            self._callout(match, name, stop)

    def _callout(self, match: re.Match[str], name: str, stop: int) -> None:
        """Open or close an admonition that is written as a component."""
        start, end = match.start("indent"), self._line_end(stop)
        tags = self._text[start:end].strip()
        if tags.count("<") > 1 or tags.endswith("/>"):
            return
        if tags.startswith("</"):
            self._close(lambda opener: opener.name == f"<{name}", start, end)
            return
        attributes = dict(_ATTRIBUTE.findall(tags))
        kind = attributes.get("type", name).lower()
        attrs = {"type": kind if _SHORTCODES.fullmatch(kind) else "callout", "title": attributes.get("title", "")}
        self._open.append(_Opener(f"<{name}", start, end, attrs, 0))

    def _simple(self, kind: RegionKind, match: re.Match[str], stop: int, attrs: dict[str, str]) -> None:
        """Add a region that ends at ``stop``, when that is at the end of a line."""
        if stop < 0:
            return
        end = self._line_end(stop)
        if self._text[stop:end].strip():
            return
        self._at = end
        self._add(
            Region(
                kind=kind, start=match.start("indent"), end=end, body=match.end("indent"), body_end=stop, attrs=attrs
            )
        )


def _title(tail: str) -> str:
    """Return the title behind the name: ``[Title]``, ``"Title"``, ``} Title``, ``title="…"`` or plain words."""
    explicit = _TITLE_ARG.search(tail)
    if explicit:
        return next(filter(None, explicit.groups()), "")
    if tail.lstrip().startswith("{"):
        tail = tail.partition("}")[2]
    return tail.strip(" \t[]{}\"'")


def _indent(text: str, start: int, end: int) -> int:
    """Return the columns that the first lines are indented by: a few, since components may stand in components."""
    margins = islice(_MARGIN.finditer(text, start, end), _MARGIN_LINES)
    return min((len(match.group().expandtabs(4)) for match in margins), default=0)


def _indented_end(text: str, start: int, indent: int) -> int:
    """Return the end of the lines that are indented by ``indent`` columns; blank lines stand between them only."""
    at = end = start
    length = len(text)
    while at < length:
        newline = text.find("\n", at)
        stop = length if newline < 0 else newline + 1
        line = text[at:stop]
        bare = line.lstrip(" \t")
        if bare != "\n" and bare:
            if len(line[: len(line) - len(bare)].expandtabs(4)) < indent:
                break
            end = stop
        at = stop
    return end
