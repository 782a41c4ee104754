"""CommonMark and GFM blocks, their spans and attributes."""

from __future__ import annotations

import pytest

from tests.unit.parse.support import doc, every, headings, kinds, one


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("# Title #", "Title"),
        ("# C#", "C#"),
        ("## F# ##", "F#"),
        ("# A *b* `c` **d** ~~e~~", "A b c d e"),
        ("# See [docs](x.md) ![logo](l.png)", "See docs logo"),
        ("# AT&amp;T &copy; \\# x", "AT&T © # x"),
        ("# Install {#setup}", "Install"),
        ("#\tTab", "Tab"),
        ("# a<br/>b <b>c</b>", "a b c"),
        ("# 𝓜𝓪𝓹 & `ñ`", "𝓜𝓪𝓹 & ñ"),
        ("Title\nover two\n===", "Title over two"),
    ],
)
def test_heading_text_is_plain(line: str, text: str) -> None:
    assert headings(doc(line))[0][1] == text


@pytest.mark.parametrize(
    "line", ["#tag", "####### seven", "\\# escaped", "    # code", "text # no", "> # quoted", "- # item", "`# x`"]
)
def test_what_is_no_heading(line: str) -> None:
    assert headings(doc(line)) == []


def test_a_hash_in_code_or_comment_is_never_a_heading() -> None:
    text = "```sh\n# a\n```\n\n~~~\n# b\n~~~\n\n    # c\n\n<!--\n# d\n-->\n\n<pre>\n# e\n</pre>\n\n$$\n# f\n$$\n"
    assert headings(doc(text)) == []


@pytest.mark.parametrize(
    ("title", "number"),
    [
        ("4.2 Retention", "4.2"),
        ("4.2.1. Deeper", "4.2.1"),
        ("Step 3: Restart", "Step 3"),
        ("B.1 Keys", "B.1"),
        ("§ 4 Fees", "§ 4"),
        ("1. Scope", None),  # CommonMark: "# 1. Scope" is a heading; the number is read below
        ("Appendix A: Codes", "Appendix A"),
        ("Article IV", "Article IV"),
        ("2024 report", None),
        ("Phase out", None),
        ("10.0.0.1/8 block", None),
        ("Go 1.20", None),
    ],
)
def test_printed_numbers(title: str, number: str | None) -> None:
    expected = "1" if title.startswith("1. ") else number
    assert one(doc(f"## {title}"), "heading").number == expected


def test_anchors_are_those_of_github() -> None:
    document = doc("# What's new? (v2)\n# Setup\n# Setup\n# Über 日本\n# x {#own}\n# Setup-1\n")
    assert [block.anchor for block in document.blocks] == [
        "whats-new-v2",
        "setup",
        "setup-1",
        "über-日本",
        "own",
        "setup-1-1",
    ]


def test_heading_spans() -> None:
    document = doc("   ## Title ##\nbody\n")
    block = document.blocks[0]
    assert block.span.of(document.text) == "   ## Title ##\n"
    assert block.content is not None and block.content.of(document.text) == "Title"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: Front\n---\n# Head\n", "Front"),
        ("# Only\n\n## Sub\n", "Only"),
        ("# One\n\n# Two\n", "file"),
        ("no heading", "file"),
        ("> # quoted\n", "file"),
        ("---\ntitle: 42\n---\n", "42"),
    ],
)
def test_title(text: str, title: str) -> None:
    assert doc(text).title == title


def test_a_text_without_a_file_has_no_title_of_its_own() -> None:
    from withgrain.model import sha256_hex
    from withgrain.parse import parse

    assert parse(b"words", uri=sha256_hex(b"words"), media_type="text/markdown").title == ""


def test_fenced_code() -> None:
    document = doc('````py title="a"\n```\nx\n````\nafter\n')
    block = document.blocks[0]
    assert block.attrs == {"fence": '````py title="a"', "fence_end": "````", "language": "py"}
    assert block.content is not None and block.content.of(document.text) == "```\nx\n"
    assert kinds(document) == ["code", "paragraph"]


def test_fence_inside_a_list_item_keeps_its_indentation() -> None:
    document = doc("1. a\n\n   ```sh\n   # x\n\n   y\n   ```\n2. b\n")
    block = one(document, "code")
    assert block.attrs["indent"] == "   "
    assert block.content is not None and block.content.of(document.text) == "   # x\n\n   y\n"
    assert [item.number for item in every(document, "list_item")] == ["1", "2"]


def test_an_unclosed_fence_runs_to_the_end_and_says_so() -> None:
    document = doc("a\n\n```ini\n# b\n\n# c\nend\n")
    block = document.blocks[-1]
    assert block.content is not None and block.content.of(document.text) == "# b\n\n# c\nend\n"
    assert [notice.kind for notice in document.notices] == ["unclosed_fence"]
    assert document.notices[0].span == block.span


@pytest.mark.parametrize("text", ["```\n```\n", "```\n\n```", "```"])
def test_empty_fences(text: str) -> None:
    block = doc(text).blocks[0]
    assert block.content is not None and block.span.contains(block.content)
    assert block.content.of(text).strip() == ""


def test_lists_keep_markers_numbers_tasks_and_nesting() -> None:
    document = doc("- [x] a\n- [ ] b\n  more\n  1. c\n  2. d\n\n3) e\n4) f\n")
    assert kinds(document) == ["list", "list"]
    items = every(document, "list_item")
    assert [(item.attrs["marker"], item.attrs.get("task"), item.number) for item in items] == [
        ("-", "x", None),
        ("-", " ", None),
        ("1.", None, "1"),
        ("2.", None, "2"),
        ("3)", None, "3"),
        ("4)", None, "4"),
    ]
    assert [child.kind for child in items[1].children] == ["paragraph", "list"]
    assert items[1].children[0].span.of(document.text) == "b\n  more\n"
    assert items[1].children[1].span.of(document.text) == "  1. c\n  2. d\n"
    assert document.blocks[0].attrs == {} and document.blocks[2].attrs == {"ordered": "1"}


def test_task_state_of_a_loose_list() -> None:
    assert [item.attrs["task"] for item in every(doc("- [ ] a\n\n- [X] b\n"), "list_item")] == [" ", "x"]


def test_content_of_an_item_is_behind_its_marker() -> None:
    document = doc("10. ten\n\n    more\n")
    item = one(document, "list_item")
    assert item.content is not None and item.content.of(document.text) == "ten\n\n    more\n"


def test_table_rows_and_cells() -> None:
    text = "| A | B |\n|:--|--:|\n| `x\\|y` |  |\n| short |\n"
    document = doc(text)
    table = document.blocks[0]
    assert table.attrs == {"columns": "2"}
    assert [row.attrs["role"] for row in table.children] == ["header", "delimiter", "body", "body"]
    assert "".join(row.span.of(text) for row in table.children) == text
    cells = [[cell.span.of(text) for cell in row.children] for row in table.children]
    assert cells == [["A", "B"], [], ["`x\\|y`", ""], ["short", ""]]


def test_a_table_inside_a_quote() -> None:
    document = doc("> | A | B |\n> |---|---|\n> | 1 | 2 |\n")
    assert [cell.span.of(document.text) for cell in every(document, "table_cell")] == ["A", "B", "1", "2"]


def test_quotes_and_alerts() -> None:
    document = doc("> plain\n> lines\n\n> [!WARNING]\n> Hot.\n>\n> - a\n")
    quote, alert = (block for block in document.blocks if block.kind != "blank")
    assert (quote.kind, alert.kind, alert.attrs["type"]) == ("quote", "admonition", "warning")
    assert alert.content is not None and alert.content.of(document.text) == "> Hot.\n>\n> - a\n"
    assert [child.kind for child in alert.children] == ["paragraph", "list"]


def test_a_list_in_a_quote_ends_before_the_line_that_ends_it() -> None:
    document = doc("> - a\n> - b\n>\n> after\n")
    quote = document.blocks[0]
    assert [child.span.of(document.text) for child in quote.children] == ["- a\n> - b\n", "after\n"]


def test_comments_are_comments_only_when_nothing_else_is_in_them() -> None:
    assert kinds(doc("<!-- a\n\n# b\n-->\n")) == ["comment"]
    assert kinds(doc("<!-- a --> <!-- b -->\n")) == ["comment"]
    assert kinds(doc("<!-- a --> visible\n")) == ["html"]
    assert kinds(doc("<!-- never closed\n\ntext\n")) == ["html"]


def test_link_definitions_are_found_in_the_gaps() -> None:
    document = doc('[a]: /x "t"\n[b ü]:\n  <y z>\n\ntext [a]\n')
    definitions = [block for block in document.blocks if block.kind == "link_definition"]
    assert [(block.attrs["label"], block.attrs["target"]) for block in definitions] == [("a", "/x"), ("b ü", "y z")]
    assert kinds(document)[-1] == "paragraph"


def test_footnotes_hold_all_their_paragraphs() -> None:
    document = doc("x[^a]\n\n[^a]: one\n\n    two\n\nend\n")
    note = one(document, "footnote")
    assert note.attrs == {"label": "a"}
    assert note.content is not None and note.content.of(document.text) == "one\n\n    two\n"
    assert len(note.children) == 2


def test_one_definition_block_a_term() -> None:
    document = doc("Key\n: One.\n\nOther *term*\n: A.\n: B.\n")
    first, second = (block for block in document.blocks if block.kind != "blank")
    assert (first.kind, first.attrs["term"], second.attrs["term"]) == ("definition", "Key", "Other term")
    assert second.span.of(document.text) == "Other *term*\n: A.\n: B.\n"
    assert len(second.children) == 2


def test_figures_and_rules() -> None:
    assert kinds(doc("![Alt](a.png)\n\n[![b](b.svg)](x)\n\nsee ![c](c.png)\n\n***\n")) == [
        "figure",
        "figure",
        "paragraph",
        "rule",
    ]


def test_non_ascii_text_shifts_nothing() -> None:
    text = "# Ünïcode 🧭\n\n- 日本語 `ñ`\n- b\n\n| ä | 𠮷 |\n|---|---|\n| 👩‍👩‍👧 | x |\n"
    document = doc(text)
    assert headings(document) == [(1, "Ünïcode 🧭")]
    assert [cell.span.of(text) for cell in every(document, "table_cell")] == ["ä", "𠮷", "👩‍👩‍👧", "x"]


def test_a_processing_instruction_is_told_from_a_letter() -> None:
    assert kinds(doc("<?php echo 'é'; ?>\n")) == ["html"]
    assert kinds(doc("<é>\n")) == ["paragraph"]


def test_deep_nesting_ends_and_keeps_the_text() -> None:
    document = doc(">" * 20_000 + " bottom\n\n" + "- " * 20_000 + "x\n")
    assert kinds(document) == ["quote", "list"]


@pytest.mark.parametrize(
    ("line", "plain"),
    [("##\tA\t##", "A"), ("## A ##\t", "A"), ("## A \\##\t", "A ##"), ("## A\t#b", "A #b"), ("## C#\t#", "C#")],
)
def test_a_closing_sequence_may_have_tabs_beside_it(line: str, plain: str) -> None:
    """CommonMark 0.31, 4.2: the closing sequence must be preceded by spaces or tabs."""
    assert doc(f"{line}\n\nx\n").blocks[0].attrs["text"] == plain
