"""From regions to drafts: explode, anchor, pack, and count the final strings until every one fits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

from withgrain.chunk.anchor import anchored
from withgrain.chunk.cascade import explode
from withgrain.chunk.overlap import overlap_before
from withgrain.chunk.pack import TOLERANCE, Pack, pack
from withgrain.chunk.policy import Budget, Policy
from withgrain.chunk.prefix import Prefix, prefix
from withgrain.chunk.region import Region
from withgrain.chunk.ruler import Ruler
from withgrain.chunk.trim import trimmed
from withgrain.chunk.unit import Unit
from withgrain.model import Boundary, Part, Span, render
from withgrain.types import Fits, Tokenizer

_SPACES = " \t\n\r"  # white space at which additive tokenizers are additive


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A chunk before it has an id, facts and neighbours."""

    region: Region
    section: int
    path: tuple[str, ...]
    span: Span
    parts: tuple[Part, ...]
    boundary: Boundary
    tokens: int
    units: tuple[Unit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a final string must satisfy.

    Attributes:
        maximum: Of the policy, in the policy's unit.
        tokens: The hard limit in tokens (an embedder's window); None when there is none.
        fits: A plain predicate that replaces counting; None when tokens are counted.
    """

    maximum: int
    tokens: int | None = None
    fits: Fits | None = None


#: A region, its units, and which of them make a chunk.
Plan = tuple[Region, list[Unit], Pack]


class Drafter:
    """Makes the drafts of one document under one policy. Holds the ruler, so that nothing is encoded twice."""

    def __init__(
        self,
        text: str,
        policy: Policy,
        budget: Budget,
        tokenizer: Tokenizer,
        limits: Limits,
        *,
        title: str,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        self.text, self.policy, self.budget, self.limits = text, policy, budget, limits
        self.tokenizer, self.title, self.metadata = tokenizer, title, metadata
        self.ruler = Ruler(text, tokenizer, policy.unit)
        #: Sizes in characters need no tokens, and a plain predicate knows none.
        self.counted = limits.fits is None and (policy.unit == "tokens" or limits.tokens is not None)
        self.split_kinds: set[tuple[str, int]] = set()
        self.prefixes: dict[tuple[str, ...], Prefix] = {}

    def plan(self, regions: list[Region]) -> list[Plan]:
        """Return for all regions, in order, which units will make a chunk."""
        maximum = self.limits.maximum
        self.ruler.measure(u for r in regions for u in r.units if not self.ruler.surely_longer(u, maximum))
        return [(region, units, p) for region in regions for units, p in self._plan(region, maximum)]

    def drafts(self, planned: list[Plan]) -> list[Draft]:
        """Return the drafts of a plan in order; each final string fits."""
        texts = [self._render(region, units, p) for region, units, p in planned]
        counts = self._counts(
            [(text, units, p, parts) for (text, _, parts), (_, units, p) in zip(texts, planned, strict=True)]
        )
        result: list[Draft] = []
        for (region, units, p), (text, span, parts), count in zip(planned, texts, counts, strict=True):
            excess = self._excess(text, count)
            if excess > 0:
                result.extend(self._repair(region, units[p.first : p.stop], excess, p))
            elif span is not None:
                result.append(self._draft(region, units, p, span, parts, count))
        return result

    def fits(self, text: str) -> bool:
        """Return whether a final string is within the limits."""
        return self._excess(text, self.tokenizer.count(text)) <= 0

    def prefix_of(self, path: tuple[str, ...]) -> Prefix:
        """Return the parts in front of the bodies under a heading path."""
        found = self.prefixes.get(path)
        if found is None:
            if self.policy.prefix:
                found = prefix(self.title, path, self.ruler, self.limits.maximum, self.metadata)
            else:
                found = Prefix()
            self.prefixes[path] = found
        return found

    def _plan(self, region: Region, maximum: int) -> list[tuple[list[Unit], Pack]]:
        """Return the packs of a region, each with the list of units that it indexes."""
        longest = region.path if region.nest is None else region.nest.longest
        room = max(1, maximum - self.ruler.parts(self.prefix_of(longest).parts))
        budget = Budget(target=min(self.budget.target, room), maximum=room, minimum=self.budget.minimum)
        whole = self._whole(region, budget)
        if whole is not None:
            return [(region.units, whole)]
        units = explode(region.units, self.ruler, room, self.split_kinds)
        self.ruler.measure(units)
        pieces = anchored(units, self.text, budget.target) if self.policy.even else [(0, len(units))]
        if any(u.row >= 0 for u in units):
            pieces = _by_row(pieces, units)
        result: list[tuple[list[Unit], Pack]] = []
        for number, (first, stop) in enumerate(pieces):
            piece = units[first:stop]
            overlap = partial(self._overlap, piece)
            start = region.start if number == 0 else _joint(units, first)
            end = region.end if number == len(pieces) - 1 else _joint(units, stop)
            packs = pack(piece, self.ruler, budget, even=self.policy.even, overlap=overlap, start=start, end=end)
            result.extend((piece, p) for p in packs)
        return result

    def _whole(self, region: Region, budget: Budget) -> Pack | None:
        """Return the only pack of a region that is not longer than one chunk: most sections are."""
        units = region.units
        most = min(budget.maximum, budget.target * TOLERANCE if self.policy.even else budget.target)
        size = 0
        for unit in units:
            if unit.size < 0:
                return None
            size += unit.size
        if size > most or units[0].lead or units[-1].trail:
            return None
        return Pack(first=0, stop=len(units), lead=(), trail=(), start=region.start, end=region.end)

    def _overlap(self, units: list[Unit], index: int) -> tuple[Part, ...]:
        return overlap_before(units, index, self.ruler, self.policy, self.budget.overlap)

    def _render(self, region: Region, units: list[Unit], p: Pack) -> tuple[str, Span | None, tuple[Part, ...]]:
        span = trimmed(self.text, units[p.first].start, units[p.stop - 1].end)
        path = region.path if span is None else region.home(span.start, span.end)[1]
        parts = (*self.prefix_of(path).parts, *p.lead, *p.trail)
        if span is None:
            return "", None, parts
        used = units[p.first : p.stop]
        if any(u.label or u.instead or u.notes for u in used):
            parts = (*parts, *_beside(used, span))
        return render(parts, span.of(self.text), span.start), span, parts

    def _counts(self, finals: list[tuple[str, list[Unit], Pack, tuple[Part, ...]]]) -> list[int]:
        """Return the exact tokens of final strings: a sum where sums are exact, else counted on the string."""
        if not self.counted:
            return [0] * len(finals)
        sums = [self._sum(units, p, parts) if text else 0 for text, units, p, parts in finals]
        missing = [text for (text, _, _, _), known in zip(finals, sums, strict=True) if known is None]
        counted = iter(self.tokenizer.count_many(missing))
        return [next(counted) if known is None else known for known in sums]

    def _sum(self, units: list[Unit], p: Pack, parts: tuple[Part, ...]) -> int | None:
        """Return the tokens of a pack from those of its pieces; None where a cut between them is inside a word."""
        if not self.tokenizer.additive or self.policy.unit != "tokens":
            return None
        used = units[p.first : p.stop]
        if not all(self._between_words(u.start) for u in used[1:]):
            return None
        if any(u.label or u.instead or u.notes for u in used):
            return None
        return sum(u.size for u in used) + self.ruler.parts(parts)

    def _between_words(self, at: int) -> bool:
        return self.text[at - 1] in _SPACES or self.text[at] in _SPACES

    def _excess(self, text: str, tokens: int) -> int:
        """Return by how much a final string is too long, in the policy's unit; 0 or less when it fits."""
        limits = self.limits
        if limits.fits is not None:
            return 0 if not text or limits.fits(text) else max(1, limits.maximum // 8)
        excess = (len(text) if self.policy.unit == "characters" else tokens) - limits.maximum
        if limits.tokens is not None and tokens > limits.tokens:
            share = (tokens - limits.tokens) / tokens
            excess = max(
                excess, int(len(text) * share) + 1 if self.policy.unit == "characters" else tokens - limits.tokens
            )
        return excess

    def _repair(self, region: Region, units: list[Unit], excess: int, origin: Pack) -> list[Draft]:
        """Cut a chunk again whose exact count is above the sum of its pieces' counts."""
        maximum = self.limits.maximum
        small = replace_units(region, units)
        drafts: list[Draft] = []
        for _ in range(24):  # every round lowers the limit; a single grapheme cluster ends it
            maximum = max(1, min(maximum - excess, maximum * 7 // 8))
            planned = self._plan(small, maximum)
            texts = [self._render(small, us, p) for us, p in planned]
            counts = self._counts([(t, us, p, parts) for (t, _, parts), (us, p) in zip(texts, planned, strict=True)])
            excess = max((self._excess(t, c) for (t, _, _), c in zip(texts, counts, strict=True)), default=0)
            drafts = [
                self._draft(small, us, p, span, parts, count)
                for (us, p), (_, span, parts), count in zip(planned, texts, counts, strict=True)
                if span is not None
            ]
            if excess <= 0 or maximum == 1:
                break
        if drafts:
            drafts[0] = replace(drafts[0], boundary=replace(drafts[0].boundary, start=origin.start))
            drafts[-1] = replace(drafts[-1], boundary=replace(drafts[-1].boundary, end=origin.end))
        return drafts

    def _draft(
        self, region: Region, units: list[Unit], p: Pack, span: Span, parts: tuple[Part, ...], count: int
    ) -> Draft:
        used = tuple(units[p.first : p.stop])
        oversize = None
        if len(used) == 1 and used[0].size > self.budget.target:
            oversize = used[0].block.kind if used[0].block else used[0].kind
        section, path = region.home(span.start, span.end)
        return Draft(
            region=region,
            section=section,
            path=path,
            span=span,
            parts=parts,
            boundary=Boundary(start=p.start, end=p.end, oversize=oversize),
            tokens=count,
            units=used,
        )


def replace_units(region: Region, units: list[Unit]) -> Region:
    """Return the region with other units."""
    return replace(region, units=units)


def _beside(units: list[Unit], span: Span) -> tuple[Part, ...]:
    """Return the names of the columns of cells, rows as records, and the footnotes of a body."""
    parts: list[Part] = []
    names = [u.label for u in units if u.label and not u.instead]
    if names:
        text = f"| {' | '.join(dict.fromkeys(names))} |\n|{'---|' * len(dict.fromkeys(names))}"
        parts.append(Part(role="table_header", text=text))
    parts.extend(part for u in units for part in u.instead)
    notes = dict.fromkeys(part for u in units for part in u.notes)
    parts.extend(n for n in notes if n.span is None or n.span.end <= span.start or n.span.start >= span.end)
    return tuple(parts)


def _by_row(pieces: list[tuple[int, int]], units: list[Unit]) -> list[tuple[int, int]]:
    """Part the cells of a row that was cut from what stands beside them: they have a header of their own."""
    result: list[tuple[int, int]] = []
    for first, stop in pieces:
        cuts = [k for k in range(first + 1, stop) if units[k].row != units[k - 1].row]
        result.extend(pairwise([first, *cuts, stop]))
    return result


def _joint(units: list[Unit], index: int) -> str:
    """Return why a piece begins at a unit: the row of a table that was cut, else a content anchor."""
    return "row" if units[index].row != units[index - 1].row else "anchor"
