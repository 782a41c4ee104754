"""Late interaction over what the collection keeps: the first candidates in the order of their tokens' nearness.

One vector a leaf says what a text is about; the vectors of its tokens say whether it says what was asked. They are made
in the same run of the model at ingestion and kept as 16 bytes a token, so a question costs no run of the model more.
Source: ColBERT (Khattab and Zaharia, SIGIR 2020); here with a sentence model that was never trained for it.
"""

from __future__ import annotations

from collections.abc import Mapping

from withgrain.search.after.order import Ranking, reordered
from withgrain.search.weights import Weights
from withgrain.types import Snapshot, TokenEmbedder


def by_tokens(
    snapshot: Snapshot,
    question: str,
    ranking: Ranking,
    first: Mapping[str, float],
    weights: Weights,
    embedder: TokenEmbedder,
) -> tuple[Ranking, dict[str, float]]:
    """Return the ranking with its first candidates in a new order, and how near each of them is.

    A candidate without token codes, as an older version stored it, stays where its score among the others puts it: it
    counts as average. Where fewer than two have codes nothing changes.

    Args:
        snapshot: The state.
        question: What is asked, without filters.
        ranking: All candidates, best first.
        first: Chunks that have identifiers of the question literally: they stay in front.
        weights: Says how many candidates are looked at, and how much it counts.
        embedder: Compares.
    """
    head = ranking[: weights.late_candidates]
    codes = snapshot.token_codes([chunk_id for chunk_id, _ in head]) if weights.late else {}
    if len(codes) < 2:
        return ranking, {}
    near = dict(zip(codes, embedder.token_scores(question, list(codes.values())), strict=True))
    average = sum(near.values()) / len(near)
    return reordered(ranking, [near.get(chunk_id, average) for chunk_id, _ in head], first, weights.late), near
