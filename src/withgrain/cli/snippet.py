"""The lines of a hit that a person is shown: the first ones, or those that have what was asked for."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

from withgrain.cli.screen import first_lines

_COUNT, _WIDTH = 4, 160
#: Characters of a text that are looked through.
_LOOKED_AT = 20_000


def telling_lines(text: str, weights: Mapping[str, float]) -> list[str]:
    """Return the first lines of a text, or the first one and those that have more of what was asked for.

    Args:
        text: What the hit says.
        weights: The terms of the question that the hit has, with what each adds to its score.
    """
    from withgrain.tokens.terms import terms  # only who is shown an answer needs it

    first = first_lines(text, _COUNT, _WIDTH)
    head, *others = [line.rstrip() for line in text[:_LOOKED_AT].splitlines() if line.strip()] or [""]
    pieces = [piece for line in (head, *others) for piece in textwrap.wrap(line, _WIDTH - 1) or [line]]
    found = [{term for term in terms(piece) if term in weights} for piece in pieces]
    size = _COUNT - 1
    windows = [_weight(found[n : n + size], weights) for n in range(max(1, len(found) - size + 1))]
    best = max(windows)
    begin = windows.index(best)
    if best <= _weight([{term for line in first for term in terms(line) if term in weights}], weights):
        return first
    while not found[begin]:  # what was asked for comes first
        begin += 1
    shown = [*pieces[begin : begin + size], *(["…"] if begin + size < len(pieces) else [])]
    return [first[0], *(["…"] if begin > 1 else []), *shown] if begin else shown


def _weight(found: Sequence[set[str]], weights: Mapping[str, float]) -> float:
    """Return the weight of all terms of some lines, each once, so that equal ones are equal to the last bit."""
    return round(sum(weights[term] for term in sorted(set[str]().union(*found))), 9)
