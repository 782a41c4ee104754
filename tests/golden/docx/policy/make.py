"""A policy: numbered headings, clauses of letters, a table with merged cells, a footnote, a link, tracked changes."""

from __future__ import annotations

import docx
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from tests.unit.parse.made_docx import W, item, numbering, saved, with_part


def make() -> bytes:
    """Return the file."""
    document = docx.Document()
    document.core_properties.title = "Berth policy"
    document.sections[0].header.paragraphs[0].text = "Harbour office"
    headings = numbering(document, ("decimal", "%1"), ("decimal", "%1.%2"))
    clauses = numbering(document, ("lowerLetter", "(%1)"), ("lowerRoman", "%2."))
    document.add_heading("Berth policy", 0)
    item(document, "Scope", headings, 0, style="Heading 1")
    paragraph = document.add_paragraph("Every ship needs a berth")
    paragraph._p.append(parse_xml(f'<w:r {W}><w:footnoteReference w:id="2"/></w:r>'))
    item(document, "Duties", headings, 0, style="Heading 1")
    item(document, "Of the master", headings, 1, style="Heading 2")
    item(document, "The master reports:", clauses)
    item(document, "the draught;", clauses, 1)
    item(document, "the cargo.", clauses, 1)
    item(document, "The master pays.", clauses)
    _changed(document)
    _fees(document)
    note = '<w:footnote w:id="2"><w:p><w:r><w:t>Boats under six metres do not.</w:t></w:r></w:p></w:footnote>'
    return with_part(saved(document), "word/footnotes.xml", f"<w:footnotes {W}>{note}</w:footnotes>")


def _changed(document) -> None:
    paragraph = document.add_paragraph("The berth is left within ")
    paragraph._p.append(parse_xml(f"<w:del {W}><w:r><w:delText>two</w:delText></w:r></w:del>"))
    paragraph._p.append(parse_xml(f"<w:ins {W}><w:r><w:t>three</w:t></w:r></w:ins>"))
    kind = docx.opc.constants.RELATIONSHIP_TYPE.HYPERLINK
    identity = document.part.relate_to("https://example.com/fees", kind, is_external=True)
    names = nsdecls("w", "r")
    paragraph._p.append(parse_xml(f"<w:r {W}><w:t xml:space='preserve'> days; see </w:t></w:r>"))
    paragraph._p.append(
        parse_xml(f'<w:hyperlink {names} r:id="{identity}"><w:r><w:t>the fees</w:t></w:r></w:hyperlink>')
    )


def _fees(document) -> None:
    document.add_paragraph("Table 1: Fees", style="Caption")
    table = document.add_table(rows=4, cols=3)
    rows = [["Ship", "Fee a day", ""], ["", "summer", "winter"], ["Ferry", "20", "12"], ["", "25", "14"]]
    for r, row in enumerate(rows):
        for k, text in enumerate(row):
            table.cell(r, k).text = text
    table.cell(0, 1).merge(table.cell(0, 2)).text = "Fee a day"
    table.cell(0, 0).merge(table.cell(1, 0)).text = "Ship"
    table.cell(2, 0).merge(table.cell(3, 0)).text = "Ferry"
    for row in table.rows[:2]:
        row._tr.get_or_add_trPr().append(parse_xml(f"<w:tblHeader {W}/>"))
