"""Find the code blocks of Markdown pages, run them, and compare what they print with what the page shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^(?P<indent> *)(?P<marks>`{3,}|~{3,})(?P<info>[^`]*)$")

#: Commands that install or need the repository's Makefile: shown, never run by the tests.
NOT_RUN = ("make", "pip", "git")


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeBlock:
    """A fenced block: its page, the line of its first code line, its language and its text."""

    page: Path
    line: int
    language: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One ``$ command`` of a console block and the output that the page shows below it."""

    line: int
    text: str
    output: str


def code_blocks(page: Path) -> Iterator[CodeBlock]:
    """Yield the fenced blocks of a page in order."""
    marks, language, start, lines = "", "", 0, list[str]()
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        fence = _FENCE.match(line)
        if not marks and fence:
            marks, language, start, lines = fence["marks"], fence["info"].strip().split(" ")[0], number + 1, []
        elif marks and fence and fence["marks"].startswith(marks) and not fence["info"].strip():
            yield CodeBlock(page=page, line=start, language=language, text="\n".join(lines) + "\n")
            marks = ""
        elif marks:
            lines.append(line)


def commands(block: CodeBlock) -> Iterator[Command]:
    """Yield the commands of a console block; in a bash block every line is a command and no output is shown."""
    command, line, output = "", 0, list[str]()
    for number, text in enumerate(block.text.splitlines(), start=block.line):
        if command.endswith("\\"):
            command = command[:-1] + text.lstrip("> ")
        elif text.startswith("$ ") or (block.language == "bash" and text.strip() and not text.startswith("#")):
            if command:
                yield Command(line=line, text=command, output="\n".join(output))
            command, line, output = text.removeprefix("$ "), number, []
        elif block.language != "bash":
            output.append(text)
    if command:
        yield Command(line=line, text=command, output="\n".join(output))


def is_run(command: Command) -> bool:
    """Return whether the tests run a command."""
    return command.text.split()[0] not in NOT_RUN


def shows(expected: str, printed: str) -> bool:
    """Return whether ``printed`` is what a page shows, with ``...`` (or ``…``) for anything, white space collapsed."""
    if not expected.strip():
        return True
    pieces = [" ".join(piece.split()) for piece in re.split(r"\.\.\.|…", expected)]
    pattern = ".*?".join(re.escape(piece) for piece in pieces)
    return re.fullmatch(pattern, " ".join(printed.split()), flags=re.DOTALL) is not None
