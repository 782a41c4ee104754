"""From a syntax tree to nodes: symbols with what belongs to them, and the joints of everything between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from withgrain.model import Block
from withgrain.parse.build import make_span
from withgrain.parse.code.languages import Language
from withgrain.parse.code.names import name_of
from withgrain.parse.code.offsets import Offsets
from withgrain.parse.outline import DEEPEST, Node, joint

#: Statements up to this many characters get no joints of their own: they nearly always fit.
_SMALL = 240
#: A child with this share of its parent is the parent's body, as far as joints are concerned.
_BODY = 0.7
_SPLICED = frozenset(("enum_body_declarations", "statement_list", "body"))
_BODIES = frozenset(("body", "class_body", "declaration_list", "block"))
_GRACE = 2  # line breaks between a comment and what follows it: two are a blank line


@dataclass(slots=True)
class _Item:
    """One statement or symbol of a body, comments in front of it included."""

    start: int
    end: int
    syntax: Any
    symbol: Any = None
    name: str = ""


class Walk:
    """Reads one tree."""

    def __init__(self, text: str, offsets: Offsets, language: Language) -> None:
        self.text, self.at, self.language = text, offsets, language

    def document(self, syntax: Any) -> Node:
        """Return the node of the whole text."""
        node = Node(name="", start=0, end=len(self.text))
        self._fill(node, syntax, 1)
        return node

    def _fill(self, node: Node, body: Any, depth: int) -> None:
        """Add the symbols and joints of a body to a node."""
        for item in self._items(body, node):
            if item.symbol is None:
                if not node.joints or self._begins_line(item.start):
                    node.joints.append(self._joint(item))
            elif self._continues(node, item):
                self._join(node.children[-1], item)
            else:
                node.children.append(self._symbol(item, depth))

    def _items(self, body: Any, node: Node) -> list[_Item]:
        items: list[_Item] = []
        start, behind = -1, -1  # of comments that wait for what follows them
        loose = False
        stack = list(reversed(body.named_children))
        while stack:
            syntax = stack.pop()
            if syntax.type in _SPLICED:
                stack.extend(reversed(syntax.named_children))
                continue
            first, last = self._extent(syntax)
            if last <= first or first < node.start or last > node.end:
                continue
            if syntax.type in self.language.leading:
                if items and start < 0 and self._same_line(items[-1].end, first):
                    items[-1].end = last
                    continue
                comment = syntax.type.endswith("comment")
                if start >= 0 and self._apart(behind, first) and not loose:
                    items.append(_Item(start, behind, None))
                    start = -1
                start, behind, loose = (first if start < 0 else start), last, not comment
                continue
            if start >= 0 and self._apart(behind, first) and not loose:
                items.append(_Item(start, behind, None))
                start = -1
            symbol, name = self._found(syntax)
            items.append(_Item(first if start < 0 else start, last, syntax, symbol, name))
            start, loose = -1, False
        if start >= 0:
            items.append(_Item(start, behind, None))
        return [item for item in items if item.end > item.start]

    def _extent(self, syntax: Any) -> tuple[int, int]:
        """Return where a node begins and ends, moved to the line's ends where only white space stands between."""
        first, last = self.at(syntax.start_byte), self.at(syntax.end_byte)
        line = self.text.rfind("\n", 0, first) + 1
        if self.text[line:first].isspace():
            first = line
        stop = self.text.find("\n", max(first, last - 1)) + 1 or len(self.text)
        if stop - last <= _SMALL and not self.text[last:stop].strip(" \t\n;,"):
            last = max(last, stop)
        return first, last

    def _same_line(self, end: int, first: int) -> bool:
        return self.text[end - 1] != "\n" and "\n" not in self.text[end:first]

    def _apart(self, end: int, first: int) -> bool:
        return self.text.count("\n", max(0, end - 1), first) >= _GRACE

    def _found(self, syntax: Any) -> tuple[Any, str]:
        """Look through wrappers for one symbol."""
        for _ in range(DEEPEST):
            if syntax.type in self.language.symbols:
                name = name_of(syntax)
                return (syntax, name) if name else (None, "")
            if syntax.type not in self.language.wrappers:
                break
            inner = [
                child
                for child in syntax.named_children
                if child.type in self.language.symbols or child.type in self.language.wrappers
            ]
            if len(inner) != 1:
                break
            syntax = inner[0]
        return None, ""

    def _symbol(self, item: _Item, depth: int) -> Node:
        body = _body(item.symbol)
        first = self.at(item.syntax.start_byte)
        stop = self.at(body.start_byte) if body is not None else min(item.end, self._line_end(first))
        if body is not None and self.text[stop : stop + 1] == "{":
            stop += 1
        line = self.text.rfind("\n", 0, first) + 1
        first = line if self.text[line:first].isspace() else first
        node = Node(name=item.name, start=item.start, end=item.end, header=make_span(first, stop))
        if body is not None and item.symbol.type in self.language.containers and depth < DEEPEST:
            self._fill(node, body, depth + 1)
        elif node.end - node.start > _SMALL:
            node.joints = self._inside(item.symbol)
        return node

    def _line_end(self, at: int) -> int:
        newline = self.text.find("\n", at)
        return len(self.text) if newline < 0 else newline

    def _continues(self, node: Node, item: _Item) -> bool:
        """Return whether an item is the next overload (or the setter) of the symbol right before it."""
        before = node.children[-1] if node.children else None
        if before is None or before.name != item.name or item.symbol.type not in self.language.overloads:
            return False
        return not before.children and not self.text[before.end : item.start].strip()

    def _join(self, before: Node, item: _Item) -> None:
        if not before.joints:
            before.joints.append(joint(before.start, before.end))
        before.joints.append(self._joint(item))
        before.end = item.end

    def _joint(self, item: _Item) -> Block:
        if item.syntax is None or item.end - item.start <= _SMALL:
            return joint(item.start, item.end)
        return joint(item.start, item.end, self._inside(item.syntax))

    def _inside(self, syntax: Any) -> list[Block]:
        """Return the joints inside a node: the lines that a child of it, or of its body, begins."""
        size = syntax.end_byte - syntax.start_byte
        while True:
            if syntax.type in self.language.opaque or syntax.type == "ERROR":
                return []
            children = syntax.named_children
            body = [c for c in children if len(children) == 1 or c.end_byte - c.start_byte > _BODY * size]
            if not body:
                break
            syntax = body[0]
            size = syntax.end_byte - syntax.start_byte
        first, last = self.at(syntax.start_byte), self.at(syntax.end_byte)
        flat = self.text.find("\n", first, last) < 0  # code without lines, as a minifier makes it
        items = self._items(syntax, Node(name="", start=first, end=len(self.text)))
        return [self._joint(item) for item in items if flat or self._begins_line(item.start)]

    def _begins_line(self, at: int) -> bool:
        return at == 0 or self.text[at - 1] == "\n"


def _body(syntax: Any) -> Any:
    body = syntax.child_by_field_name("body")
    if body is not None:
        return body
    value = syntax.child_by_field_name("value") or syntax.child_by_field_name("right")
    if value is not None:
        return value.child_by_field_name("body")
    return next((child for child in syntax.named_children if child.type in _BODIES), None)
