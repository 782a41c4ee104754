"""Bytes to canonical text."""

from __future__ import annotations

import pytest

from tests.unit.parse.support import doc
from withgrain.errors import DocumentError
from withgrain.model import Span
from withgrain.parse import decode, parse


def notices(data: bytes) -> list[str]:
    return [notice.kind for notice in decode(data).notices]


@pytest.mark.parametrize(
    ("data", "text", "removed"),
    [
        (b"a\nb", "a\nb", ()),
        (b"a\r\nb\r\n", "a\nb\n", (1, 3)),
        (b"a\rb\r", "a\nb\n", ()),
        (b"a\r\r\nb", "a\n\nb", (2,)),
        (b"a\r\nb\rc\n", "a\nb\nc\n", (1,)),
        (b"\xef\xbb\xbfa", "a", (0,)),
        (b"a\x00\x00b\x00", "ab", (1, 1, 2)),
        (b"\x00\r\x00\nx", "\nx", (0, 0, 0)),
    ],
)
def test_newlines_byte_order_mark_and_nul(data: bytes, text: str, removed: tuple[int, ...]) -> None:
    decoded = decode(data)
    assert (decoded.text, decoded.removed, decoded.notices) == (text, removed, ())


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-8"])
def test_a_byte_order_mark_decides(encoding: str) -> None:
    decoded = decode("\ufeff# Café 🧭\r\n".encode(encoding))
    assert (decoded.text, decoded.removed, decoded.encoding) == ("# Café 🧭\n", (0, 8), encoding)
    assert decoded.notices == ()


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_guessed_and_said(encoding: str) -> None:
    data = "# Lamp\n\nFirst words.\n".encode(encoding)
    assert decode(data).text == "# Lamp\n\nFirst words.\n"
    assert notices(data) == ["encoding_guessed"]


def test_western_text_is_guessed_and_said() -> None:
    data = "Müller isn’t in the café – très tard".encode("cp1252")
    assert decode(data).text == "Müller isn’t in the café – très tard"
    assert notices(data) == ["encoding_guessed"]


@pytest.mark.parametrize(
    "data", [b"Gate \xff\xfetwo is \xc3( amber.", b"cut \xe2\x82", b"ok \xc3\xa9 and bad \xe9 here"]
)
def test_broken_utf8_is_replaced_and_said(data: bytes) -> None:
    assert "\ufffd" in decode(data).text
    assert notices(data) == ["decode_replaced"]


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\x00\x00",
        b"PK\x03\x04abc",
        b"\x7fELF\x02\x01",
        b"\x1f\x8b\x08\x00",
        bytes(range(256)) * 20,
        b"\x00\x01\x02\x03" * 100,
    ],
)
def test_binary_content_is_an_error_of_its_own_kind(data: bytes) -> None:
    with pytest.raises(DocumentError) as raised:
        parse(data, uri="folder/picture.md")
    assert raised.value.kind == "binary"
    assert str(raised.value).startswith("folder/picture.md: ")


def test_colours_of_a_terminal_are_no_binary() -> None:
    assert decode(b"\x1b[31mred\x1b[0m\n" * 50).text.startswith("\x1b[31m")


def test_an_empty_file_is_a_document_without_blocks_and_says_so() -> None:
    document = doc(b"")
    assert (document.text, document.blocks) == ("", ())
    assert [notice.kind for notice in document.notices] == ["empty_document"]


def test_to_source_points_at_the_same_words() -> None:
    data = b"\xef\xbb\xbf# T\x00i\r\n\r\none\rtwo\r\n"
    document = doc(data)
    source = data.decode()
    for word in ("Ti", "one", "two"):
        start = document.text.index(word)
        span = document.to_source(Span(start=start, end=start + len(word)))
        assert span is not None
        assert span.of(source).replace("\x00", "") == word


def test_ten_megabytes_in_one_line_are_one_paragraph() -> None:
    document = doc(b"word " * 2_000_000)
    assert [block.kind for block in document.blocks] == ["paragraph"]


@pytest.mark.parametrize("suffix", ["md", "txt", "csv", "py", "rst"])
def test_the_encoding_of_a_text_is_reported(suffix: str) -> None:
    """What is not UTF-8 says so in its metadata."""
    assert parse("\ufeffa b\n".encode("utf-16-be"), uri=f"a.{suffix}").meta["encoding"] == "utf-16-be"
    assert "encoding" not in parse(b"a b\n", uri=f"a.{suffix}").meta
