"""Data on stdout: JSON, or text for a person. Styles only on a terminal; nothing that a document says controls it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from withgrain.cli.talk import one_line, safe

if TYPE_CHECKING:
    from rich.console import Console


def write_json(value: Any, *, indent: int | None = None) -> None:
    """Write one JSON value and a line break; without ``indent`` on one line."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    text = json.dumps(value, ensure_ascii=encoding != "utf8", indent=indent)
    sys.stdout.write(text + "\n")


class Screen:
    """Text for a person, with styles where there is a terminal; else `rich` has nothing to do, and is not loaded."""

    def __init__(self) -> None:
        self._styled = sys.stdout.isatty() or "FORCE_COLOR" in os.environ

    def line(self, text: str = "", style: str | None = None) -> None:
        """Write one line; a line break in it is shown as a replacement character."""
        self.text(one_line(text), style)

    def text(self, text: str, style: str | None = None) -> None:
        """Write one line or several, as they are."""
        shown = safe(text)
        if self._styled or "\t" in shown:  # it sets tabs by the width of letters
            self._console.print(shown, style=style, markup=False, soft_wrap=True)
        else:
            sys.stdout.write(shown + "\n")

    @cached_property
    def _console(self) -> Console:
        from rich.console import Console

        return Console(highlight=False, soft_wrap=True, emoji=False)

    def fields(self, rows: Sequence[tuple[str, str]], *, indent: int = 0, style: str | None = None) -> None:
        """Write names and values in two columns."""
        width = max((len(name) for name, _ in rows), default=0)
        for name, value in rows:
            self.line(f"{' ' * indent}{name:<{width}}  {value}", style)

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Write a table: the first column to the left, the others to the right."""
        cells = [[safe(cell) for cell in row] for row in (header, *rows)]
        widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
        for number, row in enumerate(cells):
            aligned = (f"{c:<{w}}" if i == 0 else f"{c:>{w}}" for i, (c, w) in enumerate(zip(row, widths, strict=True)))
            self.line("  " + "  ".join(aligned).rstrip(), style="dim" if number == 0 else None)


def first_lines(text: str, count: int = 4, width: int = 160) -> list[str]:
    """Return the first non-empty lines of a text, cut to a width, with an ellipsis where something is left out."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    shown = [line if len(line) <= width else line[: width - 1] + "…" for line in lines[:count]]
    return [*shown, "…"] if len(lines) > count else shown


def plural(count: int, noun: str) -> str:
    """Return ``1 chunk``, ``2 chunks``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
