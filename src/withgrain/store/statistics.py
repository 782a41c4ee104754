"""Lexical statistics, and the BM25 score that they give."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from withgrain.types import Statistics

#: Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), section 3.4: common values.
K1 = 1.2
B = 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalStatistics(Statistics):
    """Exact statistics of the chunks inside a filter; see `withgrain.types.Statistics`."""

    chunks: int
    average_length: float
    frequencies: Mapping[str, int] = field(default_factory=dict)


def bm25(statistics: Statistics, counts: Mapping[str, int], length: int) -> float:
    """Return the BM25 score of a chunk.

    Args:
        statistics: Of the chunks that compete.
        counts: For each query term, how often the chunk has it.
        length: Number of terms of the chunk.
    """
    norm = K1 * (1 - B + B * length / statistics.average_length) if statistics.average_length else K1
    score = 0.0
    for term, count in counts.items():
        frequency = statistics.frequencies[term]
        idf = math.log1p((statistics.chunks - frequency + 0.5) / (frequency + 0.5))
        score += idf * count * (K1 + 1) / (count + norm)
    return score
