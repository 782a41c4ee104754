"""The dense channel: the cosine of a chunk's best leaf to the question."""

from __future__ import annotations

from collections.abc import Sequence

from withgrain.model import Filter
from withgrain.types import Snapshot

Nearest = list[tuple[str, str, float]]


def nearest(
    snapshot: Snapshot, vector: Sequence[float], where: Filter | None, limit: int, beside: Sequence[str]
) -> tuple[Nearest, Nearest]:
    """Return (chunk id, leaf id, cosine) of the chunks nearest to the question, and of those ``beside`` that are not.

    What the words found is compared by meaning, too.
    """
    found = snapshot.dense(vector, where, limit, beside)
    return found[:limit], found[limit:]
