"""The parsers of JSON and JSON Lines."""

from __future__ import annotations

from withgrain.model import Block, Document, Notice, Source
from withgrain.parse.build import make_block
from withgrain.parse.data.json_tree import JsonTree
from withgrain.parse.data.openapi import is_openapi, openapi
from withgrain.parse.data.tree import Member, fill, joints
from withgrain.parse.decode import decode
from withgrain.parse.outline import Node, outline_blocks
from withgrain.parse.raw import parse_failed, raw_document

_JSON = {"language": "json"}
_LONG = 300  # a longer record gets joints: it may not fit


def parse_json(data: bytes, source: Source) -> Document:
    """Parse a JSON file (comments are understood); an OpenAPI description becomes one section an operation.

    Raises:
        DocumentError: The bytes are not text (kind ``binary``).
    """
    decoded = decode(data)
    text = decoded.text
    tree = JsonTree(text)
    notices = _notices(text, tree.error)
    top = tree.top[0] if len(tree.top) == 1 else Member("", 0, len(text), "list", "", tree.top)
    if is_openapi(top):
        return openapi(source, decoded, top, "json", notices)
    root = fill(Node(name="", start=0, end=len(text), unit=True), top)
    return raw_document(source, decoded, outline_blocks(text, root, _JSON), notices=notices)


def parse_jsonl(data: bytes, source: Source) -> Document:
    r"""Parse a file of one JSON record a line. Only ``\n`` ends a line.

    Raises:
        DocumentError: The bytes are not text (kind ``binary``).
    """
    decoded = decode(data)
    text = decoded.text
    blocks: list[Block] = []
    bad: int | None = None
    at = 0
    while at < len(text):
        newline = text.find("\n", at)
        stop = len(text) if newline < 0 else newline + 1
        if text[at:stop].isspace():
            blocks.append(make_block("blank", at, stop))
        else:
            tree = JsonTree(text, at, stop)
            if bad is None and (tree.error is not None or len(tree.top) != 1):
                bad = at
            inner = joints(tree.top[0]) if len(tree.top) == 1 and stop - at > _LONG else []
            blocks.append(make_block("code", at, stop, None, tuple(inner) if len(inner) > 1 else (), _JSON))
        at = stop
    return raw_document(source, decoded, blocks, notices=_notices(text, bad))


def _notices(text: str, error: int | None) -> list[Notice]:
    if error is None:
        return []
    line = text.count("\n", 0, error) + 1
    return [parse_failed(f"Line {line} is no JSON; what can be read around it is kept in its structure.")]
