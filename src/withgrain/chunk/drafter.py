"""From regions to drafts: explode, anchor, pack, and count the final strings until every one fits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

from withgrain.chunk.anchor import anchored
from withgrain.chunk.cascade import explode
from withgrain.chunk.draft import Draft, Final, Limits, Plan
from withgrain.chunk.overlap import overlap_before
from withgrain.chunk.pack import TOLERANCE, Pack, pack
from withgrain.chunk.policy import Budget, Policy
from withgrain.chunk.prefixes import Prefixes
from withgrain.chunk.region import Region
from withgrain.chunk.ruler import Ruler
from withgrain.chunk.trim import trimmed
from withgrain.chunk.unit import Unit
from withgrain.model import Boundary, Part, Span, render
from withgrain.parse.build import make_span
from withgrain.types import Tokenizer

#: A run of blocks with more characters a token than this is not looked at as a whole: it would be encoded twice.
_CHARACTERS_PER_TOKEN = 4
#: Joints that need not stand between two lines.
_INSIDE_LINES = frozenset({"cell", "sentence", "word", "window", "grapheme", "item", "block", "section"})
_BETWEEN_BLOCKS = frozenset({"section", "block", "paragraph"})
_SPACES = " \t\n\r"  # white space at which additive tokenizers are additive


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
        self.tokenizer = tokenizer
        self.ruler = Ruler(text, tokenizer, policy.unit)
        #: Sizes in characters need no tokens, and a plain predicate knows none.
        self.counted = limits.fits is None and (policy.unit == "tokens" or limits.tokens is not None)
        self.split_kinds: set[tuple[str, int]] = set()
        self.prefixes = Prefixes(title, policy, self.ruler, limits.maximum, metadata)
        #: Whether the tokens of a text are the sum of those of its pieces.
        self._exact_sums = tokenizer.additive and policy.unit == "tokens" and self.counted
        #: Whether nothing but lengths counts.
        self._lengths = policy.unit == "characters" and limits.tokens is None and limits.fits is None
        self._glimpse = self.ruler.surely_short(limits.maximum)
        self._most = max(budget.target * TOLERANCE if policy.even else budget.target, budget.whole)
        self._soft = max(budget.target, budget.whole)

    def plan(self, regions: list[Region]) -> list[Plan | Draft]:
        """Return for all regions, in order, which units will make a chunk; what fits at once is a draft already."""
        simple = self._exact_sums or self._lengths
        glance = simple and self.ruler.notes is None and not self.ruler.records
        planned: list[Plan | Draft] = []
        for region in regions:
            whole = self._at_once(region) if glance and region.run else None
            if whole is not None:
                planned.append(whole)
            else:
                maximum = self.limits.maximum
                self.ruler.measure(u for u in region.units if not self.ruler.surely_longer(u, maximum))
                planned.extend((region, units, p) for units, p in self._plan(region, maximum))
        return planned

    def drafts(self, planned: list[Plan | Draft]) -> list[Draft]:
        """Return the drafts of a plan in order; each final string fits."""
        result: list[Draft] = []
        finals = iter(self._finals([p for p in planned if not isinstance(p, Draft)]))
        for plan in planned:
            if isinstance(plan, Draft):
                result.append(plan)
                continue
            final = next(finals)
            excess = self._excess(final.text, final.tokens)
            if excess > 0:
                units, p = final.units, final.pack
                result.extend(self._repair(final.region, units[p.first : p.stop], excess, p))
            elif final.span is not None:
                result.append(self._draft(final))
        return result

    def fits(self, text: str) -> bool:
        """Return whether a final string is within the limits."""
        return self._excess(text, self.tokenizer.count(text)) <= 0

    def _at_once(self, region: Region) -> Draft | None:
        """Return the only chunk of a run of blocks that fits into one, by one look at its text; None for others."""
        path, run, text = region.path, region.run, self.text
        parts, above = self.prefixes.above(path)
        most = min(max(1, self.limits.maximum - above), self._most)
        start, end = run[0].span.start, run[-1].span.end
        if end - start > self._glimpse or end - start > most * _CHARACTERS_PER_TOKEN:
            return None
        body = text[start:end].rstrip()
        if not body or body[0] == "\n" or (start and text[start - 1] != "\n"):
            return None
        if self._lengths:
            size, tokens = sum([b.span.end - b.span.start for b in run]), 0
            if len(body) + above > self.limits.maximum:
                return None
        else:
            size = self.tokenizer.count(body)
            tokens = size + above
            window = self.limits.tokens
            if window is not None and tokens > window:
                return None
        if size > most:
            return None
        oversize = run[0].kind if len(run) == 1 and size > self._soft else None
        boundary = _boundary(region.start, region.end, oversize)
        kinds = (run[0].kind,) if len(run) == 1 else tuple(dict.fromkeys([b.kind for b in run]))
        span = make_span(start, start + len(body))
        return Draft(region, region.section, path, span, parts, boundary, tokens, size, (), kinds)

    def _finals(self, planned: Iterable[Plan]) -> list[Final]:
        """Return planned chunks with their parts, and their exact size: a sum where sums are exact."""
        finals = [self._final(region, units, p) for region, units, p in planned]
        missing = [f for f in finals if f.tokens < 0]
        for final in missing:
            final.text = "" if final.span is None else render(final.parts, final.span.of(self.text), final.span.start)
        counts = self.tokenizer.count_many([f.text for f in missing]) if self.counted else [0] * len(missing)
        for final, count in zip(missing, counts, strict=True):
            final.tokens = count
        return finals

    def _plan(self, region: Region, maximum: int) -> list[tuple[list[Unit], Pack]]:
        """Return the packs of a region, each with the list of units that it indexes."""
        room = max(1, maximum - self.prefixes.above(self._longest(region, maximum))[1])
        budget = Budget(target=min(self._target(region), room), maximum=room, minimum=self.budget.minimum)
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

    def _target(self, region: Region) -> int:
        """Return the target of a region: what may be whole is one chunk, what has a table is cut smaller."""
        budget, units = self.budget, region.units
        target = budget.target
        if budget.whole <= target and not budget.tables:
            return target
        most = max(budget.whole, target * TOLERANCE if self.policy.even else target)
        if all(u.size >= 0 for u in units) and sum([u.size for u in units]) <= most:
            return max(budget.whole, target)
        if 0 < budget.tables < target and any(u.block is not None and u.block.kind == "table" for u in units):
            return budget.tables
        return target

    def _longest(self, region: Region, maximum: int) -> tuple[str, ...]:
        """Return the longest path that a chunk of the region can have: where all of it fits into one, that one's."""
        if region.nest is None:
            return region.path
        units = region.units
        path = region.home(units[0].start, units[-1].end)[1]
        measured = all(unit.size >= 0 for unit in units)
        whole = measured and sum([unit.size for unit in units]) + self.prefixes.above(path)[1] <= maximum
        return path if whole else region.nest.longest

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

    def _final(self, region: Region, units: list[Unit], p: Pack) -> Final:
        span = trimmed(self.text, units[p.first].start, units[p.stop - 1].end)
        path = region.path if span is None else region.home(span.start, span.end)[1]
        parts = (*self.prefixes.above(path)[0], *p.lead, *p.trail)
        if span is None:
            return Final(region, units, p, None, parts, 0)
        tokens = -1
        if any(u.label or u.instead or u.notes for u in units[p.first : p.stop]):
            parts = (*parts, *_beside(units[p.first : p.stop], span))
        elif self._exact_sums:
            tokens = self._sum(units[p.first : p.stop], parts)
        return Final(region, units, p, span, parts, tokens)

    def _sum(self, used: list[Unit], parts: tuple[Part, ...]) -> int:
        """Return the tokens of a pack from those of its pieces; -1 where a cut between them is inside a word."""
        size = used[0].size
        for unit in used[1:]:
            if unit.kind in _INSIDE_LINES and not self._between_words(unit.start):
                return -1
            size += unit.size
        return size + self.ruler.parts(parts)

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
        small = region.of(units)
        drafts: list[Draft] = []
        for _ in range(24):  # every round lowers the limit; a single grapheme cluster ends it
            maximum = max(1, min(maximum - excess, maximum * 7 // 8))
            finals = self._finals((small, us, p) for us, p in self._plan(small, maximum))
            excess = max((self._excess(f.text, f.tokens) for f in finals), default=0)
            drafts = [self._draft(f) for f in finals if f.span is not None]
            if excess <= 0 or maximum == 1:
                break
        if drafts:
            drafts[0].rebound(start=origin.start)
            drafts[-1].rebound(end=origin.end)
        return drafts

    def _draft(self, final: Final) -> Draft:
        region, p, span = final.region, final.pack, final.span
        assert span is not None
        used = tuple(final.units[p.first : p.stop])
        oversize = None
        if len(used) == 1 and used[0].size > self._target(region):
            oversize = used[0].block.kind if used[0].block else used[0].kind
        section, path = region.home(span.start, span.end)
        size = sum([u.size if u.size > 0 else 0 for u in used])
        boundary = _boundary(p.start, p.end, oversize)
        return Draft(region, section, path, span, final.parts, boundary, final.tokens, size, used)


@lru_cache(maxsize=256)
def _boundary(start: str, end: str, oversize: str | None) -> Boundary:
    """Return the boundary with these reasons; there are few different ones."""
    return Boundary(start=start, end=end, oversize=oversize)


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
    """Return why a piece begins at a unit: the joint inside a block that was cut there, else a content anchor."""
    if units[index].row != units[index - 1].row:
        return "row"
    kind = units[index].kind
    return "anchor" if kind in _BETWEEN_BLOCKS else kind
