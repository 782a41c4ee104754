"""One model, five formats: each written by a library that is not ours."""

from __future__ import annotations

import io
from collections.abc import Callable
from html import escape
from typing import Any

from tests.property.written.model import Grid, Heading, Items, Paragraph, Part

#: Shows what the size of the text is: without it a table of small cells would be the text of the document.
_BODY = "The harbour is open all year. " * 60


def html(parts: list[Part]) -> bytes:
    """Return a page."""
    out = ["<!doctype html><html><head><title>t</title></head><body><main>"]
    for part in parts:
        if isinstance(part, Heading):
            out.append(f"<h{part.level}>{escape(part.text)}</h{part.level}>")
        elif isinstance(part, Paragraph):
            out.append(f"<p>{escape(part.text)}</p>")
        elif isinstance(part, Items):
            out.append(_html_list(part))
        else:
            out.append(_html_table(part))
    return "".join([*out, "</main></body></html>"]).encode()


def _html_list(part: Items) -> str:
    tag = "ol" if part.ordered else "ul"
    out, depth = [], 0
    for text, deep in part.items:
        if deep > depth:
            out.append(f"<{tag}>" * (deep - depth))
        else:
            out.append(f"</li></{tag}>" * (depth - deep) + "</li>")
        depth = deep
        out.append(f"<li>{escape(text)}")
    return "".join([*out, f"</li></{tag}>" * depth])


def _html_table(part: Grid) -> str:
    rows = []
    for row in range(part.rows):
        tag = "td" if row else "th"
        cells = [
            f'<{tag} rowspan="{cell.rows}" colspan="{cell.columns}">{escape(cell.text)}</{tag}>'
            for cell in part.cells
            if cell.row == row
        ]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table>{''.join(rows)}</table>"


def docx(parts: list[Part]) -> bytes:
    """Return a text document."""
    import docx

    from tests.unit.parse.made_docx import item, numbering

    document = docx.Document()
    for part in parts:
        if isinstance(part, Heading):
            document.add_heading(part.text, part.level)
        elif isinstance(part, Paragraph):
            document.add_paragraph(part.text)
        elif isinstance(part, Items):
            kinds = [("decimal", f"%{i}.") if part.ordered else ("bullet", "•") for i in (1, 2, 3)]
            identity = numbering(document, *kinds)
            for text, deep in part.items:
                item(document, text, identity, deep - 1)
        else:
            _fill(document.add_table(rows=part.rows, cols=part.columns), part)
    return _saved(document.save)


def pptx(parts: list[Part]) -> bytes:
    """Return slides: a heading begins one."""
    import pptx
    from pptx.util import Inches

    show = pptx.Presentation()
    slide: Any = None
    for part in parts:
        if isinstance(part, Heading):
            slide = show.slides.add_slide(show.slide_layouts[5])
            slide.shapes.title.text_frame.text = part.text
        elif isinstance(part, Grid):
            frame = slide.shapes.add_table(part.rows, part.columns, 0, 0, Inches(6), Inches(3))
            _fill(frame.table, part)
        else:
            frame = slide.shapes.add_textbox(0, 0, Inches(6), Inches(1)).text_frame
            given = part.items if isinstance(part, Items) else ((part.text, 1),)
            for index, (text, deep) in enumerate(given):
                paragraph = frame.paragraphs[0] if index == 0 else frame.add_paragraph()
                paragraph.text, paragraph.level = text, deep - 1
    return _saved(show.save)


def _fill(table: Any, part: Grid) -> None:
    for cell in part.cells:
        place = table.cell(cell.row, cell.column)
        if (cell.rows, cell.columns) != (1, 1):
            last = table.cell(cell.row + cell.rows - 1, cell.column + cell.columns - 1)
            place = place.merge(last) or place
        place.text = cell.text


def xlsx(parts: list[Part]) -> bytes:
    """Return a workbook: a heading begins a sheet, parts stand under each other with an empty row between them."""
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    sheet: Any = None
    row = 1
    for part in parts:
        if isinstance(part, Heading):
            sheet, row = book.create_sheet(f"S{len(book.sheetnames)}"), 1
            sheet.cell(row, 1, part.text)
        elif isinstance(part, Paragraph):
            sheet.cell(row, 1, part.text)
        elif isinstance(part, Items):
            for text, deep in part.items:
                sheet.cell(row, deep, text)
                row += 1
        else:
            for cell in part.cells:
                sheet.cell(row + cell.row, 1 + cell.column, cell.text)
                if (cell.rows, cell.columns) != (1, 1):
                    sheet.merge_cells(
                        start_row=row + cell.row, end_row=row + cell.row + cell.rows - 1,
                        start_column=1 + cell.column, end_column=cell.column + cell.columns,
                    )  # fmt: skip
            row += part.rows
        row += 2
    return _saved(book.save)


def pdf(parts: list[Part]) -> bytes:
    """Return pages: headings by size, lists with bullets or numbers, ruled tables."""
    from reportlab.lib import colors
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.platypus import Paragraph as Text
    from reportlab.platypus import SimpleDocTemplate, Spacer, Table

    plain = ParagraphStyle("plain", fontName="Helvetica", fontSize=10, leading=13, spaceAfter=8)
    small = ParagraphStyle("small", fontName="Helvetica", fontSize=8, leading=10)
    heads = [ParagraphStyle(f"h{n}", fontName="Helvetica-Bold", fontSize=22 - 3 * n, leading=26, spaceBefore=10,
                            spaceAfter=6) for n in range(4)]  # fmt: skip
    flow: list[Any] = [Text(_BODY, plain)]
    for part in parts:
        if isinstance(part, Heading):
            flow.append(Text(escape(part.text), heads[part.level - 1]))
        elif isinstance(part, Paragraph):
            flow.append(Text(escape(part.text), plain))
        elif isinstance(part, Items):
            flow.append(_pdf_list(part, lambda text: Text(escape(text), plain)))
        else:
            rows = [[""] * part.columns for _ in range(part.rows)]
            style: list[Any] = [("GRID", (0, 0), (-1, -1), 0.5, colors.black)]
            for cell in part.cells:
                rows[cell.row][cell.column] = Text(escape(cell.text), small)
                last = (cell.column + cell.columns - 1, cell.row + cell.rows - 1)
                style.append(("SPAN", (cell.column, cell.row), last))
            flow += [Table(rows, colWidths=[105] * part.columns, style=style), Spacer(1, 10)]
    buffer = io.BytesIO()
    SimpleDocTemplate(buffer, invariant=1).build(flow)
    return buffer.getvalue()


def _pdf_list(part: Items, text: Callable[[str], Any]) -> Any:
    from reportlab.platypus import ListFlowable, ListItem

    kind: dict[str, Any] = {"bulletType": "bullet", "start": "•", "bulletFontSize": 10}
    if part.ordered:
        kind = {"bulletType": "1", "bulletFormat": "%s.", "bulletFontSize": 10}
    open_lists: list[list[list[Any]]] = [[]]  # lists of items, each the text and the list inside it

    def close() -> None:
        inner = ListFlowable([ListItem(item) for item in open_lists.pop()], **kind)
        open_lists[-1][-1].append(inner)

    for words, deep in part.items:
        while len(open_lists) > deep:
            close()
        if len(open_lists) < deep:
            open_lists.append([])
        open_lists[-1].append([text(words)])
    while len(open_lists) > 1:
        close()
    return ListFlowable([ListItem(item) for item in open_lists[0]], **kind)


def _saved(save: Callable[[Any], None]) -> bytes:
    buffer = io.BytesIO()
    save(buffer)
    return buffer.getvalue()
