"""XLSX and PPTX: sheets and slides as sections, cells and slide numbers as origin."""

from __future__ import annotations

import datetime
import io
import zipfile

import openpyxl
import pptx
import pytest
import xlsxwriter
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI
from pptx.util import Inches

from withgrain.errors import DocumentError
from withgrain.parse import parse


def saved(book) -> bytes:
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def cells(document):
    table = next(b for b in document.blocks if b.kind == "table")
    return [[c.span.of(document.text) for c in row.children] for row in table.children if row.children]


def book(rows, name="Berths", **more):
    found = openpyxl.Workbook()
    sheet = found.active
    sheet.title = name
    for row in rows:
        sheet.append(row)
    return found


def test_sheet_is_a_section_and_its_first_row_the_header():
    rows = [["Berth", "Depth", "Since"], ["A1", 9.5, datetime.date(2019, 4, 1)], ["A2", 7, None]]
    document = parse(saved(book(rows)), uri="a.xlsx")
    assert [b.attrs["text"] for b in document.blocks if b.kind == "heading"] == ["Berths"]
    assert cells(document) == [["Berth", "Depth", "Since"], ["A1", "9.5", "2019-04-01"], ["A2", "7", ""]]
    table = next(b for b in document.blocks if b.kind == "table")
    assert table.origin == "Berths!A1:C3"
    assert [row.origin for row in table.children][-1] == "Berths!A3:C3"


def test_title_above_a_table_and_a_second_block_stand_apart():
    rows = [["Fees of 2024"], ["Ship", "Fee"], ["Ferry", 20], [], ["Note", "Meaning"], ["x", "free"]]
    document = parse(saved(book(rows)), uri="a.xlsx")
    assert [b.kind for b in document.blocks if b.kind != "blank"] == ["heading", "paragraph", "table", "table"]


def test_numbers_without_a_header_row_get_the_names_of_columns():
    document = parse(saved(book([[1, 2], [3, 4]])), uri="a.xlsx")
    assert cells(document) == [["A", "B"], ["1", "2"], ["3", "4"]]


def test_merged_cell_stands_in_each_of_its_rows():
    found = book([["Pier", "Berth"], ["North", "1"], [None, "2"]])
    found.active.merge_cells("A2:A3")
    assert cells(parse(saved(found), uri="a.xlsx")) == [["Pier", "Berth"], ["North", "1"], ["North", "2"]]


def test_hidden_sheet_is_read_and_reported():
    found = book([["a", "b"], ["c", "d"]])
    found.create_sheet("Secret").append(["e", "f"])
    found["Secret"].sheet_state = "hidden"
    document = parse(saved(found), uri="a.xlsx")
    assert "Secret" in document.text
    assert any(n.kind == "hidden_sheet" for n in document.notices)


def test_cell_in_the_far_corner_is_refused_with_its_name():
    found = book([["a"]])
    found.active["XFD1048576"] = "far"
    with pytest.raises(DocumentError, match="XFD1048576") as caught:
        parse(saved(found), uri="a.xlsx")
    assert caught.value.kind == "too_large"


def deck():
    found = pptx.Presentation()
    slide = found.slides.add_slide(found.slide_layouts[1])
    slide.shapes.title.text = "Entering"
    frame = slide.placeholders[1].text_frame
    frame.text = "Call the pilot"
    for text, level in (("by radio", 1), ("by phone", 1), ("Wait", 0)):
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = text, level
    slide.notes_slide.notes_text_frame.text = "Say it slowly."
    second = found.slides.add_slide(found.slide_layouts[5])
    second.shapes.title.text = "Fees"
    table = second.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(4), Inches(1)).table
    for i, text in enumerate(("Ship", "Fee", "Ferry", "20")):
        table.cell(i // 2, i % 2).text = text
    return found


def test_slide_is_a_section_with_its_number_as_page():
    document = parse(saved(deck()), uri="a.pptx")
    assert [(b.attrs["text"], b.page, b.anchor) for b in document.blocks if b.kind == "heading"] == [
        ("Entering", 1, "slide-1"), ("Fees", 2, "slide-2"),
    ]  # fmt: skip
    assert cells(document) == [["Ship", "Fee"], ["Ferry", "20"]]


def test_levels_of_a_text_are_nested_lists_and_notes_are_kept():
    document = parse(saved(deck()), uri="a.pptx")
    outer = next(b for b in document.blocks if b.kind == "list")
    assert len(outer.children) == 2
    assert "by phone" in outer.children[0].span.of(document.text)
    note = next(b for b in document.blocks if b.kind == "admonition")
    assert "Say it slowly." in note.span.of(document.text)


@pytest.mark.parametrize("suffix", ["xlsx", "pptx"])
def test_cut_files_are_errors_and_never_crash(suffix):
    data = saved(deck()) if suffix == "pptx" else saved(book([["a", "b"], ["c", "d"]]))
    for length in range(0, len(data), len(data) // 12):
        with pytest.raises(DocumentError):
            parse(data[:length], uri=f"a.{suffix}")


def test_white_space_around_a_number_is_no_fault():
    """A sheet that another program wrote with "<v> 41</v>" is read."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(saved(book([["Ship", "Fee"], ["Ferry", 41]])))) as given, \
            zipfile.ZipFile(buffer, "w") as package:  # fmt: skip
        for name in given.namelist():
            package.writestr(name, given.read(name).replace(b"<v>41</v>", b"<v> 41</v>"))
    assert cells(parse(buffer.getvalue(), uri="a.xlsx")) == [["Ship", "Fee"], ["Ferry", "41"]]


def _with_xlsxwriter(fill) -> bytes:
    buffer = io.BytesIO()
    made = xlsxwriter.Workbook(buffer)
    fill(made)
    made.close()
    return buffer.getvalue()


def test_formulas_without_a_stored_result_are_reported_with_their_place():
    """What a program that does not calculate has written looks empty: no reader may take that for the truth."""
    document = parse(saved(book([["Item", "Total"], ["Bolt", "=2*3"], ["Nut", "=SUM(B2:B2)"]])), uri="a.xlsx")
    (notice,) = (n for n in document.notices if n.kind == "uncalculated")
    assert "2 formulas" in notice.message and "B2" in notice.message

    def calculated(made):
        sheet = made.add_worksheet()
        sheet.write_formula("A1", "=2*3", None, 6)
        sheet.write_formula("A2", '=IF(A1>9,"much","")', None, "nothing")
        sheet.write_row("A3", [1, 2])

    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(_with_xlsxwriter(calculated))) as given, zipfile.ZipFile(buffer, "w") as made:
        for name in given.namelist():  # an empty text as result, as a spreadsheet program stores it
            made.writestr(name, given.read(name).replace(b"<v>nothing</v>", b"<v></v>"))
    assert not [n for n in parse(buffer.getvalue(), uri="a.xlsx").notices if n.kind == "uncalculated"]


def test_text_boxes_of_a_sheet_are_read_under_its_name():
    def fill(made):
        made.add_worksheet("Fees").write_row("A1", ["Ship", "Fee"])
        board = made.add_worksheet("Board")
        board.insert_textbox("B2", "Ferries pay by the metre.\nTugs are free.")
        board.insert_textbox("B9", "Ask the pilot.")

    document = parse(_with_xlsxwriter(fill), uri="a.xlsx")
    behind = document.text.partition("# Board")[2]
    assert all(words in behind for words in ("Ferries pay by the metre.", "Tugs are free.", "Ask the pilot."))


def test_a_chart_that_stands_alone_on_a_sheet_is_under_its_name():
    def fill(made):
        made.add_worksheet("Data").write_column("A1", [4, 5])
        chart = made.add_chart({"type": "bar"})
        chart.add_series({"values": "=Data!$A$1:$A$2", "name": "Arrivals"})
        made.add_worksheet("Board").insert_chart("B2", chart)

    document = parse(_with_xlsxwriter(fill), uri="a.xlsx")
    assert "Arrivals" in document.text.partition("# Board")[2]


def test_embedded_files_are_reported_and_the_data_of_a_chart_is_none():
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[5])
    data = CategoryChartData()
    data.categories = ["May"]
    data.add_series("Ferries", (41,))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(1), Inches(4), Inches(3), data)
    assert not [n for n in parse(saved(show), uri="a.pptx").notices if n.kind == "attachments"]
    slide.shapes.add_ole_object(io.BytesIO(saved(book([[1]]))), "Excel.Sheet.12", Inches(1), Inches(5))
    (notice,) = (n for n in parse(saved(show), uri="a.pptx").notices if n.kind == "attachments")
    assert "(1)" in notice.message and "oleobject1.bin" in notice.message


def test_comments_on_slides_are_left_out_and_reported():
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[5])
    slide.shapes.title.text = "Berths"
    content = b'<p:cmLst xmlns:p="p"><p:cm><p:text>Ask the pilot</p:text></p:cm></p:cmLst>'
    part = Part(PackURI("/ppt/comments/comment1.xml"), "application/xml", show.part.package, content)
    slide.part.relate_to(part, "http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments")
    document = parse(saved(show), uri="a.pptx")
    assert "pilot" not in document.text
    assert [d.text for d in document.dropped if d.reason == "comment"] == ["Ask the pilot"]
    assert "comments" in {n.kind for n in document.notices}
