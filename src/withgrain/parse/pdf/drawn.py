"""What a page draws beside its text: lines, boxes, pictures. Talks to PDFium."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

from withgrain.parse.pdf.page import Rule

#: Drawn objects of a page: more are left out.
MAX_OBJECTS = 20_000
#: Segments of what is still a box; how many shapes beyond that make a picture: letters drawn as outlines.
_SHAPE, _SHAPES = 6, 20
_THIN = 3.0

Point = Callable[[float, float], tuple[float, float]]


def drawn(page: Any, point: Point) -> tuple[list[Rule], bool]:
    """Return the straight lines and box edges of a page, and whether it shows pictures.

    Args:
        page: The page.
        point: From coordinates of the file to those of the reader.
    """
    from pypdfium2 import raw

    rules: list[Rule] = []
    images = _pictured(page, raw)
    box = [ctypes.c_float() for _ in range(4)]
    count = min(raw.FPDFPage_CountObjects(page), MAX_OBJECTS)
    for index in range(count):
        item = raw.FPDFPage_GetObject(page, index)
        if raw.FPDFPageObj_GetType(item) != raw.FPDF_PAGEOBJ_PATH or not raw.FPDFPageObj_GetBounds(item, *box):
            continue
        left, bottom, right, top = (b.value for b in box)
        (ax, ay), (bx, by) = point(left, top), point(right, bottom)
        x0, x1, y0, y1 = min(ax, bx), max(ax, bx), min(ay, by), max(ay, by)
        rules.extend(_edges(x0, y0, x1, y1, raw.FPDFPath_CountSegments(item)))
    return rules, images


def _pictured(page: Any, raw: Any) -> bool:
    """Return whether a page, or a form on it, shows an image, or many drawn shapes."""
    stack = [raw.FPDFPage_GetObject(page, n) for n in range(min(raw.FPDFPage_CountObjects(page), MAX_OBJECTS))]
    left, shapes = MAX_OBJECTS, 0
    while stack and left:
        item, left = stack.pop(), left - 1
        kind = raw.FPDFPageObj_GetType(item)
        if kind in (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_SHADING):
            return True
        if kind == raw.FPDF_PAGEOBJ_PATH:
            shapes += raw.FPDFPath_CountSegments(item) > _SHAPE
        elif kind == raw.FPDF_PAGEOBJ_FORM:
            inside = min(max(0, raw.FPDFFormObj_CountObjects(item)), left)
            stack += [raw.FPDFFormObj_GetObject(item, n) for n in range(inside)]
    return shapes >= _SHAPES


def _edges(x0: float, y0: float, x1: float, y1: float, segments: int) -> Iterator[Rule]:
    wide, high = x1 - x0, y1 - y0
    if wide <= _THIN and high <= _THIN:
        return
    if high <= _THIN or wide <= _THIN:
        yield Rule(x0, y0, x1, y1)
    elif segments <= _SHAPE:  # a box; more is a drawing
        yield Rule(x0, y0, x1, y0)
        yield Rule(x0, y1, x1, y1)
        yield Rule(x0, y0, x0, y1)
        yield Rule(x1, y0, x1, y1)


def fills(page: Any) -> bool:
    """Return whether a page shows anything but text and lines, which white text could stand out from."""
    from pypdfium2 import raw

    mode, stroke = ctypes.c_int(), ctypes.c_int()
    for index in range(min(raw.FPDFPage_CountObjects(page), MAX_OBJECTS)):
        item = raw.FPDFPage_GetObject(page, index)
        kind = raw.FPDFPageObj_GetType(item)
        if kind == raw.FPDF_PAGEOBJ_PATH and raw.FPDFPath_GetDrawMode(item, mode, stroke) and not mode.value:
            continue
        if kind != raw.FPDF_PAGEOBJ_TEXT:
            return True
    return False
