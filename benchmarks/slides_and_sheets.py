"""How exactly slides and sheets are read: ``python benchmarks/slides_and_sheets.py FILE_OR_FOLDER …``

The judges are openpyxl and python-pptx, which share no code with the parsers. A cell is right when its value stands in
the row and column of a table whose origin names it, or in the paragraph of its own cell. A text of a slide (paragraph,
table cell, category or value of a chart, notes) is right when it stands in the section of its slide.
"""

from __future__ import annotations

import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from withgrain.errors import DocumentError
from withgrain.model import Block, Document
from withgrain.parse import parse
from withgrain.parse.office.sheet import shown

_ORIGIN = re.compile(r"(.*)!([A-Z]+)(\d+)(?::([A-Z]+)(\d+))?$")


def squeezed(text: str) -> str:
    """Return a text without white space, escapes and links."""
    text = re.sub(r"\]\((?:[^()\s]|\([^()\s]*\))*\)", "", text)
    for code, sign in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("<br>", "")):
        text = text.replace(code, sign)
    return re.sub(r"[\s\\`\[\]\x0b]+", "", text)


def column(name: str) -> int:
    number = 0
    for sign in name:
        number = number * 26 + ord(sign) - 64
    return number


def read_cells(document: Document) -> dict[tuple[str, int, int], str]:
    """Return the text that the document has for each cell, by sheet, row and column."""
    found: dict[tuple[str, int, int], str] = {}
    for block in document.blocks:
        match = _ORIGIN.match(block.origin or "")
        if match is None:
            continue
        if block.kind == "table":
            for row in block.children:
                place = _ORIGIN.match(row.origin or "")
                if place is None:
                    continue
                first, line = place[2], int(place[3])
                for offset, cell in enumerate(row.children):
                    found.setdefault((match[1], line, column(first) + offset), cell.span.of(document.text))
        elif block.kind != "heading":
            found[match[1], int(match[3]), column(match[2])] = block.span.of(document.text)
    return found


def judge_sheets(path: Path, document: Document) -> Counter[str]:
    """Compare every cell."""
    import openpyxl

    count: Counter[str] = Counter()
    cells = read_cells(document)
    text = squeezed(document.text)
    for sheet in openpyxl.load_workbook(path, data_only=True).worksheets:
        for row in sheet.iter_rows():
            for cell in row:
                value = squeezed(shown(cell.value))
                if not value:
                    continue
                count["texts"] += 1
                own = squeezed(cells.get((" ".join(sheet.title.split()), cell.row, cell.column), ""))
                inside = value == own or (
                    value in text and value in squeezed(" / ".join(_header(cells, sheet.title, cell.column)))
                )
                if not inside:
                    count["wrong"] += 1
                    count["lost"] += value not in text
                    if count["wrong"] <= 3:
                        print(f"    {sheet.title}!{cell.coordinate}: {shown(cell.value)[:50]!r}, read {own[:50]!r}")
    return count


def _header(cells: dict[tuple[str, int, int], str], sheet: str, place: int) -> Iterator[str]:
    """Yield what the document has in a column of a sheet: names of a header of several rows are joined."""
    yield from (text for (name, _, at), text in cells.items() if name == sheet and at == place)


def slide_texts(shapes: Any) -> Iterator[str]:
    """Yield the texts of shapes: paragraphs, cells, points of charts."""
    for shape in shapes:
        if shape.shape_type == 6:
            yield from slide_texts(shape.shapes)
        elif getattr(shape, "has_table", False) and shape.has_table:
            yield from (cell.text_frame.text for row in shape.table.rows for cell in row.cells if not cell.is_spanned)
        elif getattr(shape, "has_chart", False) and shape.has_chart:
            for plot in shape.chart.plots:
                yield from (str(label) for label in plot.categories)
                yield from (series.name for series in plot.series)
        elif shape.has_text_frame:
            yield from (paragraph.text for paragraph in shape.text_frame.paragraphs)


def judge_slides(path: Path, document: Document) -> Counter[str]:
    """Look for every text in the section of its slide."""
    import pptx

    count: Counter[str] = Counter()
    sections: dict[int, list[Block]] = {}
    for block in document.blocks:
        if block.page:
            sections.setdefault(block.page, []).append(block)
    dropped = squeezed(" ".join(drop.text for drop in document.dropped))
    for number, slide in enumerate(pptx.Presentation(str(path)).slides, 1):
        here = squeezed(" ".join(block.span.of(document.text) for block in sections.get(number, ())))
        notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
        for text in [*slide_texts(slide.shapes), *((p.text for p in notes.paragraphs) if notes else ())]:
            if not squeezed(text):
                continue
            count["texts"] += 1
            if squeezed(text) not in here and squeezed(text) not in dropped:
                count["wrong"] += 1
                count["lost"] += squeezed(text) not in squeezed(document.text)
                print(f"    slide {number}: {text[:70]!r}")
    return count


def main() -> None:
    """Measure and print."""
    warnings.simplefilter("ignore")
    paths = [f for given in map(Path, sys.argv[1:]) for f in (sorted(given.rglob("*")) if given.is_dir() else [given])]
    total: dict[str, Counter[str]] = {}
    for path in (p for p in paths if p.suffix in (".xlsx", ".pptx")):
        data = path.read_bytes()
        start = time.process_time()
        try:
            document = parse(data, uri=path.name)
        except DocumentError as error:
            print(f"{path.name:40} refused: {error}")
            continue
        seconds = time.process_time() - start
        try:
            count = (judge_sheets if path.suffix == ".xlsx" else judge_slides)(path, document)
        except Exception as error:
            print(f"{path.name:40} the judge cannot read it: {type(error).__name__}: {str(error)[:80]}")
            continue
        own = total.setdefault(path.suffix, Counter())
        own.update(count)
        own.update(files=1, milliseconds=round(seconds * 1000), bytes=len(data))
        print(
            f"{path.name:40} {count['texts']:6} texts, {count['wrong']:4} wrong, {count['lost']:4} lost {seconds:.2f} s"
        )
    for suffix, count in total.items():
        print(suffix, dict(count))


if __name__ == "__main__":
    main()
