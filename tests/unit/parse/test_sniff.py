"""Type by content, not by name alone: what is disguised is read as what it is, or refused with the reason."""

from __future__ import annotations

import pytest

from tests.hostile.inputs import docx, one_page, xlsx
from tests.unit.parse.made_pdf import lines, pdf
from withgrain.errors import DocumentError
from withgrain.parse import media_type_for, parse
from withgrain.parse.sniff import BINARY, HTML, PDF, ZIP, sniff

PAGE = b"\xef\xbb\xbf\n<!-- mine -->\n<!DOCTYPE html><html><body><h1>Title</h1><p>Words of a page.</p></body></html>"
WORDS = "<w:p><w:r><w:t>Words of a letter.</w:t></w:r></w:p>"
CELLS = '<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Words in a cell</t></is></c></row></sheetData>'


@pytest.mark.parametrize(
    ("name", "data", "kind", "words"),
    [
        ("a.md", pdf(lambda c: lines(c, ["Words of a PDF."])), "pdf", "Words of a PDF."),
        ("a.html", pdf(lambda c: lines(c, ["Words of a PDF."])), "pdf", "Words of a PDF."),
        ("a.txt", PAGE, "html", "# Title"),
        ("a.docx", PAGE, "html", "Words of a page."),
        ("a.md", docx(WORDS), "wordprocessingml", "Words of a letter."),
        ("a.pdf", docx(WORDS), "wordprocessingml", "Words of a letter."),
        ("a.docx", xlsx(CELLS), "spreadsheetml", "Words in a cell"),
    ],
)
def test_a_disguised_document_is_read_as_what_it_is(name: str, data: bytes, kind: str, words: str) -> None:
    document = parse(data, uri=name)
    assert kind in document.source.media_type
    assert words in document.text
    assert [n.kind for n in document.notices][-1] == "disguised"


def test_another_archive_that_is_called_docx_is_refused() -> None:
    import io
    import zipfile

    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("a.md", "x")
    with pytest.raises(DocumentError, match="another zip archive, or damaged") as caught:
        parse(held.getvalue(), uri="a.docx")
    assert caught.value.kind == "disguised"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (b"# About %PDF- headers\n", None),
        (b"A page begins with <html>.\n", None),
        (b"<htmlx>", None),
        (b" \n<HTML lang=en>", HTML),
        (b"\x00\x00junk%PDF-1.7", PDF),
        (b"PK\x03\x04", ZIP),
        (b"\x89PNG\r\n\x1a\n", BINARY),
        (b"", None),
        (b"<!--" * 1_000, None),
    ],
)
def test_the_first_bytes_say_what_a_file_is(text: bytes, kind: str | None) -> None:
    assert sniff(text) == kind


def test_a_name_that_is_right_has_no_notice() -> None:
    stream = b"<</Length 44>>stream\nBT /F 12 Tf 50 700 Td (Some words) Tj ET    \nendstream"
    assert not parse(one_page(stream), uri="a.pdf").notices
    assert "disguised" not in [n.kind for n in parse(PAGE, uri="a.html").notices]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("#!/bin/sh", "application/x-sh"),
        ("#! /usr/bin/env bash", "application/x-sh"),
        ("#!/usr/bin/python3.11 -u", "text/x-python"),
        ("#!/usr/bin/env -S python3 -I", "text/x-python"),
        ("#!/usr/bin/env LANG=C node", "text/javascript"),
        ("#!/usr/bin/perl", None),
        ("#!/usr/bin/pythonic", None),
        ("# not a script", None),
        ("#!", None),
    ],
)
def test_a_script_without_a_suffix_is_known_by_its_first_line(line: str, kind: str | None) -> None:
    """Scripts without a suffix are read by their interpreter; a suffix that says nothing is not looked behind."""
    head = f"{line}\nexit\n".encode()
    assert media_type_for("bin/deploy", head) == kind
    assert media_type_for("bin/deploy.xyz", head) is None
    if kind is not None:
        assert parse(head, uri="bin/deploy").source.media_type == kind
