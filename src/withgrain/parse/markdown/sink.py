"""What the walk over a document collects beside its blocks."""

from __future__ import annotations

from dataclasses import dataclass, field

from withgrain.model import Notice
from withgrain.parse.slug import Slugs


@dataclass(slots=True, kw_only=True)
class Sink:
    """Collected in document order, in document offsets.

    Attributes:
        links: (start, end, target) of links and images.
        notices: Warnings.
        slugs: Anchors given so far.
        thorough: Whether all is looked at, links included, and nothing is left for later.
    """

    links: list[tuple[int, int, str]] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    slugs: Slugs = field(default_factory=Slugs)
    thorough: bool = False
