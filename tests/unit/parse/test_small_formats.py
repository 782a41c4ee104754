"""E-mail, notebooks, reStructuredText and transcripts."""

from __future__ import annotations

import json
from email.message import EmailMessage

import pytest

from withgrain.errors import DocumentError
from withgrain.model import Document
from withgrain.parse import parse


def kinds(document: Document) -> list[str]:
    return [b.kind for b in document.blocks if b.kind != "blank"]


def message() -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "Ana <ana@example.com>", "ops@example.com", "Door — north gate"
    mail["Date"] = "Mon, 02 Nov 2026 08:00:00 +0000"
    return mail


def test_mail() -> None:
    """Headers are metadata and text; quoted replies are quotes; attachments are listed."""
    mail = message()
    mail.set_content("Hello,\n\n- close it\n- lock it\n\nOn Sunday Bo wrote:\n> Is it open?\n>> Who asks?\n")
    mail.add_attachment(b"\x00" * 10, maintype="application", subtype="pdf", filename="plan.pdf")
    document = parse(mail.as_bytes(), uri="m.eml")
    assert document.title == "Door — north gate"
    assert document.meta["from"] == "Ana <ana@example.com>"
    assert kinds(document) == ["heading", "paragraph", "paragraph", "list", "paragraph", "quote", "paragraph", "list"]
    assert "> Is it open?\n>\n> > Who asks?\n" in document.text
    assert "- plan.pdf (application/pdf, 10 bytes)" in document.text
    assert document.unread == ()


def test_mail_with_html_twin() -> None:
    """The plain twin is read when it says as much as the HTML; the HTML when it says more."""
    mail = message()
    mail.set_content("See the table.")
    mail.add_alternative("<table><tr><th>A<th>B<tr><td>one two three<td>four five six seven</table>", subtype="html")
    document = parse(mail.as_bytes(), uri="m.eml")
    assert "| A | B |" in document.text
    assert [d.reason for d in document.dropped] == ["alternative"]


def test_the_encoding_of_a_page_in_a_mail_is_that_of_its_header() -> None:
    """No word counts as lost because a page without a declaration was guessed at."""
    head = b"From: a@b\nSubject: Hola\nMIME-Version: 1.0\nContent-Type: text/html; charset=iso-8859-1\n\n"
    document = parse(head + "<p>\u00a1Esto es un mensaje!</p>".encode("latin-1"), uri="m.eml")
    assert "\u00a1Esto" in document.text
    assert document.unread == ()


def test_mail_in_mail() -> None:
    """An attached message is read, below a heading of its own."""
    inner = message()
    inner.set_content("Inner text")
    mail = message()
    mail.set_content("Outer text")
    mail.add_attachment(inner)
    document = parse(mail.as_bytes(), uri="m.eml")
    assert [(b.level, b.attrs["text"]) for b in document.blocks if b.kind == "heading"] == [
        (1, "Door — north gate"),
        (2, "Door — north gate"),
    ]
    assert "Inner text" in document.text


def test_mail_of_many_parts() -> None:
    """Rule: 3,000 MIME parts are bounded; what is not read is listed."""
    lines = [b"From: a@b.c", b'Content-Type: multipart/mixed; boundary="x"', b""]
    for n in range(3_000):
        lines += [b"--x", b"Content-Type: text/plain", b"", f"part{n}".encode()]
    document = parse(b"\n".join([*lines, b"--x--"]), uri="m.eml")
    assert "part10\n" in document.text
    assert "part beyond the limit" in {d.reason for d in document.dropped}
    assert document.unread == ()


def test_mail_nested_deeply_ends() -> None:
    """Rule: deep nesting ends with a document or an error that says so."""
    head = b"From: a@b.c\nContent-Type: message/rfc822\n\n" * 2_000
    try:
        parse(head + b"text", uri="m.eml")
    except DocumentError as error:
        assert "message" in str(error)


def test_no_mail() -> None:
    with pytest.raises(DocumentError, match="no e-mail message"):
        parse(b"just text", uri="m.eml")


def notebook(*cells: dict[str, object]) -> bytes:
    return json.dumps({"cells": cells, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4}).encode()


def test_notebook() -> None:
    """Cells become Markdown and code, anchored by their number; images are dropped and listed, long outputs cut."""
    document = parse(
        notebook(
            {"cell_type": "markdown", "source": ["# Tides\n", "\n", "- a\n", "- [b](x.md)"]},
            {
                "cell_type": "code",
                "source": "print(1)\n```",
                "outputs": [
                    {"output_type": "stream", "text": ["\x1b[31mred\x1b[0m\n"]},
                    {"output_type": "display_data", "data": {"image/png": "aGk=", "text/plain": "<Figure>"}},
                    {"output_type": "stream", "text": "y" * 5_000},
                ],
            },
        ),
        uri="n.ipynb",
    )
    assert kinds(document) == ["heading", "list", "code", "code", "code", "code"]
    assert document.title == "Tides"
    assert [b.anchor for b in document.blocks if b.anchor] == ["cell-1", "cell-2", "cell-2", "cell-2", "cell-2"]
    assert "red\n" in document.text
    assert "\x1b" not in document.text
    assert {d.reason for d in document.dropped} == {"image", "output beyond the limit"}
    assert document.unread == ()
    assert [link.target for link in document.links] == ["x.md"]


@pytest.mark.parametrize("data", [b"{}", b"[" * 100_000, b"nope", b'{"cells": 3}'])
def test_no_notebook(data: bytes) -> None:
    with pytest.raises(DocumentError):
        parse(data, uri="n.ipynb")


VTT = """WEBVTT

NOTE made by hand

1
00:00:01.000 --> 00:00:03.500 align:start
<v Ana>The gate is <i>open</i>.

00:00:03.600 --> 00:00:05.000
<v Ana>Close it &amp; lock it.

00:01:05.000 --> 00:01:06.000
<v Bo>Done.
"""


def test_transcript() -> None:
    """Cues of a speaker join; the anchor is the time in seconds, the origin the range."""
    document = parse(VTT.encode(), uri="t.vtt")
    assert document.text == "Ana: The gate is open. Close it & lock it.\n\nBo: Done.\n"
    assert [(b.anchor, b.origin) for b in document.blocks if b.kind == "paragraph"] == [
        ("t=1", "00:00:01.000 --> 00:00:05.000"),
        ("t=65", "00:01:05.000 --> 00:01:06.000"),
    ]


def test_subrip() -> None:
    """SubRip has commas in its times and names in capitals."""
    document = parse(
        b"1\r\n00:00:01,000 --> 00:00:02,000\r\nANA: Go.\r\n\r\n2\r\n00:00:09,000 --> 00:00:10,000\r\nNow.\r\n",
        uri="t.srt",
    )
    assert document.text == "ANA: Go.\n\nANA: Now.\n"


def test_no_transcript() -> None:
    with pytest.raises(DocumentError, match="no cues"):
        parse(b"words", uri="t.srt")


RST = """
=====
Gates
=====

Intro with ``code``, `a link <https://x.org/y>`_, :ref:`Doors <doors>` and a note [1]_.

.. _doors:

Doors
-----

.. warning::

   Mind the **gap**.

.. versionadded:: 2.0
   The lock.

.. code-block:: python

   def f():
       return 1

(a) first
(b) second

word
    sense

+-----+-------+
| A   | B     |
+=====+=======+
| 1   | two   |
+-----+-------+

.. include:: /etc/passwd

.. raw:: html

   <b>raw</b>

.. [1] The note.
"""


def test_rst() -> None:
    """Sections, directives, tables, footnotes; nothing is inserted from files, raw output is off."""
    pytest.importorskip("docutils")
    document = parse(RST.encode(), uri="r.rst")
    assert [(b.level, b.attrs["text"], b.anchor) for b in document.blocks if b.kind == "heading"] == [
        (1, "Gates", "gates"),
        (2, "Doors", "doors"),
    ]
    assert kinds(document) == [
        *("heading", "paragraph", "heading", "admonition", "admonition", "code", "list", "definition", "table"),
        "footnote",
    ]
    assert "Intro with `code`, [a link](https://x.org/y), Doors and a note [^1]." in document.text
    assert "root:" not in document.text
    assert "<b>" not in document.text
    assert "- (a) first\n- (b) second" in document.text


def test_rst_nested_deeply_ends() -> None:
    pytest.importorskip("docutils")
    deep = "".join(" " * n + "x\n\n" for n in range(600))
    try:
        assert "x" in parse(deep.encode(), uri="r.rst").text
    except DocumentError as error:
        assert "nested" in str(error)


def test_fields_at_the_top_of_an_unknown_directive_are_its_text() -> None:
    """The parameters of a described function are no metadata of the file."""
    document = parse(b"Turtle\n======\n\n.. function:: go(n)\n\n   :param n: steps to go\n\n   Walk.\n", uri="a.rst")
    assert "steps to go" in document.text
    assert "param n" not in document.meta


def test_role_of_sphinx_shows_what_sphinx_shows() -> None:
    """Of ``~a.b.c`` the last name, of a PEP its kind."""
    text = parse(b"See :meth:`~json.JSONEncoder.encode`, :pep:`420` and :func:`os.walk`.\n", uri="a.rst").text
    assert text == "See encode, [PEP 420](https://peps.python.org/pep-0420) and os.walk.\n"


def test_messages_of_docutils_are_no_text_of_a_cell() -> None:
    """A role that only Sphinx knows leaves its text in a cell and nothing else."""
    text = parse(
        b"===============  =====\n:const:`A_BOLD`  thick\n:const:`A_DIM`   thin\n===============  =====\n", uri="a.rst"
    ).text
    assert "| A_DIM | thin |" in text
    assert "role" not in text
