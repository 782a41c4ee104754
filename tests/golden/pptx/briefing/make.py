"""A briefing: title slide, nested bullets with a link, a table with merged cells, a chart, notes, an image, a group."""

from __future__ import annotations

import io
import struct
import zlib

import pptx
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches


def make() -> bytes:
    """Return the file."""
    show = pptx.Presentation()
    first = show.slides.add_slide(show.slide_layouts[0])
    first.shapes.title.text = "Harbour briefing"
    first.placeholders[1].text = "For the night shift"
    _bullets(show)
    _table(show)
    _chart(show)
    buffer = io.BytesIO()
    show.save(buffer)
    return buffer.getvalue()


def _bullets(show) -> None:
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = "Before midnight"
    frame = slide.placeholders[1].text_frame
    frame.text = "Close the gate"
    for text, level in (("both wings", 1), ("Light the lamps", 0)):
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = text, level
    run = frame.add_paragraph().add_run()
    run.text, run.hyperlink.address = "Read the log", "https://example.com/log"
    slide.notes_slide.notes_text_frame.text = "Say who has the key."


def _table(show) -> None:
    slide = show.slides.add_slide(show.slide_layouts[5])
    slide.shapes.title.text = "Who is where"
    table = slide.shapes.add_table(3, 3, Inches(1), Inches(2), Inches(6), Inches(2)).table
    for r, row in enumerate([["Post", "Before", "After"], ["Gate", "Ana", "Bo"], ["Lock", "Cy", "Cy"]]):
        for k, text in enumerate(row):
            table.cell(r, k).text = text
    table.cell(2, 2).text = ""
    table.cell(2, 1).merge(table.cell(2, 2))
    picture = slide.shapes.add_picture(io.BytesIO(_image()), Inches(8), Inches(2))
    picture._element.nvPicPr.cNvPr.set("descr", "Plan of the posts")


def _chart(show) -> None:
    slide = show.slides.add_slide(show.slide_layouts[6])
    group = slide.shapes.add_group_shape()
    box = group.shapes.add_textbox(Inches(1), Inches(1), Inches(4), Inches(1))
    box.text_frame.text = "A slide without a title."
    data = CategoryChartData()
    data.categories = ["May", "June"]
    data.add_series("Ships", (31, 44))
    data.add_series("Boats", (7, 12.5))
    frame = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(2), Inches(6), Inches(4), data)
    frame.chart.has_title = True
    frame.chart.chart_title.text_frame.text = "Arrivals"


def _image() -> bytes:
    def part(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(b"\x00\x00")) + part(b"IEND", b"")
