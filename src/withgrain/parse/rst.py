"""reStructuredText, read by docutils with file insertion and raw output off.

What only Sphinx knows stays: unknown directives keep their content (notes and versions as admonitions), unknown roles
their text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from textwrap import dedent
from typing import Any

from withgrain.errors import DocumentError, MissingExtra
from withgrain.model import Document, Source
from withgrain.parse.decode import decode
from withgrain.parse.rendered import Cell, Inline, Writer

#: Directives inside unknown directives deeper than this stay as they are written.
MAX_NESTING = 4

_ADMONITIONS = frozenset(
    {"note", "tip", "hint", "important", "warning", "attention", "caution", "danger", "error", "admonition"}
)
_KEPT_AS_NOTES = {
    "seealso": "seealso", "todo": "todo", "versionadded": "note", "versionchanged": "note", "deprecated": "warning",
    "deprecated-removed": "warning", "dropdown": "details", "collapse": "details",
}  # fmt: skip
_SILENT = frozenset({"toctree", "contents", "index", "currentmodule", "highlight", "default-role", "sectionauthor"})
_DIRECTIVE = re.compile(r"\.\.[ \t]+(?P<name>[\w:.+-]+)::[ \t]*(?P<argument>[^\n]*)\n?")
_OPTIONS = re.compile(r"(?:[ \t]+:[\w-]+:[^\n]*\n?)*")
_ROLE = re.compile(r":(?P<name>[\w:.+-]+):`(?P<mark>[~!]?)(?P<text>[^`<]*?)(?:\s*<(?P<target>[^<>`]*)>)?`")
_SETTINGS = {
    "file_insertion_enabled": False, "raw_enabled": False, "_disable_config": True, "report_level": 2, "halt_level": 5,
    "warning_stream": False, "syntax_highlight": "none", "input_encoding": "unicode", "doctitle_xform": False,
    "docinfo_xform": True, "sectsubtitle_xform": False, "smart_quotes": False, "line_length_limit": 100_000,
}  # fmt: skip

_Step = Callable[[], None]


def parse_rst(data: bytes, source: Source) -> Document:
    """Parse the bytes of a reStructuredText file.

    Raises:
        DocumentError: The bytes are not text, or nested so deeply that docutils gives up.
        MissingExtra: docutils is not installed.
    """
    decoded = decode(data)
    writer = Writer()
    for notice in decoded.notices:
        writer.notice(notice.kind, notice.message)
    writer.meta.update(decoded.meta)
    _Walk(writer).run(_tree(decoded.text), 0)
    return writer.document(source)


def rst_words(data: bytes) -> str:
    """Return the text without what only the markup needs: names of directives and roles, options, targets."""
    text = decode(data).text
    text = re.sub(r"(?m)^[ \t]*\.\.(?:[ \t]+(?![\w:.+-]+::)[^\n]*)?(?:\n[ \t]+[^\n]*|\n[ \t]*(?=\n))*", " ", text)
    text = re.sub(r"(?m)^[ \t]*\.\.[ \t]+[^\n]*::[^\n]*(?:\n[ \t]+:[\w-]+:[^\n]*)*", " ", text)
    text = re.sub(r"(?m)^[ \t]*:[^:\n]+:", " ", text)
    text = _ROLE.sub(_role_text, text)
    return re.sub(r"<[^<>`\n]*>(?=`)|\|", " ", text).replace("\\ ", "").replace("`", "")


def _role_text(match: re.Match[str]) -> str:
    """Return what a role of Sphinx shows: its title, else what it names; of ``~a.b.c`` the last name."""
    name, text = match["name"].rpartition(":")[2], match["text"] or match["target"] or ""
    if match["mark"] == "~":
        text = text.rpartition(".")[2]
    if name in ("pep", "rfc", "cve", "cwe") and text[:1].isdigit():
        text = f"{name.upper()} {text}"
    return text


def _tree(text: str, *, whole: bool = True) -> Any:
    """Return the tree of a text; only a whole file begins with fields about itself."""
    try:
        from docutils.core import publish_doctree
    except ImportError:
        raise MissingExtra("rst", need="Reading reStructuredText") from None
    try:
        return publish_doctree(text, settings_overrides={**_SETTINGS, "docinfo_xform": whole})
    except RecursionError as error:
        raise DocumentError("The file is nested too deeply for reStructuredText.") from error
    except Exception as error:  # docutils lets errors of its directives through
        raise DocumentError(f"docutils cannot read it: {type(error).__name__}: {error}") from error


class _Walk:
    """From docutils' nodes to the writer, with a stack of its own."""

    def __init__(self, writer: Writer, nesting: int = 0) -> None:
        self.writer = writer
        self._nesting = nesting
        self._stack: list[Any] = []
        self._level = 0

    def run(self, tree: Any, level: int) -> None:
        """Write a tree whose sections stand below ``level``."""
        self._level = level
        self._stack = list(reversed(tree.children))
        while self._stack:
            step = self._stack.pop()
            if hasattr(step, "tagname"):
                self._node(step)
            else:
                step()

    def _into(self, node: Any, after: _Step | None = None) -> None:
        if after is not None:
            self._stack.append(after)
        self._stack.extend(reversed(node.children))

    def _node(self, node: Any) -> None:
        kind = node.tagname
        for name in node.get("ids", ()) if hasattr(node, "get") and kind != "system_message" else ():
            self.writer.anchor(name)
        handler = getattr(self, f"_on_{kind}", None)
        if handler is not None:
            handler(node)
        elif kind in _ADMONITIONS:
            self._admonition(node, kind)
        elif kind == "#text":
            self.writer.paragraph(node.astext())
        elif any(child.tagname == "#text" for child in node.children):
            self.writer.paragraph(inline(node))
        else:
            self._into(node)

    # -- sections and paragraphs -------------------------------------------------------------------------------------

    def _on_section(self, node: Any) -> None:
        self._level += 1
        self._into(node, self._close_section)

    def _close_section(self) -> None:
        self._level -= 1

    def _on_title(self, node: Any) -> None:
        self.writer.heading(inline(node).plain, max(self._level, 1))

    def _on_rubric(self, node: Any) -> None:
        self.writer.heading(inline(node).plain, min(self._level + 1, 6))

    def _on_paragraph(self, node: Any) -> None:
        self.writer.paragraph(inline(node))

    def _on_line_block(self, node: Any) -> None:
        lines = Inline()
        for line in node.findall(lambda n: n.tagname == "line"):
            _inline_into(line, lines)
            lines.line_break()
        self.writer.paragraph(lines)

    def _on_literal_block(self, node: Any) -> None:
        names = [name for name in node.get("classes", ()) if name != "code"]
        self.writer.code(node.astext(), names[0] if names else "")

    _on_doctest_block = _on_literal_block

    def _on_math_block(self, node: Any) -> None:
        self.writer.math(node.astext())

    def _on_transition(self, node: Any) -> None:
        self.writer.rule()

    def _on_comment(self, node: Any) -> None:
        self.writer.drop("comment", node.astext())

    def _on_substitution_definition(self, node: Any) -> None:
        self.writer.drop("substitution", node.astext())

    def _on_raw(self, node: Any) -> None:
        self.writer.drop("raw", node.astext())

    def _on_target(self, node: Any) -> None:
        for name in node.get("ids", ()):
            self.writer.anchor(name)
        if node.get("refid"):
            self.writer.anchor(node["refid"])

    def _on_image(self, node: Any) -> None:
        if node.get("alt"):
            self.writer.figure(node["alt"], node.get("uri", ""))
        else:
            self.writer.drop("image without a description")

    def _on_docinfo(self, node: Any) -> None:
        for entry in node.children:
            if entry.tagname == "field":
                self.writer.meta[entry.children[0].astext().lower()] = " ".join(entry.children[1].astext().split())
            else:
                self.writer.meta[entry.tagname] = " ".join(entry.astext().split())

    def _on_meta(self, node: Any) -> None:
        if node.get("name"):
            self.writer.meta.setdefault(str(node["name"]).lower(), str(node.get("content", "")))

    # -- containers --------------------------------------------------------------------------------------------------

    def _on_bullet_list(self, node: Any) -> None:
        self.writer.begin_list()
        self._into(node, self.writer.end)

    def _on_enumerated_list(self, node: Any) -> None:
        self.writer.begin_list(ordered=True, start=node.get("start", 1))
        self._into(node, self.writer.end)

    def _on_list_item(self, node: Any) -> None:
        number = None
        parent = node.parent
        style = parent.get("enumtype", "arabic")
        if parent.tagname == "enumerated_list" and style != "arabic":
            from withgrain.parse.html.lists import letters

            signs = {"loweralpha": "a", "upperalpha": "A", "lowerroman": "i", "upperroman": "I"}
            place = parent.get("start", 1) + parent.index(node)
            number = f"{parent.get('prefix', '')}{letters(place, signs.get(style, 'a'))}{parent.get('suffix', '.')}"
        self.writer.begin_item(number=number)
        self._into(node, self.writer.end)

    def _on_block_quote(self, node: Any) -> None:
        self.writer.begin_quote()
        self._into(node, self.writer.end)

    def _on_definition_list_item(self, node: Any) -> None:
        terms = [inline(child) for child in node.children if child.tagname == "term"]
        kinds = [inline(child).plain for child in node.children if child.tagname == "classifier"]
        for term, name in zip(terms[-1:], [" : ".join(kinds)], strict=False):
            if name:
                term.text(f" : {name}")
        self._described(terms, [child for child in node.children if child.tagname == "definition"])

    def _on_field(self, node: Any) -> None:
        self._described([inline(node.children[0])], node.children[1:])

    def _on_option_list_item(self, node: Any) -> None:
        term = Inline()
        term.code(node.children[0].astext())
        self._described([term], node.children[1:])

    def _described(self, terms: list[Inline], bodies: list[Any]) -> None:
        if not any(body.children for body in bodies):
            for term in terms:
                self.writer.paragraph(term)
            return
        self.writer.begin_definition(list(terms))
        self._stack.append(self.writer.end)
        for body in reversed(bodies):
            self._stack.extend(reversed(body.children))

    def _on_footnote(self, node: Any) -> None:
        label = next((child.astext() for child in node.children if child.tagname == "label"), "note")
        self.writer.begin_footnote(label)
        self._stack.append(self.writer.end)
        self._stack.extend(child for child in reversed(node.children) if child.tagname != "label")

    _on_citation = _on_footnote

    def _admonition(self, node: Any, kind: str, title: str = "") -> None:
        inner = list(node.children)
        if inner and inner[0].tagname == "title":
            title = inner.pop(0).astext()
        self.writer.begin_admonition("note" if kind == "admonition" else kind, title)
        self._stack.append(self.writer.end)
        self._stack.extend(reversed(inner))

    def _on_topic(self, node: Any) -> None:
        if "contents" in node.get("classes", ()):
            self.writer.drop("navigation", node.astext())
        else:
            self._admonition(node, "note")

    _on_sidebar = _on_topic

    # -- tables ------------------------------------------------------------------------------------------------------

    def _on_table(self, node: Any) -> None:
        caption = next((inline(c) for c in node.children if c.tagname == "title"), None)
        rows: list[list[Cell]] = []
        header = 0
        for row in node.findall(lambda n: n.tagname == "row"):
            header += row.parent.tagname == "thead"
            rows.append(
                [
                    Cell(content=_cell(entry), columns=entry.get("morecols", 0) + 1, rows=entry.get("morerows", 0) + 1)
                    for entry in row.children
                ]
            )
        self.writer.table(rows, header=header, caption=caption)

    # -- what docutils does not know ---------------------------------------------------------------------------------

    def _on_system_message(self, node: Any) -> None:
        """Keep the content of a directive that docutils does not know."""
        source = next((child.astext() for child in node.children if child.tagname == "literal_block"), "")
        match = _DIRECTIVE.match(source)
        if match is None:
            return
        name = match["name"].lower()
        options = _OPTIONS.match(source, match.end())
        body = dedent(source[options.end() if options else match.end() :]).strip("\n")
        argument = match["argument"].strip()
        if name in _SILENT or name == "raw" or "include" in name:
            self.writer.drop("directive", f"{argument} {body}")
            return
        kind = _KEPT_AS_NOTES.get(name)
        if kind is None or self._nesting >= MAX_NESTING:
            if argument:
                self.writer.paragraph(Inline(argument))
            self._read(body)
            return
        self.writer.begin_admonition(kind, f"{name} {argument}" if kind in ("note", "warning") else argument)
        self._read(body)
        self.writer.end()

    def _read(self, body: str) -> None:
        if not body:
            return
        if self._nesting >= MAX_NESTING:
            self.writer.code(body)
        else:
            _Walk(self.writer, self._nesting + 1).run(_tree(body, whole=False), self._level)


def _cell(entry: Any) -> Inline:
    content = Inline()
    for block in entry.findall(lambda n: n.tagname in ("paragraph", "literal_block", "line")):
        if block.parent.tagname == "system_message":
            continue  # what docutils has to say about the cell is no text of it
        _inline_into(block, content)
        content.line_break()
    return content


def inline(node: Any) -> Inline:
    """Return the inline content of a node."""
    content = Inline()
    _inline_into(node, content)
    return content


def _inline_into(node: Any, content: Inline) -> None:
    stack: list[Any] = list(reversed(node.children))
    while stack:
        item = stack.pop()
        kind = getattr(item, "tagname", "")
        if callable(item) and not kind:
            item()
        elif kind == "#text":
            content.text(item.astext())
        elif kind in ("literal", "title_reference"):
            (content.code if kind == "literal" else content.text)(item.astext())
        elif kind == "math":
            content.math(item.astext())
        elif kind == "footnote_reference":
            content.note(item.astext())
        elif kind == "image":
            content.image(item.get("alt", ""), item.get("uri", ""))
        elif kind == "problematic":
            content.text(_ROLE.sub(_role_text, item.astext()))
        elif kind == "reference":
            target = item.get("refuri") or (f"#{item['refid']}" if item.get("refid") else "")
            content.begin_link(target)
            stack.append(content.end_link)
            stack.extend(reversed(item.children))
        elif hasattr(item, "children"):
            stack.extend(reversed(item.children))
