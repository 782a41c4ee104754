"""What is done after ranking, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from withgrain.errors import UsageError
from withgrain.types import Reranker

Expand = Literal["none", "neighbours", "section"]
_EXPANSIONS = ("none", "neighbours", "section")


@dataclass(frozen=True, slots=True, kw_only=True)
class After:
    """What is done with the fused ranking. The default only returns ordered lists whole and folds copies.

    Attributes:
        reranker: Reads the first candidates again; None keeps the fused order.
        reranked: How many candidates it reads.
        rerank_weight: Weight of its standard score beside that of fusion; ``inf`` lets it decide alone.
        expand: ``neighbours`` adds the chunks before and after a hit, ``section`` the whole section. Context is what
            it is for, so a filter does not stop it, but for one on the domain: no chunk of another domain is taken in.
        lists: Whether an ordered list that was cut is returned whole, where a piece of it is among the first five hits.
        merge: Whether two hits or more that cover half of their section become one hit, the section, where that has no
            more than 6,000 characters (auto-merge). Beside ``neighbours`` both are done; ``section`` does it anyway.
        collapse: Whether each document gives one hit, its best, with the number of hits that it stands for.
        diversity: 0 ranks by score alone; towards 1, a hit that is like a better one falls back (MMR).
    """

    reranker: Reranker | None = None
    reranked: int = 30
    rerank_weight: float = 1.0
    expand: Expand = "none"
    lists: bool = True
    merge: bool = False
    collapse: bool = False
    diversity: float = 0.0

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing.

        Raises:
            UsageError: A number out of its range, or an unknown expansion.
        """
        if self.expand not in _EXPANSIONS:
            raise UsageError(f'expand is "{self.expand}"; use one of: {", ".join(_EXPANSIONS)}.')
        if self.reranked < 1 or not self.rerank_weight >= 0:
            raise UsageError('"reranked" must be 1 or more and "rerank_weight" 0 or more.')
        if not 0 <= self.diversity <= 1:
            raise UsageError(f"diversity is {self.diversity}; it must be from 0 (by score alone) to 1.")
