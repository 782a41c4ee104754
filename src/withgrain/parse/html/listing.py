"""Lists, their items, notes at the end of a page, and lists of terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from withgrain.parse.html.chrome import drop_reason
from withgrain.parse.html.lists import item_number, item_task, list_start
from withgrain.parse.html.notes import has_headings
from withgrain.parse.html.sections import fragment
from withgrain.parse.html.tree import Node, around, attribute, children, classes, has_any, tag_of
from withgrain.parse.rendered import Inline

if TYPE_CHECKING:
    from withgrain.parse.html.walk import Walk

_NOTE_LISTS = frozenset({"footnotes", "footnote-list", "footnote-definition", "references"})


def bullets(walk: Walk, node: Node) -> None:
    """Write a list; one that holds headings is a way to lay out a page."""
    walk.flush()
    if walk.captures or has_headings(node):
        walk.opened.add(node)
        walk.into(node, walk.flush)
        return
    if _is_notes(node):
        _footnotes(walk, node)
        return
    walk.writer.begin_list(ordered=tag_of(node) == "ol", start=list_start(node))
    walk.stack.append(walk.end)
    for child in reversed(children(node)):
        if isinstance(child, str):
            if child.strip():
                walk.stack.extend((walk.end, child, walk.writer.begin_item))
        elif tag_of(child) == "li":
            walk.stack.append(child)
        else:
            walk.stack.extend((walk.end, child, walk.writer.begin_item))


def item(walk: Walk, node: Node) -> None:
    """Write a list item."""
    walk.flush()
    if walk.captures:
        walk.line.text("- ")
        walk.into(node, walk.flush)
        return
    parent = node.parent
    listed = parent is not None and tag_of(parent) in ("ul", "ol", "menu", "dir")
    if not listed or parent in walk.opened:
        walk.into(node, walk.flush)
        return
    walk.writer.begin_item(number=item_number(node, parent), task=item_task(node))
    walk.into(node, walk.end)


def _is_notes(node: Node) -> bool:
    return any(
        attribute(a, "role") == "doc-endnotes" or not _NOTE_LISTS.isdisjoint(classes(a))
        or (tag_of(a) == "div" and classes(a) == ["footnote"])
        for a in (node, *around(node, 2))
    )  # fmt: skip


def _footnotes(walk: Walk, node: Node) -> None:
    items = [c for c in children(node) if not isinstance(c, str) and tag_of(c) == "li"]
    for number, item in reversed(list(enumerate(items, 1))):
        walk.stack.append(walk.end)
        walk.stack.extend(reversed(children(item)))
        name = attribute(item, "id")
        walk.stack.append(lambda n=number, a=name: walk.writer.begin_footnote(str(n), anchor=a or None))  # type: ignore[misc]


def definitions(walk: Walk, node: Node) -> None:
    """Write a list of terms and their descriptions."""
    walk.flush()
    if walk.captures or has_headings(node):
        walk.into(node, walk.flush)
        return
    entries: list[Node] = []
    queue = list(reversed(children(node)))
    while queue:
        child = queue.pop()
        if not isinstance(child, str) and tag_of(child) == "div" and has_any(child, ("dt", "dd")):
            queue.extend(reversed(children(child)))
        else:
            entries.append(child)
    terms: list[tuple[Inline, str]] = []
    open_now = [False]

    def finish() -> None:
        walk.flush()
        if open_now[0]:
            walk.writer.end()
        for term, _ in terms:
            walk.writer.paragraph(term)

    walk.stack.append(finish)
    for entry in reversed(entries):
        walk.stack.append(_definition_step(walk, entry, terms, open_now))


def _definition_step(
    walk: Walk, entry: Node, terms: list[tuple[Inline, str]], open_now: list[bool]
) -> Callable[[], None]:
    def step() -> None:
        if isinstance(entry, str) or tag_of(entry) not in ("dt", "dd"):
            walk.stack.append(entry)
            return
        if drop_reason(entry, tag_of(entry), whole_body=False, in_article=True):
            walk.leave_out(entry, tag_of(entry), "hidden")
            return
        walk.flush()
        if tag_of(entry) == "dt":
            if open_now[0]:
                walk.writer.end()
                open_now[0] = False
            terms.append((walk.capture(entry), attribute(entry, "id") or fragment(entry)))
            return
        if terms:
            anchor = next((a for _, a in terms if a), None)
            walk.writer.begin_definition([term for term, _ in terms], anchor=anchor)
            terms.clear()
            open_now[0] = True
        elif open_now[0]:
            walk.writer.next_description()
        walk.into(entry, walk.flush)

    return step
