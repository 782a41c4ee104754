"""OpenAPI and Swagger descriptions, in JSON or YAML: one operation is one section, headed by its method and path."""

from __future__ import annotations

from collections.abc import Iterable

from withgrain.model import Document, Notice, Source
from withgrain.parse.data.tree import Member, fill
from withgrain.parse.decode import Decoded
from withgrain.parse.outline import Node, outline_blocks
from withgrain.parse.raw import raw_document

_METHODS = frozenset(("get", "put", "post", "delete", "options", "head", "patch", "trace", "query"))
#: Of a path item: operations of methods that have no key of their own (OpenAPI 3.2).
_OTHERS = "additionalOperations"


def is_openapi(top: Member) -> bool:
    """Return whether a file describes an HTTP interface."""
    version = top.text_of("openapi") or top.text_of("swagger")
    return bool(version) and any(top.get(key) for key in ("paths", "webhooks", "components"))


def openapi(source: Source, decoded: Decoded, top: Member, language: str, notices: Iterable[Notice]) -> Document:
    """Return the document of a description; its class is ``api_reference``, its title that of the interface."""
    root = Node(name="", start=0, end=len(decoded.text), unit=True)
    paths = [member for member in top.members if member.name in ("paths", "webhooks") and member.members]
    others = [member for member in top.members if member not in paths]
    fill(root, Member("", 0, len(decoded.text), "map", "", others))
    root.children = sorted((*root.children, *(_paths(member) for member in paths)), key=lambda node: node.start)
    info = top.get("info")
    return raw_document(
        source,
        decoded,
        outline_blocks(decoded.text, root, {"language": language}),
        title=info.text_of("title") if info is not None else "",
        meta={"doc_class": "api_reference"},
        notices=notices,
    )


def _paths(member: Member) -> Node:
    """Return the node of all paths; its key and those of the paths stand in front of their first operation."""
    node = Node(name="", start=member.start, end=member.end, unit=True)
    for item in member.members:
        node.children.extend(_operations(item))
    if node.children:
        node.children[0].start = node.start
    return node


def _operation(item: Member, member: Member, start: int) -> Node:
    name = f"{member.name.upper()} {item.name}"
    return fill(Node(name=name, start=start, end=member.end, unit=True), member, 2)


def _operations(item: Member) -> list[Node]:
    nodes: list[Node] = []
    for number, member in enumerate(item.members):
        start = item.start if number == 0 else member.start
        if member.name.lower() in _METHODS and member.kind == "map":
            nodes.append(_operation(item, member, start))
        elif member.name == _OTHERS:
            for place, inner in enumerate(member.members):
                nodes.append(_operation(item, inner, start if place == 0 else inner.start))
    if not nodes or nodes[0].start != item.start:
        stop = nodes[0].start if nodes else item.end
        shared = [member for member in item.members if member.start < stop]
        own = Member(item.name, item.start, stop, "map", "", shared)
        nodes.insert(0, fill(Node(name=item.name, start=item.start, end=stop, unit=True), own, 2))
    return nodes
