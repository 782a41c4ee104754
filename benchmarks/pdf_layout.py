"""How well the layout of a PDF is read where all of it is known: ``python benchmarks/pdf_layout.py PAGE.html …``

Pages of documentation are read by the HTML parser; what it found is written as a Word document by python-docx (in one
column, or with ``--columns 2`` in two) with a running header and page numbers, and LibreOffice (``--soffice``) sets it.
Of the PDF, which has neither outline nor tags, are counted: headings found and given, paragraphs that are one block
word for word, cells and rows of tables, list items, code blocks, and pages whose header or footer stands in the text.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from withgrain.model import Block, Document, Source
from withgrain.parse import parse
from withgrain.parse.pdf import parse_pdf

_PLAIN = {"UseTaggedPDF": False, "ExportBookmarks": False}
_OPTIONS = json.dumps({name: {"type": "boolean", "value": str(value).lower()} for name, value in _PLAIN.items()})
HEADER = "Harbour manual, third edition"


def bare(text: str) -> str:
    """Return the letters and digits of a Markdown text."""
    text = re.sub(r"!?\[([^\[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*\)", r"\1", text)
    return "".join(re.findall(r"[^\W_]+", text)).casefold()


def shown(text: str) -> str:
    """Return what is printed of a Markdown text."""
    text = re.sub(r"!?\[((?:[^\[\]\\]|\\.)*)\]\((?:[^()\s]|\([^()\s]*\))*\)", r"\1", text.replace("<br>", " "))
    return " ".join(re.sub(r"\\(?=[^\w\s])|`|(?m:^>+ ?)", "", text).split())


class Maker:
    """Writes what a document holds as a Word document and counts it, by kind and letters."""

    def __init__(self, text: str, columns: int) -> None:
        import docx

        self.text, self.columns = text, columns
        self.out = docx.Document()
        self.truth: Counter[tuple[str, str]] = Counter()
        self.out.sections[0].header.paragraphs[0].text = HEADER
        _field(self.out.sections[0].footer.paragraphs[0])
        if columns > 1:
            self.out.sections[0]._sectPr.append(_element("w:cols", num=str(columns), space="400"))

    def put(self, block: Block, depth: int = 0) -> None:
        """Write a block."""
        words = shown(block.span.of(self.text))
        if block.kind == "heading":
            self.out.add_heading(block.attrs["text"], min(block.level or 1, 4))
            self.truth["heading", bare(block.attrs["text"])] += 1
        elif block.kind == "table":
            self._table(block)
        elif block.kind == "code":
            self._code(block.content.of(self.text) if block.content else "")
        elif block.kind == "list":
            self._list(block, depth)
        elif block.kind in ("quote", "admonition", "definition"):
            for child in block.children:
                self.put(child, depth)
        elif block.kind == "paragraph" and bare(words):
            self.out.add_paragraph(words)
            self.truth["paragraph", bare(words)] += 1

    def _table(self, block: Block) -> None:
        from docx.shared import Inches

        rows = [[shown(cell.span.of(self.text)) for cell in row.children] for row in block.children if row.children]
        table = self.out.add_table(rows=len(rows), cols=len(rows[0]), style="Table Grid")
        table.autofit = False
        for column in table.columns:
            column.width = Inches((6 if self.columns == 1 else 2.8) / len(rows[0]))
        for r, row in enumerate(rows):
            for c, cell in enumerate(row):
                table.cell(r, c).text = cell
                table.cell(r, c).width = Inches((6 if self.columns == 1 else 2.8) / len(row))
                self.truth["cell", bare(cell)] += bool(bare(cell))
            self.truth["row", "|".join(map(bare, row))] += 1
        self.out.add_paragraph()

    def _code(self, text: str) -> None:
        from docx.shared import Pt

        for line in text.splitlines():
            paragraph = self.out.add_paragraph()
            run = paragraph.add_run(line)
            run.font.name, run.font.size = "Liberation Mono", Pt(8 if self.columns == 1 else 5)
            paragraph.paragraph_format.space_after = Pt(0)
        self.truth["code", bare(text)] += 1
        self.out.add_paragraph()

    def _list(self, block: Block, depth: int) -> None:
        for item in block.children:
            own = [child for child in item.children if child.kind == "paragraph"]
            first = shown(own[0].span.of(self.text)) if own else ""
            style = "List Number" if "ordered" in block.attrs else "List Bullet"
            self.out.add_paragraph(first, style=f"{style} {depth + 1}" if depth else style)
            self.truth["item", bare(first)] += bool(bare(first))
            for child in item.children:
                if child.kind == "list":
                    self._list(child, min(depth + 1, 2))


def _element(name: str, **values: str) -> Any:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    found = OxmlElement(name)
    for key, value in values.items():
        found.set(qn(f"w:{key}"), value)
    return found


def _field(paragraph: Any) -> None:
    """Add "Page N" to a footer."""
    paragraph.add_run("Page ")
    code = _element("w:instrText")
    code.text = "PAGE"
    for part in (_element("w:fldChar", fldCharType="begin"), code, _element("w:fldChar", fldCharType="end")):
        paragraph.add_run()._r.append(part)


def read(document: Document) -> Counter[tuple[str, str]]:
    """Return what was read of the PDF, by kind and letters."""
    text = document.text
    found: Counter[tuple[str, str]] = Counter()
    stack = [(block, "") for block in document.blocks]
    while stack:
        block, outer = stack.pop()
        words = bare(block.span.of(text))
        if block.kind == "heading":
            found["heading", bare(block.attrs["text"])] += 1
        elif block.kind == "table":
            for row in (row for row in block.children if row.children):
                cells = [bare(cell.span.of(text)) for cell in row.children]
                found.update(("cell", cell) for cell in cells if cell)
                found["row", "|".join(cells)] += 1
        elif block.kind == "code":
            found["code", bare(block.content.of(text) if block.content else "")] += 1
        elif block.kind == "paragraph" and words:
            found["item" if outer == "list_item" else "paragraph", words] += 1
        stack.extend((child, block.kind) for child in block.children)
    return found


def main() -> None:
    """Write, set, read and count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--soffice", default="soffice")
    parser.add_argument("--columns", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="folder for the files")
    options = parser.parse_args()
    folder = options.keep or Path(tempfile.mkdtemp())
    folder.mkdir(exist_ok=True)
    truths = {}
    for page in options.pages:
        made = folder / f"{page.stem}-{options.columns}.docx"
        document = parse(page.read_bytes(), uri=page.name)
        maker = Maker(document.text, options.columns)
        for block in document.blocks:
            maker.put(block)
        maker.out.save(str(made))
        truths[made] = maker.truth
    command = [
        options.soffice,
        "--headless",
        "--convert-to",
        f"pdf:writer_pdf_Export:{_OPTIONS}",
        "--outdir",
        str(folder),
    ]
    subprocess.run([*command, *map(str, truths)], check=True, capture_output=True)
    total: Counter[str] = Counter()
    seconds = 0.0
    for made, truth in truths.items():
        data = made.with_suffix(".pdf").read_bytes()
        start = time.process_time()
        document = parse_pdf(data, Source(uri=made.name, media_type="application/pdf", sha256=""), outline=False)
        seconds += time.process_time() - start
        found = read(document)
        own: Counter[str] = Counter()
        for (kind, letters), count in truth.items():
            own[f"{kind}s"] += count
            own[f"{kind}s right"] += min(count, found[kind, letters])
        own["headings given"] = sum(count for (kind, _), count in found.items() if kind == "heading")
        own["pages"] = max((block.page or 1 for block in document.blocks), default=1)
        own["pages leaked"] = document.text.count(HEADER) + len(re.findall(r"(?m)^Page \d+$", document.text))
        total.update(own)
        print(made.stem, {k: v for k, v in own.items() if v})
        missed = [f"{k}:{w[:60]}" for (k, w), n in truth.items() if k != "row" and found[k, w] < n]
        print("    ", missed[:6])
    print("together", dict(total), f"{total['pages'] / max(seconds, 1e-9):.1f} pages/s")


if __name__ == "__main__":
    main()
