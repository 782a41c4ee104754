"""Questions with their gold evidence, in the JSON-lines form of the evaluation data."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

QuestionType = Literal["fact", "identifier", "table", "procedure", "section", "cross_section", "document"]
TYPES: tuple[str, ...] = get_args(QuestionType)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A range of one document: code points of its decoded source."""

    doc_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """One piece of gold evidence.

    Attributes:
        text: The evidence, when the file gives it; for a format whose source is markup, its plain words.
        places: Where it stands: the place itself, then verbatim repetitions elsewhere. Empty when only the text is
            known (formats without offsets).
        doc_id: The document as the file names it, when the reference names another one than the question.
    """

    text: str
    places: tuple[Place, ...]
    doc_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalQuestion:
    """A question and what answers it.

    Attributes:
        id: Unique inside the file.
        line: 1-based line of the file.
        text: The question.
        type: Kind of evidence; the metrics are also given by type.
        doc_id: The document as the file names it: a path, or the end of one, with or without its suffix.
        references: The evidence.
        scope: ``document``: ask only inside ``doc_id``; ``collection``: everywhere.
        level: ``document``: finding the document is enough; ``chunk``: the evidence itself must be found.
        table_header: The header rows that a row of evidence should come with.
        file: Name of the file, for messages.
    """

    id: str
    line: int
    text: str
    type: str
    doc_id: str
    references: tuple[Reference, ...]
    scope: Literal["document", "collection"] = "collection"
    level: Literal["document", "chunk"] = "chunk"
    table_header: Reference | None = None
    file: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why a line of a question file, or a question, is left out.

    Attributes:
        line: 1-based line; 0 for the whole file.
        message: One sentence, without the final stop.
        file: Name of the file.
        question: Id of the question; empty when the line holds none.
    """

    line: int
    message: str
    file: str = ""
    question: str = ""

    def __str__(self) -> str:
        """Return ``questions.jsonl:12: q7: …``."""
        where = ":".join(part for part in (self.file, str(self.line) if self.line else "") if part)
        named = f"{self.question}: " if self.question else ""
        return f"{where}: {named}{self.message}" if where else f"{named}{self.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionFile:
    """What a question file holds: the questions that can be used, and what is wrong with the other lines."""

    questions: tuple[EvalQuestion, ...]
    problems: tuple[Problem, ...] = ()


def parse_questions(text: str, file: str) -> QuestionFile:
    """Read a question file: an object a line, or one JSON array of objects."""
    questions: list[EvalQuestion] = []
    problems: list[Problem] = []
    for number, row in _array(text) or _lines(text):
        try:
            questions.append(_question(row, number, file))
        except ValueError as error:
            problems.append(Problem(file=file, line=number, message=str(error)))
    return QuestionFile(questions=tuple(questions), problems=tuple(problems))


def _lines(text: str) -> Iterator[tuple[int, object]]:
    """Yield (1-based line, value) of the lines that are not empty; an error as the value of one that is no JSON."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except json.JSONDecodeError as error:
                yield number, ValueError(f"this line is no JSON: {error.msg} at character {error.colno}")
            except (ValueError, RecursionError) as error:
                yield number, ValueError(f"this line cannot be read as JSON: {error}")


def _array(text: str) -> list[tuple[int, object]]:
    """Return (1-based first line, value) of each value of the array that a text is; nothing for another text."""
    found: list[tuple[int, object]] = []
    decoder, line, counted = json.JSONDecoder(), 1, 0
    at = _behind_space(text, 0)
    sign = "["
    try:
        while text[at] == sign:
            at = _behind_space(text, at + 1)
            line, counted = line + text.count("\n", counted, at), at
            value, at = decoder.raw_decode(text, at)
            found.append((line, value))
            at, sign = _behind_space(text, at), ","
        whole = text[at] == "]" and _behind_space(text, at + 1) == len(text)
    except (ValueError, IndexError, RecursionError):
        return []
    return found if whole else []


def _behind_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _question(row: object, line: int, file: str) -> EvalQuestion:
    if isinstance(row, ValueError):
        raise row
    if not isinstance(row, dict):
        raise ValueError("a question is a JSON object")
    if row.get("draft"):
        raise ValueError('this is a draft: complete "question", check the evidence, and delete "draft"')
    doc_id = _text(row, "doc_id")
    references = row.get("references") or []
    if not isinstance(references, list):
        raise ValueError('"references" must be a list')
    level = _one_of(row, "level", ("chunk", "document"))
    if not references and level == "chunk":
        raise ValueError('"references" is missing or empty, so there is nothing to find')
    header = row.get("table_header")
    return EvalQuestion(
        id=str(row.get("question_id") or f"line-{line}"),
        line=line,
        text=_text(row, "question"),
        type=str(row.get("type") or "fact"),
        doc_id=doc_id,
        references=tuple(_reference(r, doc_id) for r in references),
        scope="document" if row.get("scope") == "document" else "collection",
        level="document" if level == "document" else "chunk",
        table_header=_reference(header, doc_id) if header else None,
        file=file,
    )


def _one_of(row: Mapping[str, Any], key: str, values: Sequence[str]) -> str:
    value = row.get(key)
    if value is None:
        return values[0]
    if value not in values:
        raise ValueError(f'"{key}" is {value!r}; it must be one of: {", ".join(values)}')
    return str(value)


def _text(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f'"{key}" is missing or empty')
    return value


def _reference(row: object, doc_id: str) -> Reference:
    if not isinstance(row, dict):
        raise ValueError("a reference is a JSON object")
    alternates = row.get("alternates") or []
    if not isinstance(alternates, list) or not all(isinstance(a, dict) for a in alternates):
        raise ValueError('"alternates" must be a list of objects')
    places = [p for p in (_place(row, doc_id), *(_place(a, doc_id) for a in alternates)) if p]
    text = str(row.get("plain") or row.get("text") or "")
    if not places and not text.strip():
        raise ValueError('a reference needs "start" and "end", or "text"')
    return Reference(text=text, places=tuple(places), doc_id=str(row.get("doc_id") or ""))


def _place(row: Mapping[str, Any], doc_id: str) -> Place | None:
    start, end = row.get("start"), row.get("end")
    if start is None and end is None:
        return None
    whole = all(isinstance(n, int) and not isinstance(n, bool) for n in (start, end))
    if not whole or not 0 <= start < end:  # type: ignore[operator]
        raise ValueError(f'"start" and "end" must be whole numbers with 0 <= start < end, not {start!r} and {end!r}')
    return Place(doc_id=str(row.get("doc_id") or doc_id), start=start, end=end)  # type: ignore[arg-type]
