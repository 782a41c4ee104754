"""Talks to PDFium, as `beside` and `drawn` do and no other file: bytes to `Page` and `Bookmark` values.

PDFium is C++ and documents are hostile: this runs inside a limited child process when a collection is made
(`withgrain.ingest`). Every count that a file can blow up is bounded here.
"""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from withgrain.errors import DocumentError, MissingExtra
from withgrain.parse.pdf.beside import load_page
from withgrain.parse.pdf.drawn import MAX_OBJECTS, drawn, fills
from withgrain.parse.pdf.page import Bookmark, Face, Page, Word

#: Pages, characters of a page, bookmarks: more is refused or left out.
MAX_PAGES = 10_000
MAX_CHARACTERS = 400_000
MAX_BOOKMARKS = 20_000

_MONO = re.compile(r"mono|courier|consol|typewriter|cmtt|sftt|menlo|code(?!c)|fixed", re.IGNORECASE)
_BOLD = re.compile(r"bold|black|heavy|semibold|demi|cmbx|sfbx|(?:^|[-+])\w*bx\d", re.IGNORECASE)
_ITALIC = re.compile(r"ital|obli|cmti|sfti", re.IGNORECASE)
_FIXED_PITCH, _ITALIC_FLAG, _FORCE_BOLD = 1, 64, 1 << 18
_FILLED, _INVISIBLE = 0, 3
_ERRORS = {1: "damaged", 2: "unreadable", 3: "damaged", 4: "encrypted", 5: "encrypted"}


def open_pdf(data: bytes, password: str | None = None) -> Any:
    """Open a file.

    Raises:
        DocumentError: It is encrypted, damaged or has no page.
        MissingExtra: pypdfium2 is not installed.
    """
    try:
        import pypdfium2
    except ImportError:
        raise MissingExtra("pdf", need="PDF files") from None
    try:
        document = pypdfium2.PdfDocument(data, password=password)
        pages = len(document)
    except pypdfium2.PdfiumError as error:
        code = getattr(error, "err_code", 0)
        if _ERRORS.get(code) == "encrypted":
            hint = "the password does not open it" if password else "it needs a password"
            raise DocumentError(f"The PDF is encrypted and {hint}.", kind="encrypted") from None
        raise DocumentError("The PDF is damaged: PDFium cannot open it.", kind="damaged") from None
    if not pages:
        raise DocumentError("The PDF has no page, or is damaged.", kind="damaged")
    if pages > MAX_PAGES:
        raise DocumentError(f"The PDF has {pages:,} pages; at most {MAX_PAGES:,} are read.", kind="too_large")
    return document


def read_pages(document: Any) -> Iterator[Page]:
    """Yield the pages, one at a time. A page that PDFium cannot load is yielded without words."""
    import pypdfium2

    for index in range(len(document)):
        try:
            label = document.get_page_label(index)
            page, comments = load_page(document, index)
        except (pypdfium2.PdfiumError, UnicodeDecodeError):
            yield Page(index + 1, "", 0.0, 0.0, ())
            continue
        try:
            yield replace(_page(page, index + 1, label), comments=comments)
        finally:
            page.close()


def read_bookmarks(document: Any) -> list[Bookmark]:
    """Return the outline in order, without entries that point nowhere."""
    import pypdfium2
    from pypdfium2 import raw

    found: list[Bookmark] = []
    try:
        for entry in document.get_toc(max_depth=8):
            if len(found) >= MAX_BOOKMARKS:
                break
            target = entry.get_dest()
            page = target.get_index() if target else None
            title = " ".join(entry.get_title().split())
            if page is None or not title:
                continue
            mode, view = target.get_view()
            y = None
            if mode == raw.PDFDEST_VIEW_XYZ and len(view) > 1:
                y = view[1]
            elif mode in (raw.PDFDEST_VIEW_FITH, raw.PDFDEST_VIEW_FITBH) and view:
                y = view[0]
            height = document.get_page_size(page)[1]
            found.append(Bookmark(title, entry.level + 1, page + 1, None if y is None else height - y))
    except (pypdfium2.PdfiumError, UnicodeDecodeError, ValueError):
        return found
    return found


class _Place:
    """From PDF coordinates to those of the reader: origin at the top left, text turned upright."""

    def __init__(self, box: tuple[float, float, float, float], turn: int) -> None:
        self.left, self.bottom, self.right, self.top = box
        self.turn = turn  # quarter turns, anticlockwise, by which text stands on the page

    @property
    def size(self) -> tuple[float, float]:
        width, height = self.right - self.left, self.top - self.bottom
        return (height, width) if self.turn % 2 else (width, height)

    def point(self, x: float, y: float) -> tuple[float, float]:
        if self.turn == 1:
            return y - self.bottom, x - self.left
        if self.turn == 2:
            return self.right - x, y - self.bottom
        if self.turn == 3:
            return self.top - y, self.right - x
        return x - self.left, self.top - y


def _page(page: Any, number: int, label: str) -> Page:

    text = page.get_textpage()
    try:
        glyphs = _Glyphs(page, text)
        raw_words = list(glyphs.words())
    finally:
        text.close()
    turns: dict[int, int] = {}
    for _, turn, _, _ in raw_words:
        turns[turn] = turns.get(turn, 0) + 1
    turn = max(turns, key=lambda t: (turns[t], -t), default=0)
    place = _Place(page.get_cropbox(fallback_ok=True), turn)
    words = []
    for word, own, box, face in raw_words:
        if own == turn:
            (x0, base), (x1, _) = place.point(box[0], box[1]), place.point(box[2], box[3])
            words.append(Word(word, min(x0, x1), max(x0, x1), base, face))
    sideways = [(word, box, face) for word, own, box, face in raw_words if own != turn]
    words.extend(_aside(sideways, place))
    rules, images = drawn(page, place.point)
    width, height = place.size
    return Page(number, label or "", width, height, _raised(words), tuple(rules), images)


def _aside(sideways: list[tuple[str, tuple[float, float, float, float], Face]], place: _Place) -> Iterator[Word]:
    """Yield words that stand across the page's reading direction: below everything, in the order of the file."""
    _, height = place.size
    x = 0.0
    for word, _, face in sideways:
        wide = face.size * 0.5 * len(word)
        yield Word(word, x, x + wide, height * 2, face)
        x += wide + face.size * 0.3


class _Glyphs:
    """The text of a page, glyph by glyph, as words."""

    def __init__(self, page: Any, text: Any) -> None:
        from pypdfium2 import raw

        self._raw = raw
        self._page = page
        self._text = text
        self._count = min(text.count_chars(), MAX_CHARACTERS)
        self._faces: dict[int, tuple[Face, int]] = {}
        self._filled: bool | None = None
        self._d = [ctypes.c_double() for _ in range(4)]
        self._matrix = raw.FS_MATRIX()
        self._tags = _tags(page, raw)

    def words(self) -> Iterator[tuple[str, int, tuple[float, float, float, float], Face]]:
        """Yield (text, quarter turns, (x0, base, x1, base), face) in the order of the file."""
        raw, text, count = self._raw, self._text, self._count
        signs = [raw.FPDFText_GetUnicode(text, i) for i in range(count)]
        start = -1
        for i in range(count + 1):
            code = signs[i] if i < count else 32
            blank = (code <= 32 and code != 2) or code in (0xA0, 0xFFFF, 0x3000)
            if not blank:
                if start < 0:
                    start = i
                continue
            if start >= 0:
                yield from self._runs(start, i, signs)
                start = -1

    def _runs(
        self, start: int, stop: int, signs: list[int]
    ) -> Iterator[tuple[str, int, tuple[float, float, float, float], Face]]:
        """Cut a word where its face or base line changes: a footnote mark, a bold half."""
        raw, text = self._raw, self._text
        first = self._object(start)
        if stop - start == 1 or self._object(stop - 1) == first:
            yield self._word(start, stop, signs, first)
            return
        begin, current = start, first
        for i in range(start + 1, stop + 1):
            now = self._object(i) if i < stop else 0
            if i < stop and (now == current or self._same(current, now, i)):
                current = now
                continue
            yield self._word(begin, i, signs, self._object(begin))
            begin, current = i, now
        del raw, text

    def _same(self, before: int, now: int, index: int) -> bool:
        left, right = self._face(before, index - 1), self._face(now, index)
        if left != right:
            return False
        return abs(self._origin(index - 1)[1] - self._origin(index)[1]) < 0.2 * max(left[0].size, 1.0)

    def _object(self, index: int) -> int:
        found = self._raw.FPDFText_GetTextObject(self._text, index)
        return ctypes.cast(found, ctypes.c_void_p).value or 0

    def _origin(self, index: int) -> tuple[float, float]:
        x, y = self._d[:2]
        self._raw.FPDFText_GetCharOrigin(self._text, index, x, y)
        return x.value, y.value

    def _word(
        self, start: int, stop: int, signs: list[int], key: int
    ) -> tuple[str, int, tuple[float, float, float, float], Face]:
        raw, text = self._raw, self._text
        face, turn = self._face(key, start)
        x, y = self._origin(start)
        left, right, bottom, top = self._d
        raw.FPDFText_GetCharBox(text, start, left, right, bottom, top)
        a = (left.value, bottom.value, right.value, top.value)
        raw.FPDFText_GetCharBox(text, stop - 1, left, right, bottom, top)
        b = (left.value, bottom.value, right.value, top.value)
        if turn % 2:
            low, high = min(a[1], b[1]), max(a[3], b[3])
            box = (x, low, x, high)
        else:
            box = (min(a[0], b[0]), y, max(a[2], b[2]), y)
        word = "".join([chr(c) if c not in (2, 0xFFFE) else "-" for c in signs[start:stop] if c])
        return word, turn, box, face

    def _face(self, key: int, index: int) -> tuple[Face, int]:
        found = self._faces.get(key)
        if found is None:
            found = self._faces[key] = self._read_face(key, index)
        return found

    def _read_face(self, key: int, index: int) -> tuple[Face, int]:
        raw, text = self._raw, self._text
        raw.FPDFText_GetMatrix(text, index, self._matrix)
        m = self._matrix
        scale = math.hypot(m.c, m.d) or 1.0
        size = raw.FPDFText_GetFontSize(text, index) * scale
        turn = round(math.atan2(m.b, m.a) / (math.pi / 2)) % 4
        flags = ctypes.c_int()
        length = raw.FPDFText_GetFontInfo(text, index, None, 0, flags)
        buffer = ctypes.create_string_buffer(max(1, min(length, 512)))
        raw.FPDFText_GetFontInfo(text, index, buffer, len(buffer), flags)
        name = buffer.value.decode("utf-8", "replace").rpartition("+")[2]
        weight = raw.FPDFText_GetFontWeight(text, index)
        hidden = False
        tag = ""
        if key:
            item = ctypes.cast(key, raw.FPDF_PAGEOBJECT)
            mode = raw.FPDFTextObj_GetTextRenderMode(item)
            hidden = mode == _INVISIBLE or (mode == _FILLED and self._is_paper(item))
            if self._tags:
                tag = self._tags.get(raw.FPDFPageObj_GetMarkedContentID(item), "")
        face = Face(
            size=round(size, 1),
            bold=bool(_BOLD.search(name)) or bool(flags.value & _FORCE_BOLD) or weight >= 600,
            italic=bool(_ITALIC.search(name)) or bool(flags.value & _ITALIC_FLAG),
            mono=bool(_MONO.search(name)) or bool(flags.value & _FIXED_PITCH),
            hidden=hidden,
            tag=tag,
        )
        return face, turn

    def _is_paper(self, item: Any) -> bool:
        """Return whether a text has the colour of what is behind it: no ink, or white where the page fills nothing."""
        raw = self._raw
        colour = [ctypes.c_uint() for _ in range(4)]
        if not raw.FPDFPageObj_GetFillColor(item, *colour):
            return False
        *rgb, alpha = (part.value for part in colour)
        if alpha and min(rgb) == 255 and self._filled is None:
            self._filled = fills(self._page)
        return not alpha or (min(rgb) == 255 and not self._filled)


def _tags(page: Any, raw: Any) -> dict[int, str]:
    """Return the role of each marked content of a tagged page; headings, cells and items win over what is in them."""
    tree = raw.FPDF_StructTree_GetForPage(page)
    if not tree:
        return {}
    found: dict[int, str] = {}
    try:
        stack = [
            (raw.FPDF_StructTree_GetChildAtIndex(tree, i), "") for i in range(raw.FPDF_StructTree_CountChildren(tree))
        ]
        seen = 0
        while stack and seen < MAX_OBJECTS:
            element, inherited = stack.pop()
            if not element:
                continue
            seen += 1
            own = _text_of(raw.FPDF_StructElement_GetType, element)
            role = own if own in _ROLES else inherited or own
            for i in range(max(0, raw.FPDF_StructElement_GetMarkedContentIdCount(element))):
                identity = raw.FPDF_StructElement_GetMarkedContentIdAtIndex(element, i)
                if identity >= 0:
                    found[identity] = role
            for i in range(max(0, raw.FPDF_StructElement_CountChildren(element))):
                child = raw.FPDF_StructElement_GetChildAtIndex(element, i)
                if child:
                    stack.append((child, role))
                else:
                    identity = raw.FPDF_StructElement_GetChildMarkedContentID(element, i)
                    if identity >= 0:
                        found[identity] = role
    finally:
        raw.FPDF_StructTree_Close(tree)
    return found


_ROLES = frozenset(
    {"H", "H1", "H2", "H3", "H4", "H5", "H6", "Title", "TH", "TD", "LI", "Lbl", "LBody", "Caption", "Note", "Code"}
)


def _text_of(function: Any, element: Any) -> str:
    length = function(element, None, 0)
    if length <= 2:  # only the terminator
        return ""
    buffer = ctypes.create_string_buffer(min(length, 1024))
    function(element, buffer, len(buffer))
    return buffer.raw.decode("utf-16-le", "replace").partition("\x00")[0]


def _raised(words: list[Word]) -> tuple[Word, ...]:
    """Mark footnote marks: smaller than their neighbour and above its base line, which they are set down on."""
    out: list[Word] = []
    for index, word in enumerate(words):
        behind = words[index + 1] if index + 1 < len(words) else None
        if out and _lifted(word, out[-1], word.x0 - out[-1].x1, 0.5):
            out.append(_mark(word, out[-1].base))
        elif behind is not None and _lifted(word, behind, behind.x0 - word.x1, 0.5):
            out.append(_mark(word, behind.base))
        else:
            out.append(word)
    return tuple(out)


def _mark(word: Word, base: float) -> Word:
    text = unicodedata.normalize("NFKC", word.text)
    return Word(text, word.x0, word.x1, base, word.face, raised=True)


def _lifted(word: Word, neighbour: Word, gap: float, room: float) -> bool:
    size = neighbour.face.size
    lift = neighbour.base - word.base
    return word.face.size < 0.85 * size and -1.0 < gap < room * size and 0.15 * size < lift < 0.8 * size
