"""The numbers of ranking, as data: a value to name, to store with a policy, and to compare in an evaluation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from withgrain.errors import UsageError
from withgrain.types import Embedder

Fusion = Literal["zscore", "rrf"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How the channels are scored and put together. The defaults were chosen on development questions.

    Attributes:
        lexical: Weight of BM25 over chunks.
        dense: Weight of the cosine of the best leaf.
        document: Weight of BM25 over documents.
        synonyms: How much other words for an operation or entity of the question count beside its own, 0 to 1.
        fusion: ``zscore`` adds weighted standard scores; ``rrf`` adds weighted reciprocal ranks.
        late: Weight, among the first candidates, of the nearness of tokens beside the score of all channels; where the
            collection keeps token vectors.
        late_candidates: How many candidates are the first ones.
        exact: Whether chunks that have the query's identifiers literally come first.
        candidates: How many chunks each channel may propose.
        k1: BM25: how fast repetition of a term stops to count.
        b: BM25: how much length counts, 0 to 1.
        rrf_constant: The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009: 60).
    """

    lexical: float = 1.0
    dense: float = 1.0
    document: float = 0.25
    synonyms: float = 0.0
    fusion: Fusion = "zscore"
    late: float = 1.0
    late_candidates: int = 30
    exact: bool = True
    candidates: int = 300
    k1: float = 1.2
    b: float = 0.75
    rrf_constant: int = 60

    @classmethod
    def of(cls, embedder: Embedder | None) -> Weights:
        """Return the weights for an embedder: one whose vectors count less has an attribute ``dense_weight``."""
        return cls(dense=getattr(embedder, "dense_weight", 1.0))

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing.

        Raises:
            UsageError: A weight is negative or not finite, or another number is out of its range.
        """
        for name in ("lexical", "dense", "document", "synonyms", "late", "k1"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise UsageError(f'The search weight "{name}" is {value}; it must be 0 or more.')
        if not 0 <= self.b <= 1:
            raise UsageError(f'The search weight "b" is {self.b}; it must be from 0 to 1.')
        if min(self.candidates, self.late_candidates, self.rrf_constant) < 1:
            raise UsageError('The search weights "candidates", "late_candidates" and "rrf_constant" must be 1 or more.')
        if self.fusion not in ("zscore", "rrf"):
            raise UsageError(f'The fusion is "{self.fusion}"; use "zscore" or "rrf".')
