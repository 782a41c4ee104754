"""What a PDF holds beside the content of its pages: values of forms, comments, attached files. Talks to PDFium.

A value that was filled into a form, or a text that was typed onto a page, is drawn over the page and no part of it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

#: Annotations of a page and names of attached files beyond these numbers are not looked at; comments end so far.
MAX_ANNOTATIONS = 5_000
MAX_NAMES = 20
_LONGEST = 20_000


def load_page(document: Any, index: int) -> tuple[Any, tuple[str, ...]]:
    """Return a page with what was filled into its fields and typed onto it as part of its content; and its comments.

    Comments are what people noted: sticky notes, remarks on highlighted or struck out text.
    """
    from pypdfium2 import raw

    page = document[index]
    found = list(_annotations(page, raw))
    if not document.formenv and any(kind == raw.FPDF_ANNOT_WIDGET and not looks for kind, _, looks in found):
        page.close()  # fields whose look no program has stored get one; for all others that would only cost time
        document.init_forms()
        page = document[index]
    drawn = {raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_FREETEXT}
    apart = drawn | {raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP}
    comments = tuple(text for kind, text, _ in found if text and kind not in apart)
    if drawn.isdisjoint(kind for kind, _, _ in found):
        return page, comments
    if raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY) == raw.FLATTEN_SUCCESS:
        page.close()
        page = document[index]
    return page, comments


def attached(document: Any) -> tuple[int, list[str]]:
    """Return how many files are attached, and the names of the first."""
    import pypdfium2

    count = max(0, document.count_attachments())
    try:
        return count, [document.get_attachment(n).get_name() for n in range(min(count, MAX_NAMES))]
    except (pypdfium2.PdfiumError, UnicodeDecodeError):
        return count, []


def _annotations(page: Any, raw: Any) -> Iterator[tuple[int, str, bool]]:
    """Yield kind and text of each annotation, and whether it has a look of its own."""
    for index in range(min(max(0, raw.FPDFPage_GetAnnotCount(page)), MAX_ANNOTATIONS)):
        annotation = raw.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        try:
            looks = raw.FPDFAnnot_GetAP(annotation, raw.FPDF_ANNOT_APPEARANCEMODE_NORMAL, None, 0) > 2
            yield raw.FPDFAnnot_GetSubtype(annotation), _contents(annotation, raw), looks
        finally:
            raw.FPDFPage_CloseAnnot(annotation)


def _contents(annotation: Any, raw: Any) -> str:
    length = min(raw.FPDFAnnot_GetStringValue(annotation, b"Contents", None, 0), _LONGEST)
    if length <= 2:  # only the terminator
        return ""
    buffer = ctypes.create_string_buffer(length + 2)
    written = raw.FPDFAnnot_GetStringValue(
        annotation, b"Contents", ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), length
    )
    if written > length:  # nothing is written where the room is too small
        return "…"
    return " ".join(buffer.raw[:length].decode("utf-16-le", "replace").partition("\x00")[0].split())
