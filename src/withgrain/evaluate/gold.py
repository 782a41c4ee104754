"""Find the documents that questions name, and their evidence in the canonical text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import PurePosixPath

from withgrain.evaluate.questions import EvalQuestion, Place, Problem, Reference
from withgrain.evaluate.quotes import Quotable
from withgrain.model import DocumentRecord, Span, stored_path
from withgrain.types import Snapshot

#: Among more names than these the nearest is not looked for: a question file may name many that are not there.
_MANY = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One piece of gold: the places where it stands, the first one or any verbatim repetition, in canonical text."""

    places: tuple[tuple[str, Span], ...]

    @property
    def length(self) -> int:
        """Its length in characters."""
        return len(self.places[0][1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold:
    """A question whose documents are in the collection.

    Attributes:
        question: The question.
        document: The document it names.
        evidence: The evidence.
        header: The text of the header rows that a row of evidence should come with; empty when none is given.
    """

    question: EvalQuestion
    document: DocumentRecord
    evidence: tuple[Evidence, ...] = ()
    header: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """Questions that can be asked, and why the others cannot.

    Attributes:
        gold: In the order of the file.
        problems: One for each question that was left out.
    """

    gold: tuple[Gold, ...]
    problems: tuple[Problem, ...] = field(default=())


class Names:
    """The documents of a collection by the ends of their paths."""

    def __init__(self, documents: Sequence[DocumentRecord]) -> None:
        self._by_end: dict[str, list[DocumentRecord]] = {}
        for document in documents:
            for end in _ends(document):
                self._by_end.setdefault(end, []).append(document)

    def find(self, name: str) -> DocumentRecord:
        """Return the document that ``name`` means: its path or the end of it, with or without suffix.

        A whole path wins over ends.

        Raises:
            ValueError: There is none, or several.
        """
        wanted = stored_path(name).strip("/")
        if wanted not in self._by_end:  # written on a system that parts folders by backslashes
            wanted = stored_path(wanted.replace("\\", "/"))
        found = self._by_end.get(wanted, [])
        whole = [d for d in found if wanted in _with_stems(d.names)]
        found = whole if len(whole) == 1 else found
        if not found:
            raise ValueError(f'no document of the collection is called "{name}"{self._nearest(wanted)}')
        if len(found) > 1:
            names = ", ".join(sorted(d.uri for d in found)[:3])
            raise ValueError(f'"{name}" may mean {len(found)} documents ({names}); write more of the path')
        return found[0]

    def _nearest(self, wanted: str) -> str:
        ends = {end.casefold(): end for end in self._by_end} if len(self._by_end) < _MANY else {}
        near = get_close_matches(wanted[:300].casefold(), ends, n=1, cutoff=0.8)
        return f'; did you mean "{ends[near[0]]}"?' if near else ""


def _ends(document: DocumentRecord) -> set[str]:
    paths = (PurePosixPath(uri).parts for uri in (document.uri, *document.copies))
    return _with_stems("/".join(parts[i:]) for parts in paths for i in range(len(parts)))


def _with_stems(paths: Iterable[str]) -> set[str]:
    every = set(paths)
    return every | {str(PurePosixPath(path).with_suffix("")) for path in every}


class Documents:
    """The documents of a collection with their texts, each read once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._names = Names(snapshot.documents())
        self._read: dict[str, DocumentRecord] = {}
        self._quotable: dict[str, Quotable] = {}

    def named(self, name: str) -> DocumentRecord:
        """Return the document that a question file calls ``name``, with its text.

        Raises:
            ValueError: There is none, or several.
        """
        return self.by_id(self._names.find(name).id)

    def by_id(self, doc_id: str) -> DocumentRecord:
        """Return a document with its text.

        Raises:
            ValueError: It is not there.
        """
        if doc_id not in self._read:
            record = self._snapshot.document(doc_id)
            if record is None:
                raise ValueError(f'the document "{doc_id}" has no text in the collection')
            self._read[doc_id] = record
        return self._read[doc_id]

    def quotable(self, record: DocumentRecord) -> Quotable:
        """Return the text of a document, ready to look up quotes."""
        return self._quotable.setdefault(record.id, Quotable(record.text))


def locate(questions: Sequence[EvalQuestion], snapshot: Snapshot, documents: Documents | None = None) -> Located:
    """Find every question's documents and evidence; say which questions cannot be asked, and why."""
    known = documents or Documents(snapshot)
    gold: list[Gold] = []
    problems: list[Problem] = []
    for question in questions:
        try:
            gold.append(_gold(question, known))
        except ValueError as error:
            problems.append(Problem(file=question.file, line=question.line, question=question.id, message=str(error)))
    return Located(gold=tuple(gold), problems=tuple(problems))


def _gold(question: EvalQuestion, documents: Documents) -> Gold:
    document = documents.named(question.doc_id)
    header = question.table_header
    text = ""
    if header is not None:
        text = header.text
        if header.places:
            evidence = _evidence(document, header, documents)
            doc_id, span = evidence.places[0]
            text = span.of(documents.by_id(doc_id).text)
    return Gold(
        question=question,
        document=document,
        evidence=_apart([_evidence(document, reference, documents) for reference in question.references]),
        header=text,
    )


def _apart(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Return the evidence with every character once: the same piece twice is one, and overlapping ones are joined."""
    found: dict[tuple[tuple[str, Span], ...], None] = {}
    for piece in evidence:
        places = piece.places
        for known in [k for k in found if len(k) == len(places) == 1 and k[0][0] == places[0][0]]:
            (doc_id, span), (_, other) = places[0], known[0]
            if span.overlaps(other):
                del found[known]
                places = ((doc_id, Span(start=min(span.start, other.start), end=max(span.end, other.end))),)
        found[places] = None
    return tuple(Evidence(places=places) for places in found)


def _evidence(document: DocumentRecord, reference: Reference, documents: Documents) -> Evidence:
    """Return the places of one piece; a repetition that is not there, or has other words by now, is left out."""
    if not reference.places:
        named = documents.named(reference.doc_id) if reference.doc_id else document
        return _by_text(named, reference.text, documents)
    first, *others = reference.places
    record = documents.named(first.doc_id)
    if record.rendered:  # no offsets into the source: the words must do, at every place that has them
        return _by_text(record, reference.text, documents, repeated=True)
    span = to_canonical(record, first)
    _check_text(record, span, reference.text)
    words = span.of(record.text)
    places = [(record.id, span)]
    for other in others:
        try:
            record = documents.named(other.doc_id)
            repeated = to_canonical(record, other)
            _check_text(record, repeated, words)
            places.append((record.id, repeated))
        except ValueError:
            continue
    return Evidence(places=tuple(places))


def _check_text(record: DocumentRecord, span: Span, text: str) -> None:
    """Refuse offsets that point at other words than the evidence: the document was edited since."""
    if text and _letters(span.of(record.text)) != _letters(text):
        there = " ".join(span.of(record.text).split())[:40]
        raise ValueError(
            f'{record.path} has "{there}" at {span.start}-{span.end}, not the evidence: it was edited since the '
            "question was written"
        )


def _letters(text: str) -> str:
    return "".join(text.replace("\0", "").replace("\ufeff", "").split())


def _by_text(document: DocumentRecord, text: str, documents: Documents, *, repeated: bool = False) -> Evidence:
    found = documents.quotable(document).find(text)
    shown = " ".join(text.split())[:60]
    if not found:
        raise ValueError(f'the evidence "{shown}" is not in the text of {document.path}')
    if len(found) > 1 and not repeated:
        lines = ", ".join(str(document.text.count("\n", 0, s.start) + 1) for s in found[:5])
        raise ValueError(
            f'the evidence "{shown}" occurs {len(found)} times in {document.path} (lines {lines}); quote more of it'
        )
    return Evidence(places=tuple((document.id, span) for span in found))


def to_source(document: DocumentRecord, span: Span) -> Span | None:
    """Return where a range of the canonical text stands in the decoded source; None for rendered formats."""
    if document.rendered:
        return None
    last = span.end - 1
    start = span.start + bisect_right(document.removed, span.start)
    return Span(start=start, end=last + bisect_right(document.removed, last) + 1)


def to_canonical(document: DocumentRecord, place: Place) -> Span:
    """Return where a range of the decoded source stands in the canonical text.

    The i-th removed character stood in front of canonical offset ``removed[i]``: at ``removed[i] + i`` in the source.

    Raises:
        ValueError: The range lies outside the document, or holds removed characters only.
    """
    places = [offset + i for i, offset in enumerate(document.removed)]
    start = place.start - bisect_left(places, place.start)
    end = place.end - bisect_left(places, place.end)
    if not 0 <= start < end <= len(document.text):
        size = len(document.text) + len(places)
        raise ValueError(f"{place.start}-{place.end} is outside of {document.path}, which has {size} characters")
    return Span(start=start, end=end)
