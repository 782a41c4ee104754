"""Plain text: labels of laws and contracts, headings by layout, tables."""

from __future__ import annotations

import pytest

from withgrain.model import Document
from withgrain.parse import parse

_PROSE = "The keeper looks at each lamp once a week and writes down what was seen there.\n\n"


def _text(text: str) -> Document:
    return parse(text.encode(), uri="input.txt")


def _headings(text: str) -> list[tuple[int | None, str]]:
    return [(block.level, block.attrs["text"]) for block in _text(text).blocks if block.kind == "heading"]


_LABELS = (
    "§ 3 Zweck|Artikel 3 Zweck|Статья 3. Цель|Artículo 3. Objeto|第三条 目的|제3조 목적|MADDE 3. Amaç|KISIM 2 Cezalar"
    "|Điều 3. Phạm vi|Άρθρο 5 Ορισμοί|ΚΕΦΑΛΑΙΟ Α|Стаття 3. Мета|Art. 3. Zakres|Pasal 3 Tujuan|Článek 3 Účel"
    "|المادة 3 الأهداف|المادة ٣: الأهداف|المادة الثالثة|סעיף 3 מטרה|פרק ב' הגדרות|अध्याय 3 परिभाषा|धारा ४ शुल्क"
    "|Rule 3. Membership|Module 2: Valves|Lesson 2.1: Opening"
)


@pytest.mark.parametrize("label", _LABELS.split("|"))
def test_a_label_alone_with_its_title_is_a_heading(label: str) -> None:
    """Headings by numbering: the labels of laws in other languages, their number kept."""
    blocks = [block for block in _text(f"{label}\n\n{_PROSE}").blocks if block.kind == "heading"]
    assert [block.attrs["text"] for block in blocks] == [label]
    assert blocks[0].number


@pytest.mark.parametrize(
    "line", ["المادة التالية تنص على ذلك", "סעיף זה חל על כולם", "Art. 3 gilt für alle, die hier wohnen,"]
)
def test_a_sentence_that_begins_with_a_label_is_no_heading(line: str) -> None:
    """Prose must never become a heading."""
    assert _headings(f"{line}\n\n{_PROSE}") == []


def test_chapters_hold_sections_and_sections_articles() -> None:
    """The heading path follows what the labels say, not the order of their first words."""
    text = f"CHAPTER I\n\nArticle 1\n\n{_PROSE}CHAPTER II\n\nSection 1\n\nArticle 2\n\n{_PROSE}"
    levels = [level for level, _ in _headings(text)]
    assert levels == [1, 3, 1, 2, 3]


def test_a_schedule_holds_the_parts_that_begin_anew_in_it() -> None:
    """A path leads from the schedule to its part; the exhibit number on top of a filing holds nothing."""
    titles = ("1. Term", "SCHEDULE 1 - WORK\n\nPart A: Days", "Part B: Nights", "SCHEDULE 2 - PAY")
    text = "".join(f"{title}\n\n{_PROSE}" for title in titles)
    assert [level for level, _ in _headings(text)] == [2, 1, 2, 2, 1]
    text = f"EXHIBIT 10.1\n\nARTICLE 1 WORK\n\n{_PROSE}ARTICLE 2 PAY\n\n{_PROSE}"
    assert [level for level, _ in _headings(text)] == [1, 1, 1]


def test_articles_hold_sections_in_a_contract() -> None:
    """Without chapters an article that comes first is above its sections."""
    text = f"ARTICLE I\n\nSection 1.1 Lamps\n\n{_PROSE}ARTICLE II\n\nSection 2.1 Fuses\n\n{_PROSE}"
    assert [level for level, _ in _headings(text)] == [1, 2, 1, 2]


def test_lines_at_the_margin_above_indented_text_are_headings() -> None:
    """A man page has its headings at the margin."""
    text = "".join(f"{name}\n       one\n       two\n       three\n\n" for name in ("NAME", "Options", "FILES"))
    assert [title for _, title in _headings(text)] == ["NAME", "Options", "FILES"]


def test_sections_of_an_appendix_are_numbered_by_its_letter() -> None:
    """Printed numbers such as "B.1" make headings below their appendix."""
    titles = ("1 Scope", "2 Roles", "3 Duties", "Appendix A: Forms", "A.1 Request", "A.2 Report")
    text = "".join(f"{title}\n\n{_PROSE}" for title in titles)
    assert _headings(text) == list(zip((1, 1, 1, 1, 2, 2), titles, strict=True))


def test_titles_between_equals_signs_are_headings() -> None:
    """A wiki's text has its levels in the number of signs; the title is read without them."""
    text = f"== History ==\n\n{_PROSE}=== Fire ===\n{_PROSE}== Today ==\n\n{_PROSE}"
    assert _headings(text) == [(2, "History"), (3, "Fire"), (2, "Today")]
    assert _headings(f"== 12 ==\n\n{_PROSE}=======\n\n{_PROSE}if a == b ==\n\n{_PROSE}=== RUN Test\n\n{_PROSE}") == []


@pytest.mark.parametrize("signs", ["-----", "======", "##########"])
def test_lines_of_signs_part_records(signs: str) -> None:
    """What stands between two equal lines of signs belongs together; a title between two lines is no record."""
    record = "Ticket: 4711\nProblem: It does not start.\nAnswer: The fuse.\n"
    blocks = [b for b in _text(f"{signs}\n{record}{signs}\n{record}{signs}\n").blocks if b.kind != "blank"]
    assert [block.kind for block in blocks] == ["paragraph", "paragraph"]
    assert len(_text(f"{signs}\nthe, title,\n{signs}\n{record}").blocks) == 1


def test_steps_with_text_between_them_are_no_outline() -> None:
    """Numbers of one level with a stop behind them are as likely steps."""
    text = "".join(f"{n}. Open the box number {n} now\n\n{_PROSE}" for n in (1, 2, 3))
    assert _headings(text) == []


_JOBS = "".join(f"job{n}      running  {n * 7:>4}  owner {n}\n" for n in range(5))


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        ("Name      State    Port  Owner\n", "table"),
        ("Name    State  Port  Owner\n", "paragraph"),  # not above the columns
        ("job9      running   124  owner 9\n", "paragraph"),  # one more row
    ],
)
def test_a_head_above_columns_makes_a_table(head: str, kind: str) -> None:
    """The output of a command repeats its head; lines that are only alike have none."""
    assert [block.kind for block in _text(head + _JOBS).blocks] == [kind]


@pytest.mark.parametrize(
    "table",
    [
        "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n",
        "+---+---+\n| a | b |\n+---+---+\n| 1 | 2 |\n| 3 | 4 |\n+---+---+\n",
        " a  | b\n----+----\n 1  | 2\n 3  | 4\n",
        "===  ===\na    b\n===  ===\n1    2\n3    4\n===  ===\n",
        "┌───┬───┐\n│ a │ b │\n├───┼───┤\n│ 1 │ 2 │\n│ 3 │ 4 │\n└───┴───┘\n",
        "a\tb\n1\t2\n3\t4\n",
    ],
)
def test_a_table_in_text_has_rows_and_cells(table: str) -> None:
    """Tables are cut between rows with the header repeated: so their rows must be known."""
    blocks = [block for block in _text(f"The halls:\n\n{table}").blocks if block.kind == "table"]
    assert len(blocks) == 1
    rows = [row for row in blocks[0].children if row.attrs["role"] == "body"]
    cells = [[cell.span.of(f"The halls:\n\n{table}") for cell in row.children] for row in rows]
    assert cells == [["1", "2"], ["3", "4"]]


def test_a_drawing_is_no_table() -> None:
    """Boxes with arrows are no rows."""
    drawing = (
        "+---+    +---+\n| a |--->| b |\n+---+    +---+\n  |        |\n+---+    +---+\n| c |    | d |\n+---+    +---+\n"
    )
    assert [block.kind for block in _text(drawing).blocks] == ["paragraph"]
