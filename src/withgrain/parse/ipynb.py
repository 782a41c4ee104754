"""Jupyter notebooks: text cells as Markdown, code cells as code, what they put out as text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from withgrain.errors import DocumentError
from withgrain.model import Document, Source
from withgrain.parse.decode import decode
from withgrain.parse.rendered import Writer

#: Cells beyond are listed as dropped.
MAX_CELLS = 20_000
#: Characters of one output that are kept.
MAX_OUTPUT = 4_000

_ANSI = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]")
_TEXTS = ("text/plain", "text/markdown", "text/latex", "application/json")


def parse_notebook(data: bytes, source: Source) -> Document:
    """Parse a notebook of format 3 or 4; the anchor of a block is its cell (``cell-3``, from 1).

    Raises:
        DocumentError: It is no notebook.
    """
    notebook = _load(data)
    writer = Writer()
    language = _language(notebook)
    if language:
        writer.meta["kernel_language"] = language
    cells = list(_cells(notebook))
    for number, cell in enumerate(cells[:MAX_CELLS], 1):
        writer.origin = f"cell {number}"
        _write_cell(writer, cell, f"cell-{number}", language)
    for cell in cells[MAX_CELLS:]:
        writer.drop("cell beyond the limit", _joined(cell.get("source", cell.get("input"))))
    return writer.document(source)


def notebook_words(data: bytes) -> str:
    """Return all that cells hold and put out as text, by a walk over the JSON that knows no cells."""
    found: list[str] = []
    stack: list[tuple[str, Any]] = [("", _load(data))]
    while stack:
        key, value = stack.pop()
        if isinstance(value, Mapping):
            stack.extend((str(k), v) for k, v in value.items() if k not in ("metadata", "attachments"))
        elif isinstance(value, list) and not all(isinstance(v, str) for v in value):
            stack.extend((key, v) for v in value)
        elif key in ("source", "input"):
            found.append(_joined(value))
    return "\n".join(found)


def _load(data: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(decode(data).text)
    except (ValueError, RecursionError) as error:
        raise DocumentError(f"The notebook is no JSON: {error}. Save it again with Jupyter.") from error
    if not isinstance(value, Mapping) or not any(isinstance(value.get(k), list) for k in ("cells", "worksheets")):
        raise DocumentError("The file is JSON, but no notebook: it has no cells.")
    return value


def _cells(notebook: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    sheets = [notebook, *[s for s in notebook.get("worksheets") or () if isinstance(s, Mapping)]]
    for sheet in sheets:
        yield from (cell for cell in sheet.get("cells") or () if isinstance(cell, Mapping))


def _language(notebook: Mapping[str, Any]) -> str:
    metadata = notebook.get("metadata")
    if isinstance(metadata, Mapping):
        for key, name in (("language_info", "name"), ("kernelspec", "language")):
            inner = metadata.get(key)
            if isinstance(inner, Mapping) and isinstance(inner.get(name), str):
                return str(inner[name]).lower()
    return ""


def _write_cell(writer: Writer, cell: Mapping[str, Any], anchor: str, language: str) -> None:
    text = _joined(cell.get("source", cell.get("input")))
    kind = cell.get("cell_type")
    if kind == "heading":
        writer.heading(text, cell["level"] if isinstance(cell.get("level"), int) else 1, anchor=anchor)
    elif kind == "markdown":
        writer.markdown(text, anchor=anchor)
    else:
        writer.code(text, language if kind == "code" else "", anchor=anchor)
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        if isinstance(output, Mapping):
            _write_output(writer, output, anchor)


def _write_output(writer: Writer, output: Mapping[str, Any], anchor: str) -> None:
    data = output.get("data")
    found = data if isinstance(data, Mapping) else {}
    text = next((_joined(found[kind]) for kind in _TEXTS if kind in found), "")
    text = text or _joined(output.get("text")) or _joined(output.get("traceback"), "\n")
    text = _ANSI.sub("", text)
    for kind in found:
        if str(kind).startswith(("image/", "application/vnd", "application/javascript", "text/html")):
            writer.drop("image" if str(kind).startswith("image/") else f"output {kind}")
    if len(text) > MAX_OUTPUT:
        writer.drop("output beyond the limit", text[MAX_OUTPUT:])
        text = text[:MAX_OUTPUT]
    writer.code(text, "output" if text.strip() else "", anchor=anchor)


def _joined(value: Any, between: str = "") -> str:
    if isinstance(value, list):
        return between.join(str(line) for line in value)
    return value if isinstance(value, str) else "" if value is None else str(value)
