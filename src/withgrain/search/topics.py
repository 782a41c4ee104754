"""What a collection is about: documents in clusters, each with the words and headings that stand for it.

Documents are points on a sphere: their vectors, or hashed terms where there are none. Clusters are made by spherical
k-means; it starts from points that are far from each other instead of random ones, so that the same collection always
has the same topics.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from zlib import crc32

from withgrain.model import DocumentRecord
from withgrain.tokens.terms import terms as terms_of
from withgrain.types import Snapshot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

#: Length of a vector of hashed terms.
HASHED = 512
ROUNDS = 30
#: Words and headings that are shown for a topic.
SHOWN_WORDS = 6
SHOWN_HEADINGS = 5
#: Chunks of a document in which the words of its terms are looked for.
SHOWN_CHUNKS = 40
_WORD = re.compile(r"[^\W\d_]{2,40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """Documents that are about the same.

    Attributes:
        words: Words that are frequent here and rare elsewhere, as the documents nearest to the middle write them.
        headings: Headings of the documents that are nearest to the middle.
        documents: Paths, the nearest to the middle first.
        chunks: Number of their chunks.
    """

    words: tuple[str, ...]
    headings: tuple[str, ...]
    documents: tuple[str, ...]
    chunks: int


def topics(snapshot: Snapshot, count: int | None = None) -> tuple[Topic, ...]:
    """Return the topics, the largest first; the same for the same state.

    Args:
        snapshot: The state to look at.
        count: How many; the root of half the number of documents when None, at most 40.
    """
    documents = [d for d in snapshot.documents() if d.chunks]
    if not documents:
        return ()
    terms = {d.id: _terms(snapshot, d) for d in documents}
    matrix = _matrix(snapshot, documents, terms)
    wanted = count or min(40, max(1, round(math.sqrt(len(documents) / 2))))
    groups, closeness = _clusters(matrix, min(wanted, len(documents)))
    frequencies = Counter(term for some in terms.values() for term in some)
    found = []
    for number in sorted(set(groups)):
        inside = [n for n, group in enumerate(groups) if group == number]
        inside.sort(key=lambda n: (-closeness[n], documents[n].uri))
        found.append(_topic(snapshot, [documents[n] for n in inside], terms, frequencies, len(documents)))
    return tuple(sorted(found, key=lambda t: (-len(t.documents), t.documents)))


def _topic(
    snapshot: Snapshot,
    documents: Sequence[DocumentRecord],
    terms: Mapping[str, Counter[str]],
    frequencies: Mapping[str, int],
    total: int,
) -> Topic:
    holders = Counter(term for d in documents for term in terms[d.id])
    elsewhere = max(1, total - len(documents))
    scores: dict[str, float] = {}
    for term, number in holders.items():
        if len(term) > 2 and not term.isdigit():
            here, there = number / len(documents), (frequencies[term] - number) / elsewhere
            scores[term] = here * math.log((here + 0.05) / (there + 0.05))
    headings: dict[str, None] = {}
    for document in documents[:SHOWN_HEADINGS]:
        headings[document.title] = None
        for record in snapshot.chunks(doc_id=document.id)[:2]:
            if record.chunk.heading_path:
                headings[record.chunk.heading_path[-1]] = None
    best = sorted(scores, key=lambda t: (-scores[t], t))[:SHOWN_WORDS]
    return Topic(
        words=_as_written(snapshot, documents[:SHOWN_HEADINGS], best),
        headings=tuple(headings)[:SHOWN_HEADINGS],
        documents=tuple(d.path for d in documents),
        chunks=sum(d.chunks for d in documents),
    )


def _as_written(snapshot: Snapshot, documents: Sequence[DocumentRecord], wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the commonest word of each term ("every" for "everi"); the term itself where no word gives just that."""
    words: dict[str, Counter[str]] = {term: Counter() for term in wanted}
    for document in documents:
        for record in snapshot.chunks(doc_id=document.id)[:SHOWN_CHUNKS]:
            for word in _WORD.findall(record.chunk.body.lower()):
                given = terms_of(word, document.language)
                if len(given) == 1 and given[0] in words:
                    words[given[0]][word] += 1
    return tuple(min(found, key=lambda w: (-found[w], w)) if found else term for term, found in words.items())


def _terms(snapshot: Snapshot, document: DocumentRecord) -> Counter[str]:
    return Counter(t for r in snapshot.chunks(doc_id=document.id) for t in r.terms.split(" ") if t)


def _matrix(snapshot: Snapshot, documents: Sequence[DocumentRecord], terms: Mapping[str, Counter[str]]) -> Matrix:
    """Return a row of length 1 a document."""
    import numpy as np

    vectors = snapshot.document_vectors() if snapshot.contract.dims else {}
    if all(d.id in vectors for d in documents):
        matrix = np.array([vectors[d.id] for d in documents], dtype=np.float32)
    else:
        frequencies = Counter(term for some in terms.values() for term in some)
        matrix = np.zeros((len(documents), HASHED), dtype=np.float32)
        for row, document in enumerate(documents):
            for term, number in terms[document.id].items():
                key = crc32(term.encode("utf-8", "surrogatepass"))
                weight = (1 + math.log(number)) * math.log(1 + len(documents) / frequencies[term])
                matrix[row, key % HASHED] += weight if key & 0x10000 else -weight
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    scaled: Matrix = (matrix / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return scaled


def _clusters(matrix: Matrix, count: int) -> tuple[list[int], list[float]]:
    """Return the cluster of each row, and its cosine to the middle of it."""
    import numpy as np

    centres = matrix[_far_apart(matrix, count)]
    groups = np.zeros(len(matrix), dtype=np.int64)
    for _ in range(ROUNDS):
        nearest = (matrix @ centres.T).argmax(axis=1)
        if (nearest == groups).all() and _:
            break
        groups = nearest
        for number in range(len(centres)):
            middle = matrix[groups == number].sum(axis=0)
            length = float(np.linalg.norm(middle))
            if length:
                centres[number] = middle / length
    cosines = (matrix * centres[groups]).sum(axis=1)
    return groups.tolist(), [round(c, 5) for c in cosines.tolist()]


def _far_apart(matrix: Matrix, count: int) -> list[int]:
    """Return rows to start from: the one nearest to the middle of all, then always the one farthest from those."""
    chosen = [int((matrix @ matrix.sum(axis=0)).argmax())]
    closest = matrix @ matrix[chosen[0]]
    while len(chosen) < count:
        chosen.append(int(closest.argmin()))
        closest = closest.clip(min=matrix @ matrix[chosen[-1]])
    return chosen
