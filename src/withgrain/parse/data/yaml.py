"""The parser of YAML: manifests by resource, other files by key; templates that are no YAML by their indentation."""

from __future__ import annotations

import re
from itertools import pairwise

from withgrain.model import Document, Notice, Source
from withgrain.parse.data.openapi import is_openapi, openapi
from withgrain.parse.data.tree import Member, fill, identity
from withgrain.parse.data.yaml_tree import TooDeep, YamlTree
from withgrain.parse.decode import decode
from withgrain.parse.outline import Node, joint, outline_blocks
from withgrain.parse.raw import parse_failed, raw_document

_YAML = {"language": "yaml"}
_SEPARATOR = re.compile(r"^---(?:[ \t][^\n]*)?(?:\n|\Z)", re.MULTILINE)
_KEY = re.compile(r"^(?:[\w\"'][^\n:]*:(?=\s|\Z)|- |\{\{-? *(?:if|with|range|define)\b)", re.MULTILINE)
_KIND = re.compile(r"^kind:[ \t]*([\w.]+)[ \t]*$", re.MULTILINE)
_NAME = re.compile(r"^metadata:[ \t]*\n(?:[ \t]+[^\n]*\n)*?[ \t]+name:[ \t]*(\{\{[^\n{}]*\}\}\S*|\S+)", re.MULTILINE)


def parse_yaml(data: bytes, source: Source) -> Document:
    """Parse a YAML file of one or more documents.

    A document with ``kind`` and ``metadata.name`` is a resource: its section is called ``Kind/namespace/name``.

    Raises:
        DocumentError: The bytes are not text (kind ``binary``).
    """
    import yaml

    decoded = decode(data)
    text = decoded.text
    notices: list[Notice] = []
    try:
        documents = YamlTree(text).documents
    except (yaml.YAMLError, TooDeep) as error:
        notices = [parse_failed(_reason(error))]
        root = _by_lines(text)
    else:
        if len(documents) == 1 and is_openapi(documents[0]):
            return openapi(source, decoded, documents[0], "yaml", notices)
        root = _outline(text, documents)
    return raw_document(source, decoded, outline_blocks(text, root, _YAML), notices=notices)


def _outline(text: str, documents: list[Member]) -> Node:
    if len(documents) == 1 and not _resource(documents[0]):
        return fill(Node(name="", start=0, end=len(text), unit=True), documents[0])
    root = Node(name="", start=0, end=len(text))
    for document in documents:
        name = _resource(document) or (identity(document) if document.kind == "map" else "")
        if text[document.start : document.end].strip() and document.members:
            node = Node(name=name, start=document.start, end=document.end, unit=True)
            root.children.append(fill(node, document))
    return root


def _resource(document: Member) -> str:
    """Return what a manifest describes; "" when it is none."""
    kind, metadata = document.text_of("kind"), document.get("metadata")
    name = (metadata.text_of("name") or metadata.text_of("generateName")) if metadata is not None else ""
    if not kind or metadata is None or not name:
        return ""
    return "/".join(filter(None, (kind, metadata.text_of("namespace"), name)))


def _reason(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    where = f"Line {mark.line + 1} is no YAML" if mark is not None else f"This is no YAML that we read: {error}"
    return " ".join(f"{where[:200]}; the text is cut at its top-level keys.".split())


def _by_lines(text: str) -> Node:
    """Return the outline of a template: documents between ``---``, joints at unindented keys."""
    root = Node(name="", start=0, end=len(text))
    marks = list(_SEPARATOR.finditer(text))
    starts = [0, *(m.end() for m in marks)]
    ends = [*(m.start() for m in marks), len(text)]
    for start, end in zip(starts, ends, strict=True):
        if not text[start:end].strip():
            continue
        kind, name = _KIND.search(text, start, end), _NAME.search(text, start, end)
        node = Node(name=f"{kind[1]}/{name[1]}" if kind and name else "", start=start, end=end, unit=True)
        keys = [*(m.start() for m in _KEY.finditer(text, start, end)), end]
        node.joints = [joint(a, b) for a, b in pairwise(keys)]
        root.children.append(node)
    return root
