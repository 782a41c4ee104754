"""A paper: its title over two columns, a paragraph that goes on in the second one, a table without rules, hyphens."""

from __future__ import annotations

from reportlab.pdfgen.canvas import Canvas

from tests.unit.parse.made_pdf import lines, pdf


def make() -> bytes:
    """Return the file."""
    return pdf(_page)


def _page(canvas: Canvas) -> None:
    canvas.setTitle("Tides at the sill")
    canvas.setAuthor("A. Mole")
    canvas.setFont("Times-Bold", 20)
    canvas.drawCentredString(297, 770, "Tides at the sill of the old lock")
    canvas.setFont("Times-Bold", 13)
    canvas.drawString(60, 720, "1 Method")
    left = [
        "Two gauges were set at the sill, one above",
        "and one below it, and were read every ten",
        "minutes for a year. The readings were com-",
        "pared with the tables of the office. Where",
        "they differ by more than a hand the gauge",
        "was cleaned and the day was taken out of",
        "the count. Of the days that remain nine in",
        "ten are used for the fit and one in ten for",
        "the test. The fit itself is the usual one, and",
        "each of its terms is named in the table on",
    ]
    lines(canvas, left, x=60, y=700, font="Times-Roman")
    right = [
        "the right. No term was added by hand.",
        "The office has the data and gives them to",
        "whoever asks, free of charge and without",
        "a form.",
    ]
    lines(canvas, right, x=315, y=700, font="Times-Roman")
    canvas.setFont("Times-Bold", 13)
    canvas.drawString(315, 625, "2 Results")
    lines(canvas, ["Term", "M2", "S2", "K1"], x=315, y=600, font="Times-Roman")
    lines(canvas, ["Height in cm", "141", "48", "7"], x=400, y=600, font="Times-Roman")
    lines(canvas, ["Delay in min", "12", "19", "3"], x=480, y=600, font="Times-Roman")
