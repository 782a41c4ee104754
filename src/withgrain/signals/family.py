"""What a family of detectors is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from withgrain.signals.found import Found
from withgrain.signals.view import View


class Token(NamedTuple):
    """One token that a family's pattern matched.

    Attributes:
        text: The token, without punctuation around it.
        place: Offset of its first appearance in the text.
        fenced: Whether it was seen in fenced code.
        view: The text that it stands in.
    """

    text: str
    place: int
    fenced: bool
    view: View


def _always(identifier: str) -> bool:
    return bool(identifier)


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A family of token detectors: one alternative of the one combined pattern.

    Attributes:
        name: Name of the alternative's group; letters and underscores.
        pattern: Regular expression of a whole token, without capturing groups. It must be linear: no two neighbouring
            repetitions may match the same character. Earlier families win.
        collect: Called for every match; adds the facts, or none if the context speaks against it.
        possible: Whether a match can be a fact in any context: look-alikes that are known by themselves are not.
    """

    name: str
    pattern: str
    collect: Callable[[Token, Found], None]
    possible: Callable[[str], bool] = _always
