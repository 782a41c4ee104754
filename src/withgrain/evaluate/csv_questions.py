"""Questions as people write them in a table: question, file, quoted answer."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from io import StringIO

from withgrain.evaluate.questions import EvalQuestion, Problem, QuestionFile, Reference

#: What the columns may be called.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "question": ("question", "query"),
    "document": ("file", "document", "doc_id", "path", "source"),
    "quote": ("answer", "quote", "quoted answer", "quoted_answer", "evidence", "text"),
    "type": ("type",),
    "id": ("id", "question_id"),
    "scope": ("scope",),
}
_NEEDED = ("question", "document", "quote")
_DELIMITERS = (",", ";", "\t")


def parse_csv(text: str, file: str) -> QuestionFile:
    """Read a table with a header row; the delimiter is a comma, a semicolon or a tab.

    The quote is looked up when the questions are located in a collection, as any evidence without offsets.
    """
    table = next((t for d in _DELIMITERS if (t := _rows(text, d)) and _columns(t[0][1]).keys() >= set(_NEEDED)), None)
    if table is None:
        message = "the first row must name the columns: question, file, answer"
        return QuestionFile(questions=(), problems=(Problem(file=file, line=1, message=message),))
    columns = _columns(table[0][1])
    questions: list[EvalQuestion] = []
    problems: list[Problem] = []
    for line, cells in table[1:]:
        try:
            questions.append(_question(_picked(cells, columns), line, file))
        except ValueError as error:
            problems.append(Problem(file=file, line=line, message=str(error)))
    return QuestionFile(questions=tuple(questions), problems=tuple(problems))


def _rows(text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """Return (1-based first line, cells) of each row that is not empty; none when the table is malformed."""
    rows = []
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter)
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append((line, cells))
            line = reader.line_num + 1
    except csv.Error:  # a cell over the module's limit
        return []
    return rows


def _columns(header: Sequence[str]) -> dict[str, int]:
    names = [cell.strip().lower() for cell in header]
    places = {key: next((names.index(n) for n in known if n in names), None) for key, known in COLUMNS.items()}
    return {key: place for key, place in places.items() if place is not None}


def _picked(cells: Sequence[str], columns: Mapping[str, int]) -> dict[str, str]:
    return {key: cells[place].strip() if place < len(cells) else "" for key, place in columns.items()}


def _question(row: Mapping[str, str], line: int, file: str) -> EvalQuestion:
    for key in _NEEDED:
        if not row[key]:
            raise ValueError(f"the column for {key} is empty")
    return EvalQuestion(
        id=row.get("id") or f"line-{line}",
        line=line,
        text=row["question"],
        type=row.get("type") or "fact",
        doc_id=row["document"],
        references=(Reference(text=row["quote"], places=()),),
        scope="document" if row.get("scope") == "document" else "collection",
        file=file,
    )
