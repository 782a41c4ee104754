"""The best chunks by words, with and without the short cut, are those of adding everything up."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from withgrain.store import bestfirst as module
from withgrain.store.bestfirst import Gains, Inside, Weighted, best_first
from withgrain.store.inverted import Postings

CHUNKS = 3000


def within(flags: np.ndarray | None) -> Inside:
    """Return the chunks whose flags are set; all for None."""
    if flags is None:
        return Inside(size=CHUNKS)
    positions = np.flatnonzero(flags)
    places = np.full(CHUNKS, -1, dtype=np.int32)
    places[positions] = np.arange(len(positions))
    return Inside(size=len(positions), positions=positions, places=places)


def asked(draw: np.random.Generator) -> list[Weighted]:
    """Return terms that from one to nearly all chunks have."""
    found = []
    for frequency in (0, 1, 40, 300, 1500, 2900):
        positions = np.sort(draw.choice(CHUNKS, frequency, replace=False)).astype(np.int32)
        counts = draw.integers(1, 5, frequency).astype(np.uint8)
        idf = float(np.log1p((CHUNKS - frequency + 0.5) / (frequency + 0.5)))
        found.append(Weighted(name=str(frequency), postings=Postings(positions, counts), weight=2.2 * idf))
    return found


@pytest.mark.parametrize("bounded", [0, 10**9], ids=["bounded", "all added"])
@pytest.mark.parametrize("seed", range(6))
def test_the_best_are_those_of_adding_everything_up(seed: int, bounded: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same chunks with the same scores, equal ones at the end of the list all there; also from what is kept."""
    monkeypatch.setattr(module, "_BOUNDED", bounded)
    monkeypatch.setattr(module, "_LOOK_UP", 0)
    monkeypatch.setattr(module, "_AT_ONCE", 700)
    draw = np.random.default_rng(seed)
    norms = draw.choice([0.4, 1.0, 2.5], CHUNKS)
    terms = asked(draw)
    for allowed in (None, draw.random(CHUNKS) < 0.25, np.zeros(CHUNKS, dtype=bool)):
        scores = np.zeros(CHUNKS)
        for term in terms:
            count = term.postings.counts.astype(float)
            scores[term.postings.positions] += term.weight * count / (count + norms[term.postings.positions])
        scores[~allowed if allowed is not None else np.zeros(CHUNKS, dtype=bool)] = 0
        inside, known = within(allowed), dict[str, Gains]()
        for limit, kept in itertools.product((1, 10, 300, 5000), (None, known)):
            rows, found = best_first(terms, norms, inside, limit, kept)
            lowest = np.sort(scores)[-limit] if limit < CHUNKS else 0.0
            sure = set(np.flatnonzero((scores > lowest + 1e-9) & (scores > 0)).tolist())
            assert sure <= set(rows.tolist())
            assert found == pytest.approx(scores[rows], abs=1e-9)
            assert len(rows) >= min(limit, int((scores > 0).sum()))
            assert bool((found >= lowest - 1e-9).all()) and bool((found > 0).all())


def test_no_terms_find_nothing() -> None:
    """And a term that nothing has."""
    nothing = Weighted(
        name="x", postings=Postings(np.empty(0, dtype=np.int32), np.empty(0, dtype=np.uint8)), weight=1.0
    )
    for terms in ([], [nothing]):
        assert len(best_first(terms, np.ones(5), Inside(size=5), 3)[0]) == 0
