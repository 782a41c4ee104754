"""Topics: a section is cut where the meaning of neighbouring sentences changes most.

Each sentence (or block that is no paragraph) is embedded. At each boundary the sentences on its left are compared with
those on its right (as words are in M. Hearst's TextTiling, 1997); a boundary whose distance is above a percentile of
the section's distances is a cut (as in G. Kamradt's "semantic chunking", 2023). The percentile is taken section by
section, so that an edit moves cuts in its own section only. Each topic is then packed like a section.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from withgrain.chunk.region import Region
from withgrain.chunk.ruler import Ruler
from withgrain.chunk.split_text import sentence_starts
from withgrain.chunk.unit import Unit, tile
from withgrain.types import Embedder

#: Returns one vector a text, of any length but 0.
Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]

#: Sentences on each side of a boundary that are compared: one alone says too little.
_SIDE = 2


def cut_at_topics(
    regions: list[Region], ruler: Ruler, embed: Embed, *, percentile: int, minimum: int
) -> Iterator[Region]:
    """Yield the regions, those of several topics cut between them.

    Args:
        regions: From `withgrain.chunk.regions.regions`.
        ruler: Measures the pieces.
        embed: Called once, with the texts of all regions.
        percentile: Of the distances in a section; boundaries above it are cuts.
        minimum: No topic is shorter.
    """
    pieces = [_sentences(region.units, ruler.text) for region in regions]
    texts = [text for units in pieces if len(units) > 2 for text in _texts(units, ruler.text)]
    vectors = iter(embed(texts) if texts else ())
    ruler.measure(u for units in pieces for u in units)
    for region, units in zip(regions, pieces, strict=True):
        if len(units) < 3:
            yield region
            continue
        distances = _distances([next(vectors) for _ in units])
        cuts = _cuts(units, distances, percentile, minimum)
        edges = [0, *sorted(cuts), len(units)]
        for number, (first, stop) in enumerate(pairwise(edges)):
            topic = region.of(units[first:stop] if len(edges) > 2 else region.units)
            topic.start = "topic" if number else region.start
            topic.end = "topic" if stop < len(units) else region.end
            yield topic


def within_window(embedder: Embedder) -> Embed:
    """Return a callable that embeds texts of any length, of long ones the beginning that the embedder reads.

    For finding topics only: the vectors are not stored.
    """

    def embed(texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return embedder.embed_documents([_beginning(text, embedder) for text in texts])

    return embed


def _beginning(text: str, embedder: Embedder) -> str:
    count, window = embedder.tokenizer.count, embedder.window
    if count(text) <= window:
        return text
    low, high = 0, min(len(text), 16 * window)
    while low < high:  # the longest beginning that fits
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(text[:middle]) <= window else (low, middle - 1)
    return text[:low]


def _sentences(units: list[Unit], text: str) -> list[Unit]:
    """Return the units with paragraphs replaced by their sentences."""
    result: list[Unit] = []
    for unit in units:
        if unit.block is None or unit.block.kind != "paragraph":
            result.append(unit)
        else:
            result.extend(tile(unit, sentence_starts(text, unit.start, unit.end), "sentence"))
    return result


def _texts(units: list[Unit], text: str) -> list[str]:
    return [text[u.start : u.end].strip() for u in units]


def _distances(vectors: Sequence[Sequence[float]]) -> list[float]:
    """Return, for each boundary, 1 - cosine of the summed vectors on its left and on its right."""
    unit = [_scaled(v) for v in vectors]
    return [
        1.0 - sum(x * y for x, y in zip(_sum(unit[max(0, k - _SIDE) : k]), _sum(unit[k : k + _SIDE]), strict=True))
        for k in range(1, len(unit))
    ]


def _sum(vectors: Sequence[Sequence[float]]) -> list[float]:
    return _scaled([sum(values) for values in zip(*vectors, strict=True)])


def _scaled(vector: Sequence[float]) -> list[float]:
    length = math.hypot(*vector) or 1.0
    return [x / length for x in vector]


def _cuts(units: list[Unit], distances: list[float], percentile: int, minimum: int) -> set[int]:
    """Return the indices of the units that begin a topic: the greatest distances first, none beside a short topic."""
    threshold = _percentile(distances, percentile)
    sums = [0]
    for unit in units:
        sums.append(sums[-1] + unit.size)
    edges = [0, len(units)]
    for distance, cut in sorted(((d, k + 1) for k, d in enumerate(distances)), key=lambda pair: (-pair[0], pair[1])):
        if distance <= threshold or units[cut].bond:
            continue
        at = bisect_left(edges, cut)
        if min(sums[cut] - sums[edges[at - 1]], sums[edges[at]] - sums[cut]) >= minimum:
            edges.insert(at, cut)
    return set(edges) - {0, len(units)}


def _percentile(values: list[float], percentile: int) -> float:
    """Return the percentile, interpolated between neighbours."""
    ordered = sorted(values)
    at = (len(ordered) - 1) * percentile / 100
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)
