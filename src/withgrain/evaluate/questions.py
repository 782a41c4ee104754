"""Questions with their gold evidence, in the JSON-lines form of the evaluation data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from withgrain.errors import UsageError

QuestionType = Literal["fact", "identifier", "table", "procedure", "section", "cross_section", "document"]


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
        text: The evidence, when the file gives it.
        places: Where it stands: the place itself, then verbatim repetitions elsewhere. Empty when only the text is
            known (formats without offsets).
    """

    text: str
    places: tuple[Place, ...]


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
    """

    id: str
    line: int
    text: str
    type: str
    doc_id: str
    references: tuple[Reference, ...]
    scope: Literal["document", "collection"] = "collection"
    level: Literal["document", "chunk"] = "chunk"


def load_questions(path: Path) -> tuple[EvalQuestion, ...]:
    """Read a question file.

    Raises:
        UsageError: The file cannot be read, holds no question, or a line is wrong; names the file and the line.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: the questions cannot be read ({error}).") from error
    questions: list[EvalQuestion] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            question = _question(json.loads(line), number)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{path}:{number}: {error}.") from error
        if question.id in seen:
            raise UsageError(f'{path}:{number}: the id "{question.id}" is already used in line {seen[question.id]}.')
        seen[question.id] = number
        questions.append(question)
    if not questions:
        raise UsageError(f"{path}: there is no question in this file. Write one JSON object a line.")
    return tuple(questions)


def _question(row: object, line: int) -> EvalQuestion:
    if not isinstance(row, dict):
        raise ValueError("a question is a JSON object")
    doc_id = _text(row, "doc_id")
    references = row.get("references") or []
    if not isinstance(references, list):
        raise ValueError('"references" must be a list')
    level: Literal["document", "chunk"] = "document" if row.get("level") == "document" else "chunk"
    if not references and level == "chunk":
        raise ValueError('"references" is missing or empty, so there is nothing to find')
    return EvalQuestion(
        id=str(row.get("question_id") or f"line-{line}"),
        line=line,
        text=_text(row, "question"),
        type=str(row.get("type") or "fact"),
        doc_id=doc_id,
        references=tuple(_reference(r, doc_id) for r in references),
        scope="document" if row.get("scope") == "document" else "collection",
        level=level,
    )


def _text(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f'"{key}" is missing or empty')
    return value


def _reference(row: object, doc_id: str) -> Reference:
    if not isinstance(row, dict):
        raise ValueError("a reference is a JSON object")
    alternates = row.get("alternates") or []
    if not isinstance(alternates, list):
        raise ValueError('"alternates" must be a list')
    places = [p for p in (_place(row, doc_id), *(_place(a, doc_id) for a in alternates)) if p]
    text = str(row.get("text") or "")
    if not places and not text:
        raise ValueError('a reference needs "start" and "end", or "text"')
    return Reference(text=text, places=tuple(places))


def _place(row: Mapping[str, Any], doc_id: str) -> Place | None:
    start, end = row.get("start"), row.get("end")
    if start is None and end is None:
        return None
    if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start < end:
        raise ValueError(f'"start" and "end" must be whole numbers with 0 <= start < end, not {start!r} and {end!r}')
    return Place(doc_id=str(row.get("doc_id") or doc_id), start=start, end=end)


def by_type(questions: Sequence[EvalQuestion]) -> dict[str, list[EvalQuestion]]:
    """Return the questions of each type, in the order of the file."""
    groups: dict[str, list[EvalQuestion]] = {}
    for question in questions:
        groups.setdefault(question.type, []).append(question)
    return groups
