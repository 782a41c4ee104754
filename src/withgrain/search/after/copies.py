"""Fold copies: the same section of the same title in several documents is one hit that names the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from withgrain.model import content_key
from withgrain.search.pool import ById
from withgrain.types import Snapshot


@dataclass(frozen=True, slots=True)
class Folded:
    """A chunk of the ranking that stands for its copies.

    Attributes:
        chunk_id: The chunk, the best of them.
        score: Its score.
        documents: The documents of the others, best first.
    """

    chunk_id: str
    score: float
    documents: list[str] = field(default_factory=list)


class Folding:
    """Folds the first chunks of a ranking, and then more of them.

    A copy has the same title, heading path and words, and stands in another document. Equal bodies under different
    headings are different texts. Nothing is read but names, and bodies of chunks whose names are equal, each once.
    """

    def __init__(self, snapshot: Snapshot, candidates: ById, order: Sequence[tuple[str, float]]) -> None:
        """Fold ``order``: candidates with their scores, best first."""
        self._snapshot, self._order, self._rows = snapshot, order, candidates.rows
        self._places = [candidates.place(chunk_id) for chunk_id, _ in order]
        self._names: list[tuple[str, ...]] = []
        self._words: dict[str, str] = {}

    def first(self, count: int) -> list[Folded]:
        """Return those of the first chunks that are no copies of better ones, in their order."""
        self._names += self._rows.names(self._places[len(self._names) : count])
        self._read(count)
        best: dict[tuple[str, ...], tuple[str, Folded]] = {}
        kept: list[Folded] = []
        for (chunk_id, score), place, name in zip(self._order[:count], self._places, self._names, strict=False):
            document, key = self._rows.doc_ids[place], (*name, self._words.get(chunk_id, ""))
            owner, of = best.get(key, (document, None))
            if of is not None and owner != document:
                of.documents.append(document)
                continue
            kept.append(Folded(chunk_id, score))
            best.setdefault(key, (document, kept[-1]))
        return kept

    def _read(self, count: int) -> None:
        """Have a key of the words of each of the first chunks that shares its name with another of them."""
        names = self._names[:count]
        shared = Counter(names)
        ids = (chunk_id for (chunk_id, _), name in zip(self._order, names, strict=False) if shared[name] > 1)
        missing = [chunk_id for chunk_id in ids if chunk_id not in self._words]
        if missing:
            texts = self._snapshot.bodies(missing)
            keys = {text: content_key(text) for text in set(texts.values())}
            self._words |= {chunk_id: keys[text] for chunk_id, text in texts.items()}
