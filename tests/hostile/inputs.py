"""Hostile documents, each made here: every one must be refused or read within the limits of a document.

A maker gets a `Scene`: whether full size is wanted, and where a parser would read or connect to if it did what it must
not do. What it returns are the bytes of the file that its name says.
"""

from __future__ import annotations

import io
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

Maker = Callable[["Scene"], bytes]

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PRESENTATION = "http://schemas.openxmlformats.org/presentationml/2006/main"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Attributes: ``full`` size or small; a ``url`` that listens; a ``secret`` file, and its content."""

    full: bool
    url: str
    secret: str

    def many(self, full: int, small: int) -> int:
        return full if self.full else small


def _packed(parts: Mapping[str, str | bytes | Iterator[bytes]]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in parts.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(info, "w", force_zip64=True) as part:
                for piece in content if isinstance(content, Iterator) else [content]:
                    part.write(piece.encode() if isinstance(piece, str) else piece)
    return held.getvalue()


def _zeros(size: int) -> Iterator[bytes]:
    piece = bytes(1 << 20)
    for start in range(0, size, len(piece)):
        yield piece[: size - start]


def _repeated(text: str, times: int, before: str = "", after: str = "") -> Iterator[bytes]:
    yield before.encode()
    for start in range(0, times, 10_000):
        yield (text * min(10_000, times - start)).encode()
    yield after.encode()


def _relation(target: str) -> str:
    inner = f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="{target}"/>'
    return f'<Relationships xmlns="{_RELATIONS}">{inner}</Relationships>'


def docx(body: str | Iterator[bytes], prolog: str = "") -> bytes:
    main = body if isinstance(body, Iterator) else f"{prolog}<w:document {W}><w:body>{body}</w:body></w:document>"
    return _packed({"_rels/.rels": _relation("word/document.xml"), "word/document.xml": main})


def xlsx(sheet: str, prolog: str = "") -> bytes:
    book = f'<workbook {S} {R}><sheets><sheet name="Data" sheetId="1" r:id="r1"/></sheets></workbook>'
    relation = f'<Relationship Id="r1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    return _packed(
        {
            "_rels/.rels": _relation("xl/workbook.xml"),
            "xl/workbook.xml": book,
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_RELATIONS}">{relation}</Relationships>',
            "xl/worksheets/sheet1.xml": f"{prolog}<worksheet {S}>{sheet}</worksheet>",
        }
    )


def pptx(text: str, prolog: str = "") -> bytes:
    names = f'xmlns:p="{_PRESENTATION}" xmlns:a="{_DRAWING}" {R}'
    shape = f"<p:sp><p:nvSpPr/><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
    relation = f'<Relationship Id="r1" Type="{_OFFICE}/slide" Target="slides/slide1.xml"/>'
    return _packed(
        {
            "_rels/.rels": _relation("ppt/presentation.xml"),
            "ppt/presentation.xml": f"<p:presentation {names}><p:sldIdLst><p:sldId r:id='r1'/></p:sldIdLst>"
            "</p:presentation>",
            "ppt/_rels/presentation.xml.rels": f'<Relationships xmlns="{_RELATIONS}">{relation}</Relationships>',
            "ppt/slides/slide1.xml": f"{prolog}<p:sld {names}><p:cSld><p:spTree>{shape}</p:spTree></p:cSld></p:sld>",
        }
    )


def _laughs(root: str = "x") -> str:
    lines = [f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10)]
    return f'<?xml version="1.0"?><!DOCTYPE {root} [<!ENTITY l0 "lol">{"".join(lines)}]>'


def _outside(scene: Scene, root: str = "x") -> str:
    return (
        f'<?xml version="1.0"?><!DOCTYPE {root} SYSTEM "{scene.url}/x.dtd" ['
        f'<!ENTITY e SYSTEM "file://{scene.secret}"><!ENTITY n SYSTEM "{scene.url}/x.txt">'
        f'<!ENTITY % p SYSTEM "{scene.url}/p.dtd"> %p;]>'
    )


def _paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def _nested_docx_tables(depth: int) -> str:
    return "<w:tbl><w:tr><w:tc>" * depth + _paragraph("deep") + "</w:tc></w:tr></w:tbl>" * depth


def _wide_docx(span: int) -> str:
    cell = f'<w:tc><w:tcPr><w:gridSpan w:val="{span}"/></w:tcPr>{_paragraph("wide")}</w:tc>'
    return f"<w:tbl>{f'<w:tr>{cell}</w:tr>' * 50}</w:tbl>"


def _cell(place: str, text: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


def _far_cell(_: Scene) -> bytes:
    first = f'<row r="1">{_cell("A1", "near")}</row>'
    return xlsx(f'<sheetData>{first}<row r="1048576">{_cell("XFD1048576", "far")}</row></sheetData>')


def _far_merge(_: Scene) -> bytes:
    rows = f'<sheetData><row r="1">{_cell("A1", "near")}</row></sheetData>'
    return xlsx(rows + "<mergeCells>" + '<mergeCell ref="A1:XFD1048576"/>' * 1_000 + "</mergeCells>")


def pdf(objects: list[bytes], root: int = 1) -> bytes:
    """Return a PDF of these objects, numbered from 1, with a right cross-reference table."""
    out, places = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    return bytes(out) + b"trailer<</Size %d/Root %d 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, root, start)


def _stream(pieces: Iterator[bytes], entries: bytes = b"") -> bytes:
    packer = zlib.compressobj(1)
    data = b"".join([*(packer.compress(piece) for piece in pieces), packer.flush()])
    return b"<</Length %d/Filter/FlateDecode%s>>stream\n%s\nendstream" % (len(data), entries, data)


def one_page(contents: bytes, resources: bytes = b"/Font<</F 5 0 R>>", *more: bytes) -> bytes:
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<<%s>>>>" % resources
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    pages = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
    return pdf([b"<</Type/Catalog/Pages 2 0 R>>", pages, page, contents, font, *more])


def _page_loop(_: Scene) -> bytes:
    loop = b"<</Type/Pages/Kids[2 0 R 3 0 R 2 0 R]/Count 1000000/Parent 3 0 R>>"
    other = b"<</Type/Pages/Kids[3 0 R 2 0 R]/Count 1000000/Parent 2 0 R>>"
    return pdf([b"<</Type/Catalog/Pages 2 0 R>>", loop, other])


def _outline_loop(scene: Scene) -> bytes:
    whole = one_page(_stream(iter([b"BT /F 12 Tf 50 700 Td (Words) Tj ET"])))
    item = b"<</Title(Loop)/Parent 7 0 R/Next 6 0 R/Prev 6 0 R/First 6 0 R/Last 6 0 R/Count 1/Dest[3 0 R/Fit]>>"
    parts = whole.split(b"\nendobj\n")[:5]
    objects = [part.partition(b" obj\n")[2] for part in parts]
    objects[0] = b"<</Type/Catalog/Pages 2 0 R/Outlines 7 0 R>>"
    return pdf([*objects, item, b"<</Type/Outlines/First 6 0 R/Last 6 0 R/Count 1>>"])


def _glyphs(scene: Scene) -> bytes:
    line = "(" + "x" * 1_000 + ") Tj 0 0 Td\n"
    times = scene.many(10_000_000, 100_000) // 1_000
    return one_page(_stream(_repeated(line, times, "BT /F 12 Tf 50 700 Td\n", "ET")))


def _picture(scene: Scene) -> bytes:
    side = scene.many(60_000, 6_000)
    entries = b"/Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceGray/BitsPerComponent 1" % (side, side)
    words = b"q 500 0 0 500 0 0 cm /I Do Q BT /F 12 Tf 50 700 Td (Words beside a picture) Tj ET"
    image = _stream(_zeros(side * side // 8), entries)
    return one_page(_stream(iter([words])), b"/Font<</F 5 0 R>>/XObject<</I 6 0 R>>", image)


def _png(_: Scene) -> bytes:
    head = b"IHDR" + (60_000).to_bytes(4) * 2 + b"\x08\x02\x00\x00\x00"
    return b"\x89PNG\r\n\x1a\n" + (13).to_bytes(4) + head + zlib.crc32(head).to_bytes(4)


def _tar(scene: Scene) -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as archive:
        for name in ("../../up.md", "/absolute.md", "fine.md"):
            info = tarfile.TarInfo(name)
            info.size = 6
            archive.addfile(info, io.BytesIO(b"Words\n"))
        for name, kind in (("soft.md", tarfile.SYMTYPE), ("hard.md", tarfile.LNKTYPE), ("disk.md", tarfile.BLKTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, scene.secret
            archive.addfile(info)
    return held.getvalue()


def _tgz_bomb(scene: Scene) -> bytes:
    packer = zlib.compressobj(1, wbits=31)
    pieces = [packer.compress(piece) for piece in _zeros(scene.many(1 << 30, 32 << 20))]
    return b"".join([*pieces, packer.flush()])


def _rst(scene: Scene) -> bytes:
    return (
        f"Title\n=====\n\nWords.\n\n.. include:: {scene.secret}\n\n.. raw:: html\n   :file: {scene.secret}\n\n"
        f".. raw:: html\n   :url: {scene.url}/raw\n\n.. csv-table::\n   :file: {scene.secret}\n\n"
        f".. literalinclude:: {scene.secret}\n\n.. image:: {scene.url}/i.png\n"
    ).encode()


def _yaml_bomb(_: Scene) -> bytes:
    lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    return ("\n".join(lines) + "\n").encode()


def _mail_flat(_: Scene) -> bytes:
    head = 'Subject: Parts\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n'
    return (head + "--b\nContent-Type: text/plain\n\nWords\n" * 3_000 + "--b--\n").encode()


def _mail_deep(_: Scene) -> bytes:
    head = "Subject: Deep\nMIME-Version: 1.0\n"
    parts = "".join(f'Content-Type: multipart/mixed; boundary="b{n}"\n\n--b{n}\n' for n in range(3_000))
    return (head + parts + "Content-Type: text/plain\n\nWords\n").encode()


def _csv(scene: Scene) -> bytes:
    return b'name,value\na,"' + b"x, y\n" * (scene.many(50_000_000, 1_000_000) // 5)


def _page(body: str) -> bytes:
    return f"<!doctype html><html><body><main><h1>Page</h1>{body}</main></body></html>".encode()


def _html_outside(scene: Scene) -> bytes:
    head = f'<link rel="stylesheet" href="{scene.url}/a.css"><script src="{scene.url}/a.js"></script>'
    body = f'<img src="{scene.url}/i.png"><iframe src="file://{scene.secret}"></iframe><object data="{scene.url}/o">'
    return _outside(scene, "html").encode() + f"<html><head>{head}</head><body><p>Words &e; &n;</p>{body}".encode()


MAKERS: dict[str, Maker] = {
    "zeros.docx": lambda s: docx(_zeros(s.many(1 << 30, 100_000_000))),
    "paragraphs.docx": lambda s: docx(
        _repeated("<w:p/>", s.many(4_000_000, 3_100_000), f"<w:document {W}><w:body>", "</w:body></w:document>")
    ),
    "full-paragraphs.docx": lambda s: docx(
        _repeated(_paragraph("a"), s.many(4_000_000, 600_000), f"<w:document {W}><w:body>", "</w:body></w:document>")
    ),
    "zeros.zip": lambda s: _packed({"zeros.txt": _zeros(s.many(1 << 30, 80_000_000)), "fine.md": "Words\n"}),
    "zeros.tgz": _tgz_bomb,
    "escape.tar": _tar,
    "escape.zip": lambda s: _packed({"../../up.md": "x", "/abs.md": "x", "..\\w.md": "x", "fine.md": "Words in\n"}),
    "laughs.docx": lambda s: docx(_paragraph("&l9;"), _laughs("w:document")),
    "laughs.xlsx": lambda s: xlsx(f'<sheetData><row r="1">{_cell("A1", "&l9;")}</row></sheetData>', _laughs()),
    "laughs.pptx": lambda s: pptx("&l9;", _laughs()),
    "laughs.html": lambda s: _laughs("html").encode() + _page("<p>&l9;</p>"),
    "outside.docx": lambda s: docx(_paragraph("&e;&n;"), _outside(s)),
    "outside.xlsx": lambda s: xlsx(f'<sheetData><row r="1">{_cell("A1", "&e;&n;")}</row></sheetData>', _outside(s)),
    "outside.pptx": lambda s: pptx("&e;&n;", _outside(s)),
    "outside.html": _html_outside,
    "tables.html": lambda s: _page("<table><tr><td>" * 3_000 + "deep" + "</td></tr></table>" * 3_000),
    "tables.docx": lambda s: docx(_nested_docx_tables(3_000)),
    "tables-60.docx": lambda s: docx(_nested_docx_tables(60)),
    "span.docx": lambda s: docx(_wide_docx(1_000_000_000)),
    "span.html": lambda s: _page(
        "<table>" + '<tr><th colspan="1000000000" rowspan="1000000000">wide</th></tr>' * 2_000 + "</table>"
    ),
    "far.xlsx": _far_cell,
    "far-merge.xlsx": _far_merge,
    "divs.html": lambda s: _page("<div>" * 100_000 + "deep"),
    "quotes.html": lambda s: _page("<blockquote><ul><li>" * s.many(33_000, 3_000) + "deep"),
    "brackets.md": lambda s: b"# Page\n\n" + b"[" * s.many(100_000, 20_000) + b"\n",
    "links.md": lambda s: b"# Page\n\n" + b"[a](" * s.many(100_000, 20_000) + b"\n",
    "quotes.md": lambda s: b"# Page\n\n" + b">" * s.many(100_000, 20_000) + b" deep\n",
    "stars.md": lambda s: b"# Page\n\n" + b"*a_ " * s.many(100_000, 20_000) + b"\n",
    "brackets.json": lambda s: b"[" * 100_000,
    "attributes.html": lambda s: _page("<p " + " ".join(f'a{n}="v"' for n in range(20_000)) + ">Words</p>"),
    "attributes.docx": lambda s: docx("<w:p " + " ".join(f'a{n}="v"' for n in range(20_000)) + "/>" + _paragraph("a")),
    "stream.pdf": lambda s: one_page(_stream(_zeros(s.many(2 << 30, 64 << 20)))),
    "page-loop.pdf": _page_loop,
    "outline-loop.pdf": _outline_loop,
    "glyphs.pdf": _glyphs,
    "picture.pdf": _picture,
    "picture.png": _png,
    "include.rst": _rst,
    "aliases.yaml": _yaml_bomb,
    "aliases.md": lambda s: b"---\n" + _yaml_bomb(s) + b"---\n\n# Page\n\nWords.\n",
    "parts.eml": _mail_flat,
    "deep-parts.eml": _mail_deep,
    "quote.csv": _csv,
}

#: Of these not more than their names is known: no format reads them, and they are skipped with a reason.
UNKNOWN = frozenset({"picture.png"})
