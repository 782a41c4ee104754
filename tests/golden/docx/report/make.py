"""A report: own heading styles, pages, code, a quotation, a text box, a formula, an image, a table in a cell."""

from __future__ import annotations

import docx
from docx.oxml import parse_xml

from tests.unit.parse.made_docx import W, saved

_MATH = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'


def make() -> bytes:
    """Return the file."""
    document = docx.Document()
    own = document.styles.add_style("Chapter head", docx.enum.style.WD_STYLE_TYPE.PARAGRAPH)
    own.base_style = document.styles["Heading 1"]
    document.add_paragraph("What broke", style="Chapter head")
    document.add_paragraph("The pump of chamber two stood still for an hour.")
    document.add_paragraph("Nobody was hurt.", style="Quote")
    document.add_heading("The log", 2)
    for line in ("12:04 pump stop", "12:05   relay open"):
        document.add_paragraph().add_run(line).font.name = "Courier New"
    paragraph = document.add_paragraph("The flow follows ")
    paragraph._p.append(
        parse_xml(
            f"<m:oMath {_MATH}><m:sSup><m:e><m:r><m:t>v</m:t></m:r></m:e>"
            "<m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>"
        )
    )
    box = "<w:txbxContent><w:p><w:r><w:t>Ask the shift first.</w:t></w:r></w:p></w:txbxContent>"
    paragraph._p.append(parse_xml(f"<w:r {W}><w:pict>{box}</w:pict></w:r>"))
    document.add_page_break()
    document.add_paragraph("What we do", style="Chapter head")
    document.add_paragraph("Change the relay.", style="List Number")
    document.add_paragraph("Test it twice:", style="List Number")
    document.add_paragraph("cold,", style="List Bullet 2")
    document.add_paragraph("warm.", style="List Bullet 2")
    table = document.add_table(rows=2, cols=2)
    table.cell(0, 0).text, table.cell(0, 1).text, table.cell(1, 0).text = "Part", "Stock", "Relay"
    inner = table.cell(1, 1).add_table(rows=1, cols=2)
    inner.cell(0, 0).text, inner.cell(0, 1).text = "shelf 4", "2 pieces"
    return saved(document)
