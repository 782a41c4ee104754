"""Question files: JSON lines, a JSON array, or tables as CSV."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from pathlib import Path

from withgrain.errors import UsageError
from withgrain.evaluate.csv_questions import parse_csv
from withgrain.evaluate.questions import EvalQuestion, Problem, QuestionFile, parse_questions

#: No honest question file is larger: 64 MB.
MAX_BYTES = 64 * 1024 * 1024


def load_questions(path: Path) -> tuple[EvalQuestion, ...]:
    """Read a question file in which every line must be right.

    Raises:
        UsageError: The file cannot be read, holds no question, or a line is wrong; names the file and the line.
    """
    found = read_questions(path)
    if found.problems:
        raise UsageError(f"{found.problems[0]}.")
    return found.questions


def read_questions(*paths: Path) -> QuestionFile:
    """Read question files; a line that is wrong is reported and left out.

    An id may be used once in all of them. Drafts (``"draft": true``) are reported as well: nobody has completed them.
    CSV files are read by `withgrain.evaluate.csv_questions`.

    Raises:
        UsageError: A file cannot be read.
    """
    questions: list[EvalQuestion] = []
    problems: list[Problem] = []
    seen: dict[str, EvalQuestion] = {}
    for path in paths:
        found = _read(path)
        problems += found.problems
        if not found.questions and not found.problems:
            problems.append(Problem(file=str(path), line=0, message="there is no question in this file"))
        for question in found.questions:
            first = seen.setdefault(question.id, question)
            if first is question:
                questions.append(question)
                continue
            where = f"line {first.line}" if first.file == question.file else f"{first.file}:{first.line}"
            problems.append(_problem(question, f'the id "{question.id}" is already used in {where}'))
    return QuestionFile(questions=tuple(questions), problems=tuple(problems))


def _problem(question: EvalQuestion, message: str) -> Problem:
    return Problem(file=question.file, line=question.line, message=message)


def _read(path: Path) -> QuestionFile:
    text = _text_of(path)
    if path.suffix.lower() in (".csv", ".tsv"):
        return parse_csv(text, str(path))
    return parse_questions(text, str(path))


def _text_of(path: Path) -> str:
    try:
        if path.is_file() and path.stat().st_size > MAX_BYTES:
            raise UsageError(f"{path}: this question file is larger than {MAX_BYTES:,} bytes.")
        data = path.read_bytes()
        return data.decode("utf-16" if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: the questions cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"{path}:{line}: the questions cannot be read: this is not UTF-8. Save the file as UTF-8 "
            '(a table in Excel: "CSV UTF-8").'
        ) from error
    except ValueError as error:  # a name that no file can have
        raise UsageError(f"{path}: the questions cannot be read ({error}).") from error
