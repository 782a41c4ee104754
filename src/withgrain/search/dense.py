"""The dense channel: the cosine of a chunk's best leaf to the question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from withgrain.model import Compare, Filter, all_of
from withgrain.types import Snapshot

Nearest = list[tuple[str, str, float]]


def nearest(snapshot: Snapshot, vector: Sequence[float], where: Filter | None, limit: int) -> Nearest:
    """Return (chunk id, leaf id, cosine) of the chunks nearest to the question."""
    return snapshot.dense(vector, where, limit)


def completed(
    snapshot: Snapshot, vector: Sequence[float], found: Nearest, others: Iterable[str], where: Filter | None
) -> Nearest:
    """Return ``found`` and the exact cosines of the ``others``: what the words found is compared by meaning, too."""
    known = {chunk_id for chunk_id, _, _ in found}
    missing = tuple(chunk_id for chunk_id in others if chunk_id not in known)
    if not missing:
        return found
    inside = all_of(where, Compare(field="chunk_id", operator="in", value=missing))
    return [*found, *snapshot.dense(vector, inside, len(missing))]
