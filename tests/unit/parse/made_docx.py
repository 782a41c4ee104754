"""DOCX files for tests: what python-docx has no call for."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn

W = nsdecls("w")


def saved(document: Any) -> bytes:
    """Return the bytes of a document."""
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def numbering(document: Any, *levels: tuple[str, str], start: int = 1) -> int:
    """Define a numbering with (format, text) for each level; return its id."""
    part = document.part.numbering_part.numbering_definitions._numbering
    identity = str(900 + len(part.findall(qn("w:abstractNum"))))
    xml = "".join(
        f'<w:lvl w:ilvl="{i}"><w:start w:val="{start if i == 0 else 1}"/><w:numFmt w:val="{kind}"/>'
        f'<w:lvlText w:val="{text}"/><w:pPr><w:ind w:left="{720 * (i + 1)}" w:hanging="360"/></w:pPr></w:lvl>'
        for i, (kind, text) in enumerate(levels)
    )
    part.insert(0, parse_xml(f'<w:abstractNum {W} w:abstractNumId="{identity}">{xml}</w:abstractNum>'))
    return int(part.add_num(int(identity)).numId)


def item(document: Any, text: str, identity: int, level: int = 0, style: str | None = None) -> Any:
    """Add a numbered paragraph."""
    paragraph = document.add_paragraph(text, style=style)
    properties = paragraph._p.get_or_add_pPr().get_or_add_numPr()
    properties.get_or_add_ilvl().val = level
    properties.get_or_add_numId().val = identity
    return paragraph


def with_part(data: bytes, name: str, content: str) -> bytes:
    """Add a part to a saved document."""
    buffer = io.BytesIO(data)
    with zipfile.ZipFile(buffer, "a") as package:
        package.writestr(name, content)
    return buffer.getvalue()
