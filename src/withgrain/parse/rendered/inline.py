"""The text of a paragraph, heading or cell while it is gathered: words, code, links, images, line breaks.

Emphasis is not written: it is no structure, and its marks would stand between a reader's words and the text.
"""

from __future__ import annotations

import re

from withgrain.parse.rendered.escape import escape_image, escape_label, escape_target, image_label

#: Longer targets are noted as links, but not written into the text.
LONGEST_TARGET = 300

_EXTERNAL = re.compile(r"(?:https?|mailto|ftp|tel):", re.IGNORECASE)
_UNWANTED = re.compile("[\x00\ufeff\ud800-\udfff]")
_TICKS = re.compile("`+")


def clean(text: str) -> str:
    """Return text without what no canonical text holds: NUL, byte order marks, lone surrogates."""
    return _UNWANTED.sub("", text)


class Inline:
    """Gathers inline content; runs of white space become one space, those beside a line break vanish.

    Attributes:
        links: (start, end, target) of links and images, offsets in `markdown`.
        pages: (offset in `markdown`, page) where a new page begins inside.
    """

    __slots__ = ("_length", "_open", "_out", "_plain", "_space", "links", "pages")

    def __init__(self, text: str = "") -> None:
        self._out: list[str] = []
        self._plain: list[str] = []
        self._length = 0
        self._space = False
        self._open: list[tuple[int, int, int, str]] = []
        self.links: list[tuple[int, int, str]] = []
        self.pages: list[tuple[int, int]] = []
        if text:
            self.text(text)

    def __bool__(self) -> bool:
        """Return whether there is anything but white space."""
        return bool(self._out)

    @property
    def markdown(self) -> str:
        """The content as Markdown; a line feed for every line break. Starts of lines are not escaped yet."""
        return "".join(self._out)

    @property
    def plain(self) -> str:
        """The words on one line."""
        return " ".join("".join(self._plain).split())

    @property
    def is_figure(self) -> bool:
        """Whether it holds images and nothing else."""
        images = [part for part in self._out if part.startswith("![")]
        return bool(images) and len(images) == sum(not part.isspace() for part in self._out)

    def text(self, text: str) -> None:
        """Add words as they are read, white space collapsed."""
        words = clean(text).split()
        if not words:
            self._space = self._space or bool(text)
            return
        if text[0].isspace():
            self._space = True
        joined = " ".join(words)
        if joined[0] == "[" and not self._space:
            self._part_from_exclamation(len(self._out))
        self._add(escape_image(joined), joined)
        self._space = text[-1].isspace()

    def code(self, text: str) -> None:
        """Add a code span."""
        joined = " ".join(clean(text).split())
        if not joined:
            self.text(text)
            return
        runs = {len(run) for run in _TICKS.findall(joined)}
        ticks = "`" * next(n for n in range(1, len(runs) + 2) if n not in runs)
        pad = " " if joined[0] == "`" or joined[-1] == "`" else ""
        self._add(f"{ticks}{pad}{joined}{pad}{ticks}", joined)

    def math(self, tex: str) -> None:
        """Add a formula in TeX."""
        joined = " ".join(clean(tex).split())
        if joined:
            self._add(joined if "$" in joined else f"${joined}$", joined)

    def note(self, label: str) -> None:
        """Add a reference to the footnote with this label."""
        label = "".join(clean(label).split()).replace("]", "").replace("[", "")
        if label:
            self._add(f"[^{label}]", "")

    def image(self, alt: str, target: str = "") -> None:
        """Add an image that has a description; one without says nothing."""
        alt = " ".join(clean(alt).split())
        if not alt:
            return
        target = "" if target.startswith("data:") or len(target) > LONGEST_TARGET else "".join(clean(target).split())
        self._add(f"![{image_label(alt)}]({escape_target(target)})", alt)
        if target:
            self.links.append((self._length - len(self._out[-1]), self._length, target))

    def line_break(self) -> None:
        """End the line; breaks at the start and doubled breaks say nothing."""
        self._space = False
        if self._out and self._out[-1] != "\n":
            self._out.append("\n")
            self._plain.append("\n")
            self._length += 1

    def space(self) -> None:
        """Part what comes from what was."""
        self._space = True

    def page(self, number: int) -> None:
        """Note that what comes next stands on this page."""
        self._flush_space()
        self.pages.append((self._length, number))

    def begin_link(self, target: str) -> None:
        """Begin a link; `end_link` ends it."""
        self._flush_space()
        self._open.append((len(self._out), self._length, len(self._plain), target.strip()))

    def end_link(self) -> None:
        """End the innermost link. The target of an external one is written, any other is only noted."""
        index, start, plain_index, target = self._open.pop()
        if len(self._out) == index or not target:
            return
        shown = "".join(self._out[index:])
        bare = "".join(self._plain[plain_index:]).strip()
        written = (
            not self._open
            and _EXTERNAL.match(target)
            and len(target) <= LONGEST_TARGET
            and not any(character.isspace() for character in target)
            and not any(part.startswith(("![", "[^")) or part == "\n" for part in self._out[index:])
            and bare not in (target, target.partition(":")[2].lstrip("/"))
        )
        if written:
            parts = [part if part.startswith("`") else escape_label(part) for part in self._out[index:]]
            link = f"[{''.join(parts)}]({escape_target(target)})"
            self._out[index:] = [link]
            self._length += len(link) - len(shown)
            start += self._part_from_exclamation(index)
        self.links.append((start, self._length, target))

    def finish(self) -> None:
        """End what is open, and take off white space and line breaks at the end."""
        while self._open:
            self.end_link()
        self._space = False
        while self._out and self._out[-1].isspace():
            self._length -= len(self._out.pop())

    def _flush_space(self) -> None:
        if self._space and self._out and self._out[-1] != "\n":
            self._out.append(" ")
            self._plain.append(" ")
            self._length += 1
        self._space = False

    def _part_from_exclamation(self, index: int) -> int:
        """Escape an exclamation mark in front of a bracket, which would make an image of it."""
        before = self._out[index - 1] if index else ""
        if not before.endswith("!") or before.endswith("\\!"):
            return 0
        self._out[index - 1] = before[:-1] + "\\!"
        self._length += 1
        return 1

    def _add(self, markdown: str, plain: str) -> None:
        self._flush_space()
        self._out.append(markdown)
        self._plain.append(plain)
        self._length += len(markdown)
