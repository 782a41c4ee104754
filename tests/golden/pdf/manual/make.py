"""A manual: running lines, headings of three levels, a list, a ruled table over two pages, code, a footnote."""

from __future__ import annotations

from reportlab.lib import colors
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table

from tests.unit.parse.made_pdf import lines, pdf


def make() -> bytes:
    """Return the file."""
    return pdf(_first, _second, _third)


def _frame(canvas: Canvas, page: int) -> None:
    canvas.setFont("Helvetica", 8)
    canvas.drawString(60, 805, "Harbour handbook, edition 4")
    canvas.drawString(280, 30, f"Page {page} of 3")


def _head(canvas: Canvas, text: str, y: float, size: float) -> None:
    canvas.setFont("Helvetica-Bold", size)
    canvas.drawString(60, y, text)


def _grid(canvas: Canvas, rows: list[list[str]], top: float) -> None:
    table = Table(rows, colWidths=[90, 120, 200], rowHeights=22)
    table.setStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")])
    _, high = table.wrapOn(canvas, 500, 500)
    table.drawOn(canvas, 60, top - high)


def _first(canvas: Canvas) -> None:
    _frame(canvas, 1)
    _head(canvas, "Harbour handbook", 760, 22)
    _head(canvas, "1 Arrival", 715, 15)
    lines(canvas, [
        "A ship that wants a berth calls the harbour office on channel 12. The office answers within five",
        "minutes and names the berth, the pilot and the time. Ships longer than ninety metres take a harbour-",
        "side tug as well, and the master signs for it before the ship is moved in any way.",
    ], y=690)  # fmt: skip
    _head(canvas, "1.1 Before the pilot boards", 625, 12)
    lines(canvas, ["• Rig the ladder on the lee side.", "• Hoist flag G.", "• Report the draught:"], y=605)
    lines(canvas, ["– forward,", "– aft."], x=80, y=563)
    _head(canvas, "1.2 Berths", 515, 12)
    lines(canvas, ["Table 1: Depth of the berths"], y=495)
    rows = [["Berth", "Depth in metres", "Remarks"]]
    rows += [[f"N{n}", f"{7 + n / 2}", f"Bollards {3 * n} to {3 * n + 2}"] for n in range(1, 19)]
    _grid(canvas, rows, 485)


def _second(canvas: Canvas) -> None:
    _frame(canvas, 2)
    rows = [["Berth", "Depth in metres", "Remarks"]]
    rows += [[f"S{n}", f"{5 + n / 2}", f"Bollards {60 + n}"] for n in range(1, 4)]
    _grid(canvas, rows, 760)
    _head(canvas, "2 Telegrams", 640, 15)
    y = lines(canvas, ["The lock understands the telegrams of the following kind."], y=615)
    lines(canvas, ["lock open --chamber 2", "    --level high"], y=y - 6, font="Courier", size=10, leading=12)
    lines(canvas, ["It answers in the same second"], y=545)
    canvas.setFont("Helvetica", 7)
    canvas.drawString(212, 549, "1")
    lines(canvas, [", or not at all."], x=216, y=545)
    canvas.setFont("Helvetica", 8)
    canvas.drawString(60, 90, "1 Measured at the gate, not at the office.")


def _third(canvas: Canvas) -> None:
    _frame(canvas, 3)
    _head(canvas, "3 Departure", 760, 15)
    lines(canvas, [
        "The berth is paid before the lines are cast off. The office sends the bill to the agent, who has thirty",
        "days for it.",
    ], y=735)  # fmt: skip
