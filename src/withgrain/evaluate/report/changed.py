"""The questions on which two collections differ most: both contexts side by side, the evidence marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from withgrain.evaluate.gold import Gold
from withgrain.evaluate.metrics import AT_EQUAL_BUDGET, AT_EQUAL_K, covered, seen
from withgrain.evaluate.report.text import escape, gap, share
from withgrain.evaluate.run import Answer
from withgrain.evaluate.study import Outcome
from withgrain.model import Hit

#: Questions shown for each candidate: so many gains and so many losses.
SHOWN = 8
_AROUND, _OPENING = 350, 220
_HITS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A question that two collections answered differently."""

    before: Answer
    after: Answer
    difference: float


def changes(baseline: Outcome, candidate: Outcome) -> tuple[list[Change], list[Change], int]:
    """Return the largest gains and the largest losses, and how many questions changed in all."""
    before = {a.question.id: a for a in baseline.evaluation.answers}
    found = [
        Change(before=before[a.question.id], after=a, difference=_difference(before[a.question.id], a))
        for a in candidate.evaluation.answers
        if a.question.id in before
    ]
    moved = [c for c in found if abs(c.difference) > 1e-9]
    gains = sorted((c for c in moved if c.difference > 0), key=lambda c: -c.difference)
    losses = sorted((c for c in moved if c.difference < 0), key=lambda c: c.difference)
    return gains[:SHOWN], losses[:SHOWN], len(moved)


def _difference(before: Answer, after: Answer) -> float:
    """Return the difference at equal budget; among equal ones, a small part of that of the first five hits."""
    whole = after.metrics[AT_EQUAL_BUDGET] - before.metrics[AT_EQUAL_BUDGET]
    return whole or 0.001 * (after.metrics[AT_EQUAL_K] - before.metrics[AT_EQUAL_K])


def section(baseline: Outcome, candidate: Outcome) -> str:
    """Return the section about one candidate."""
    gains, losses, count = changes(baseline, candidate)
    if not count:
        return "<p>No question has another answer.</p>"
    names = f"<b>{escape(candidate.name)}</b> against <b>{escape(baseline.name)}</b>"
    told = f"{count} questions have another answer. Shown are the largest gains and losses of {names}"
    parts = [f"<p>{told}; <mark>marked</mark> is the evidence.</p>"]
    for title, some in (("Better", gains), ("Worse", losses)):
        if some:
            parts.append(f"<h3>{title}</h3>")
            parts += [_question(c, baseline, candidate, opened=n == 0) for n, c in enumerate(some)]
    return "".join(parts)


def _question(change: Change, baseline: Outcome, candidate: Outcome, *, opened: bool) -> str:
    question = change.after.question
    metric = AT_EQUAL_BUDGET
    if change.before.metrics[metric] == change.after.metrics[metric]:
        metric = AT_EQUAL_K
    a, b = change.before.metrics[metric], change.after.metrics[metric]
    tone = "good" if b > a else "bad"
    return (
        f'<details class="question"{" open" if opened else ""}><summary>'
        f'<span class="ask">{escape(question.text)}</span>'
        f'<span class="meta">{escape(question.type)} · {escape(question.id)} · {metric} {share(a)} → {share(b)} '
        f'<span class="{tone}">{gap(b - a)}</span></span></summary><div class="sides">'
        f"{_side(baseline.name, change.before, 0)}{_side(candidate.name, change.after, 1)}</div></details>"
    )


def _side(name: str, answer: Answer, number: int) -> str:
    assert answer.gold is not None
    hits = _chosen(answer.hits, answer.gold)
    shown = "".join(_hit(hit, answer.gold) for hit in hits) or "<p>Nothing was found.</p>"
    return f'<div class="side"><h4><span class="chip c{number}"></span>{escape(name)}</h4>{shown}</div>'


def _chosen(hits: Sequence[Hit], gold: Gold) -> list[Hit]:
    """Return the first hits, and the first with evidence if it stands behind them."""
    first = list(hits[:_HITS])
    holding = next((h for h in hits if _holds(h, gold)), None)
    return first if holding is None or holding in first else [*first[: _HITS - 1], holding]


def _holds(hit: Hit, gold: Gold) -> bool:
    return any(covered(place, seen([hit])) for piece in gold.evidence for place in piece.places)


def _hit(hit: Hit, gold: Gold) -> str:
    return (
        f'<div class="hit"><div class="cite">{hit.rank}. {escape(str(hit.citation))}</div>'
        f"<pre>{_marked(hit, gold)}</pre></div>"
    )


def _marked(hit: Hit, gold: Gold) -> str:
    """Return the part of a hit that matters: around the evidence, or its beginning."""
    ranges = sorted(_ranges(hit, gold))
    if not ranges:
        return escape(hit.text[:_OPENING]) + ("…" if len(hit.text) > _OPENING else "")
    start = max(0, ranges[0][0] - _AROUND // 2)
    end = min(len(hit.text), max(ranges[0][1] + _AROUND // 2, start + _AROUND))
    end = min(end, start + 6 * _AROUND)
    parts, at = ["…" if start else ""], start
    for low, high in ranges:
        first, last = max(low, at), min(high, end)
        if first < last:
            parts += [escape(hit.text[at:first]), "<mark>", escape(hit.text[first:last]), "</mark>"]
            at = last
    return "".join([*parts, escape(hit.text[at:end]), "…" if end < len(hit.text) else ""])


def _ranges(hit: Hit, gold: Gold) -> Iterator[tuple[int, int]]:
    """Yield where evidence stands in the text of a hit."""
    if hit.span is None:
        return
    ahead = max(0, hit.text.find(hit.body))
    for piece in gold.evidence:
        for doc_id, span in piece.places:
            low, high = max(span.start, hit.span.start), min(span.end, hit.span.end)
            if doc_id == hit.chunk.doc_id and low < high:
                yield ahead + low - hit.span.start, ahead + high - hit.span.start
