"""What is wrong with the chunks of a source, as counts of faults among cases."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from benchmarks.judge.placement import Placed, covered, inside, place
from benchmarks.judge.source import Piece, Source
from benchmarks.judge.structure import Range, Structure, key_of, structure

_WORD = re.compile(r"\w+")

#: In the order of the report: name, what a fault is, what the cases are.
MEASURES: dict[str, str] = {
    "fences": "fenced code blocks that fit and are in no chunk whole",
    "tables": "tables that fit and are in no chunk whole",
    "ordered_lists": "ordered lists that fit and are in no chunk whole",
    "headerless": "chunks that continue a table and do not repeat its header",
    "no_heading": "chunks without the heading that they stand under",
    "no_path": "chunks without one of the headings that they stand under",
    "over_limit": "chunks whose text is over the limit",
    "lost": "words that are in no chunk and in no heading path",
    "inexact": "chunks that are not the text of the source at the offsets claimed (or, without offsets, anywhere)",
    "hash_lines": "code lines beginning with # that are headings in a heading path",
}


@dataclass(slots=True)
class Tally:
    """Faults among cases."""

    faults: int = 0
    cases: int = 0

    def add(self, faulty: bool, cases: int = 1) -> None:
        """Count one case."""
        self.faults += faulty
        self.cases += cases

    @property
    def share(self) -> float:
        """Faults by cases; 0 where there are none."""
        return self.faults / self.cases if self.cases else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One fault, for finding it again."""

    measure: str
    file: str
    line: int
    text: str


@dataclass(slots=True)
class Score:
    """The tallies of one contestant over any number of sources."""

    tallies: dict[str, Tally] = field(default_factory=lambda: {name: Tally() for name in MEASURES})
    faults: list[Fault] = field(default_factory=list)
    chunks: int = 0
    files: int = 0

    @property
    def clean(self) -> bool:
        """Whether nothing was found."""
        return not any(t.faults for t in self.tallies.values())


Count = Callable[[str], int]


def score(source: Source, pieces: Sequence[Piece], limit: int, count: Count, into: Score) -> None:
    """Judge the pieces of one source and add to ``into``.

    Args:
        source: The file.
        pieces: In order.
        limit: The most tokens of a piece's text.
        count: Counts tokens.
        into: Where faults and cases are added.
    """
    found = structure(source.text, source.path) if source.markdown else Structure(title="")
    judge = _Judge(source, found, place(source.text, pieces), into)
    into.chunks += len(pieces)
    into.files += 1
    judge.blocks(limit, count)
    judge.tables()
    judge.headings()
    judge.words()
    judge.pieces(limit, count)
    judge.hash_lines()


class _Judge:
    def __init__(self, source: Source, found: Structure, placed: list[Placed], into: Score) -> None:
        self.source, self.found, self.placed, self.into = source, found, placed, into
        self.ranges = [r for p in placed for r in p.ranges]

    def note(self, measure: str, faulty: bool, at: int, text: str) -> None:
        self.into.tallies[measure].add(faulty)
        if faulty:
            line = self.source.text.count("\n", 0, at) + 1
            self.into.faults.append(Fault(measure=measure, file=self.source.path, line=line, text=text[:200]))

    def blocks(self, limit: int, count: Count) -> None:
        """A block fits when title, headings (at most a third of the limit) and block together are within the limit."""
        groups: tuple[tuple[str, Iterable[Range]], ...] = (
            ("fences", self.found.fences),
            ("tables", (t.range for t in self.found.tables)),
            ("ordered_lists", self.found.ordered_lists),
        )
        for measure, blocks in groups:
            for start, end in blocks:
                names = [self.found.title, *(h.text for h in self.found.path_at(start))]
                above = min(limit // 3, count(" > ".join(names)))
                body = self.source.text[start:end]
                if above + count(body) <= limit:
                    whole = any(a <= start and end <= b for a, b in self.ranges)
                    self.note(measure, not whole, start, body)

    def tables(self) -> None:
        for table in self.found.tables:
            first, end = table.rows
            for p in self.placed:
                inner = [r for r in p.ranges if r[0] < end and first < r[1] and r[0] > table.range[0]]
                if inner and table.header and self.source.text[max(first, inner[0][0]) : min(end, inner[0][1])].strip():
                    self.note("headerless", table.header not in key_of(p.piece.text), inner[0][0], p.piece.text)

    def headings(self) -> None:
        for p in self.placed:
            if not p.ranges:
                continue
            start, end = p.ranges[0]
            body = self.source.text[start:end]
            at = start + len(body) - len(body.lstrip())
            path = [h for h in self.found.path_at(at) if h.key]
            if not path:
                continue
            given = key_of("".join((*p.piece.path, p.piece.text)))
            self.note("no_heading", path[-1].key not in given, at, p.piece.text)
            self.note("no_path", not all(h.key in given for h in path), at, p.piece.text)

    def words(self) -> None:
        given = "\n".join({key_of(name) for p in self.placed for name in (*p.piece.path, p.piece.text)})
        named = [h.range for h in self.found.headings if h.key in given]
        union = covered([*self.ranges, *self.found.declared, *named, *self.named_lines()])
        for match in _WORD.finditer(self.source.text):
            lost = not inside(union, match.start())
            self.note("lost", lost, match.start(), match[0])

    def named_lines(self) -> Iterable[Range]:
        """Yield the lines that are, word for word, a heading in a path: what plain text has for headings."""
        names = {key_of(name) for p in self.placed for name in p.piece.path} - {""}
        at = 0
        for line in self.source.text.split("\n") if names else ():
            if key_of(line) in names:
                yield at, at + len(line)
            at += len(line) + 1

    def pieces(self, limit: int, count: Count) -> None:
        for p in self.placed:
            at = p.ranges[0][0] if p.ranges else 0
            size = count(p.piece.text)
            self.note("over_limit", size > limit, at, f"{size} tokens: {p.piece.text}")
            self.note("inexact", not p.exact, at, p.piece.body)

    def hash_lines(self) -> None:
        taken = {key_of(name) for p in self.placed for name in p.piece.path}
        for line in sorted(self.found.hash_lines):
            self.note("hash_lines", line in taken, 0, line)
