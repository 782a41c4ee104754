"""What is wrong with a question file, and what is doubtful, before anything is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from withgrain.evaluate.gold import locate
from withgrain.evaluate.questions import TYPES, EvalQuestion, Problem, QuestionFile
from withgrain.types import Snapshot

#: Evidence longer than this is rarely needed whole.
LONG = 4_000
#: Fewer questions of a type than this show nothing about the type.
FEW = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What a check found.

    Attributes:
        errors: Lines and questions that will be left out.
        warnings: Questions that can be asked, but may not measure what they seem to.
        questions: Number of questions that can be asked.
    """

    errors: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    questions: int


def lint(file: QuestionFile, snapshot: Snapshot | None = None) -> Findings:
    """Check questions; with a collection also that their documents and evidence are there."""
    located = locate(file.questions, snapshot) if snapshot is not None else None
    errors = sorted((*file.problems, *(located.problems if located else ())), key=lambda p: (p.file, p.line))
    return Findings(
        errors=tuple(errors),
        warnings=tuple(sorted(_warnings(file.questions), key=lambda p: (p.file, p.line))),
        questions=len(located.gold) if located else len(file.questions),
    )


def _warnings(questions: Sequence[EvalQuestion]) -> Iterator[Problem]:
    seen: dict[str, EvalQuestion] = {}
    for question in questions:
        first = seen.setdefault(" ".join(question.text.lower().split()), question)
        if first is not question and first.doc_id == question.doc_id:
            yield _about(question, f"asks the same as line {first.line}")
        yield from _doubts(question)
    for kind in sorted({q.type for q in questions}):
        some = [q for q in questions if q.type == kind]
        if len(some) < FEW:
            asked = (
                f'{len(some)} questions of type "{kind}" show'
                if len(some) > 1
                else f'1 question of type "{kind}" shows'
            )
            yield Problem(file=some[0].file, line=0, message=f"{asked} little about this type")


def _doubts(question: EvalQuestion) -> Iterator[Problem]:
    if question.type not in TYPES:
        yield _about(question, f'the type "{question.type}" is none of: {", ".join(TYPES)}')
    if question.type == "table" and question.table_header is None and question.level == "chunk":
        yield _about(question, 'a table question without "table_header": nobody looks whether the row has its header')
    asked = " ".join(question.text.lower().split())
    for reference in question.references:
        text = " ".join(reference.text.lower().split())
        if len(text) > 20 and text in asked:
            yield _about(question, "the question holds its own evidence")
        if any(p.end - p.start > LONG for p in reference.places[:1]):
            yield _about(question, f"the evidence is longer than {LONG:,} characters; is all of it needed?")


def _about(question: EvalQuestion, message: str) -> Problem:
    return Problem(file=question.file, line=question.line, question=question.id, message=message)
