"""BM25 over chunks, with exact statistics of the collection or of the part of it that a filter leaves.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), section 3; idf in the form that
is never negative, ``log(1 + (N - n + 0.5) / (n + 0.5))``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from withgrain.types import Statistics


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorer:
    """BM25 for one question.

    Attributes:
        weights: For each term of the question, its idf times its count in the question.
        average_length: Mean number of terms.
        k1: How fast repetition stops to count.
        b: How much length counts.
    """

    weights: Mapping[str, float]
    average_length: float
    k1: float
    b: float

    def parts(self, counts: Mapping[str, int], length: float) -> dict[str, float]:
        """Return what each term of the question adds to the score of a text of ``length`` terms, by their counts."""
        relative = length / self.average_length if self.average_length else 1.0
        norm = self.k1 * (1 - self.b + self.b * relative)
        return {
            term: self.weights[term] * count * (self.k1 + 1) / (count + norm)
            for term, count in counts.items()
            if term in self.weights
        }


def idf(chunks: int, frequency: int) -> float:
    """Return how much a term that ``frequency`` of ``chunks`` chunks have tells; 0 or more."""
    return math.log1p((chunks - min(frequency, chunks) + 0.5) / (frequency + 0.5))


def scorer(asked: Mapping[str, float], statistics: Statistics, *, k1: float, b: float) -> Scorer:
    """Return the scorer for the ``asked`` terms (with their counts in the question)."""
    weights = {term: n * idf(statistics.chunks, statistics.frequencies.get(term, 0)) for term, n in asked.items()}
    return Scorer(weights=weights, average_length=statistics.average_length, k1=k1, b=b)


def count_terms(text: str, asked: Mapping[str, float]) -> tuple[dict[str, int], int]:
    """Return how often each asked term stands in ``text`` (terms separated by spaces), and its number of terms."""
    counts: dict[str, int] = {}
    words = text.split()
    for word in words:
        if word in asked:
            counts[word] = counts.get(word, 0) + 1
    return counts, len(words)
