"""PDF files for tests, drawn with reportlab: every file is written by the test that reads it."""

from __future__ import annotations

import io
from collections.abc import Callable

from reportlab.pdfgen.canvas import Canvas

from withgrain.model import Document
from withgrain.parse import parse

WIDTH, HEIGHT = 595, 842
Draw = Callable[[Canvas], None]


def pdf(*pages: Draw, **options: object) -> bytes:
    """Return a PDF with these pages; y grows upwards, as reportlab has it."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(WIDTH, HEIGHT), invariant=1, **options)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def read(*pages: Draw, **options: object) -> Document:
    return parse(pdf(*pages, **options), uri="made.pdf")


def lines(canvas: Canvas, texts: list[str], *, x: float = 60, y: float = 700, font: str = "Helvetica", size: float = 11,
          leading: float = 14) -> float:  # fmt: skip
    """Draw lines under each other; return the y below the last one."""
    canvas.setFont(font, size)
    for text in texts:
        canvas.drawString(x, y, text)
        y -= leading
    return y


def kinds(document: Document) -> list[str]:
    return [b.kind for b in document.blocks if b.kind != "blank"]
