"""Find the documents that questions name, and their evidence in the canonical text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from withgrain.evaluate.questions import EvalQuestion, Place, Reference
from withgrain.model import DocumentRecord, Span
from withgrain.types import Snapshot


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
    """

    question: EvalQuestion
    document: DocumentRecord
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """Questions that can be asked, and why the others cannot.

    Attributes:
        gold: In the order of the file.
        problems: ``(line, sentence)`` of each question that was left out.
    """

    gold: tuple[Gold, ...]
    problems: tuple[tuple[int, str], ...] = field(default=())


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
        wanted = name.strip("/")
        found = self._by_end.get(wanted, [])
        whole = [d for d in found if wanted in (d.path, d.uri, str(PurePosixPath(d.path).with_suffix("")))]
        found = whole if len(whole) == 1 else found
        if not found:
            raise ValueError(f'no document of the collection is called "{name}"')
        if len(found) > 1:
            names = ", ".join(sorted(d.uri for d in found)[:3])
            raise ValueError(f'"{name}" may mean {len(found)} documents ({names}); write more of the path')
        return found[0]


def _ends(document: DocumentRecord) -> set[str]:
    parts = PurePosixPath(document.uri).parts
    ends = {"/".join(parts[i:]) for i in range(len(parts))}
    return ends | {str(PurePosixPath(end).with_suffix("")) for end in ends}


def locate(questions: Sequence[EvalQuestion], snapshot: Snapshot) -> Located:
    """Find every question's documents and evidence; say which questions cannot be asked, and why."""
    names = Names(snapshot.documents())
    texts: dict[str, DocumentRecord] = {}

    def full(name: str) -> DocumentRecord:
        doc_id = names.find(name).id
        if doc_id not in texts:
            record = snapshot.document(doc_id)
            if record is None:
                raise ValueError(f'the document "{name}" has no text in the collection')
            texts[doc_id] = record
        return texts[doc_id]

    gold: list[Gold] = []
    problems: list[tuple[int, str]] = []
    for question in questions:
        try:
            document = full(question.doc_id)
            evidence = tuple(_evidence(document, reference, full) for reference in question.references)
        except ValueError as error:
            problems.append((question.line, f"{question.id}: {error}"))
        else:
            gold.append(Gold(question=question, document=document, evidence=evidence))
    return Located(gold=tuple(gold), problems=tuple(problems))


def _evidence(document: DocumentRecord, reference: Reference, full: Callable[[str], DocumentRecord]) -> Evidence:
    """Return the places of one piece; a verbatim repetition in a document that is not there is left out."""
    if not reference.places:
        return _by_text(document, reference.text)
    first, *others = reference.places
    record = full(first.doc_id)
    if record.rendered:  # no offsets into the source: the words must do
        return _by_text(record, reference.text)
    places = [(record.id, to_canonical(record, first))]
    for other in others:
        try:
            record = full(other.doc_id)
            places.append((record.id, to_canonical(record, other)))
        except ValueError:
            continue
    return Evidence(places=tuple(places))


def _by_text(document: DocumentRecord, text: str) -> Evidence:
    start = document.text.find(text) if text else -1
    if start < 0:
        raise ValueError(f'the evidence "{text[:60]}" is not in the text of {document.path}')
    return Evidence(places=((document.id, Span(start=start, end=start + len(text))),))


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
