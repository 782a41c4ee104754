"""Plots as SVG inside the page: horizontal bars with intervals, and lines. Colours come from the style sheet."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from withgrain.evaluate.report.text import escape

WIDTH = 460
_BAR, _GAP, _GROUP = 13, 3, 14
_TOP = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar, with the ends of its interval where it has one."""

    value: float
    low: float | None = None
    high: float | None = None


def bars(
    rows: Sequence[tuple[str, Sequence[Bar | None]]],
    *,
    label: str,
    show: Callable[[float], str],
    maximum: float | None = None,
) -> str:
    """Return a plot of grouped bars.

    Args:
        rows: A label and one bar for each collection; None where there is no figure.
        label: What the plot shows, for people who cannot see it.
        show: How a value is written.
        maximum: Right end of the scale; the largest value when None.
    """
    longest = max((len(name) for name, _ in rows), default=0)
    left, right = min(150.0, 12 + 6.6 * longest), WIDTH - 66.0
    top = maximum or max((max(b.value, b.high or 0) for _, some in rows for b in some if b), default=1.0) or 1.0

    def x(value: float) -> float:
        return left + (right - left) * max(0.0, min(value, top)) / top

    y, marks = float(_TOP), []
    for name, some in rows:
        height = len(some) * (_BAR + _GAP) - _GAP
        marks.append(_text(left - 8, y + height / 2 + 4, name, "end"))
        for number, bar in enumerate(some):
            if bar is not None:
                marks.append(_bar(left, x, y + number * (_BAR + _GAP), bar, number, show))
        y += height + _GROUP
    bottom = y - _GROUP + 6
    grid = "".join(
        f'<line class="grid" x1="{x(v):.1f}" x2="{x(v):.1f}" y1="{_TOP - 4}" y2="{bottom:.0f}"/>' for v in _ticks(top)
    )
    axis = "".join(_text(x(v), bottom + 14, show(v), "middle", "axis") for v in _ticks(top))
    return _svg(bottom + 20, label, grid + "".join(marks) + axis)


def _bar(
    left: float, x: Callable[[float], float], y: float, bar: Bar, number: int, show: Callable[[float], str]
) -> str:
    end, middle = x(bar.value), y + _BAR / 2
    parts = [
        f'<rect class="s{number}" x="{left:.1f}" y="{y:.1f}" width="{max(end - left, 1):.1f}" height="{_BAR}" rx="2"/>'
    ]
    if bar.low is not None and bar.high is not None:
        low, high = x(bar.low), x(bar.high)
        parts.append(
            f'<path class="whisker" d="M{low:.1f} {middle}H{high:.1f}'
            f'M{low:.1f} {y + 3}v{_BAR - 6}M{high:.1f} {y + 3}v{_BAR - 6}"/>'
        )
        end = max(end, high)
    parts.append(_text(end + 5, y + _BAR - 2.5, show(bar.value), "start", "value"))
    return "".join(parts)


def lines(
    budgets: Sequence[float], series: Sequence[Sequence[float]], *, label: str, show: Callable[[float], str]
) -> str:
    """Return a plot of shares (0 to 1) against budgets on a logarithmic scale, one line for each collection."""
    left, right, top, bottom = 34.0, WIDTH - 14.0, 10.0, 216.0
    first, last = math.log(budgets[0]), math.log(budgets[-1])

    def x(value: float) -> float:
        return left + (right - left) * (math.log(value) - first) / (last - first)

    def y(value: float) -> float:
        return bottom - (bottom - top) * value

    parts = [
        f'<line class="grid" x1="{left}" x2="{right}" y1="{y(v):.1f}" y2="{y(v):.1f}"/>'
        + _text(left - 6, y(v) + 4, f"{v:g}".lstrip("0") or "0", "end", "axis")
        for v in (0, 0.25, 0.5, 0.75, 1)
    ]
    parts += [_text(x(b), bottom + 16, show(b), "middle", "axis") for b in budgets]
    for number, values in enumerate(series):
        points = [(x(b), y(v)) for b, v in zip(budgets, values, strict=True)]
        way = "M" + "L".join(f"{px:.1f} {py:.1f}" for px, py in points)
        dots = "".join(f'<circle class="s{number}" cx="{px:.1f}" cy="{py:.1f}" r="3"/>' for px, py in points)
        parts.append(f'<path class="line l{number}" d="{way}"/>{dots}')
    return _svg(bottom + 24, label, "".join(parts))


def _svg(height: float, label: str, inside: str) -> str:
    return f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(label)}">{inside}</svg>'


def _text(x: float, y: float, text: str, anchor: str, kind: str = "label") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _ticks(top: float) -> list[float]:
    """Return three to six round numbers from 0 to at most ``top``."""
    step = 10 ** math.floor(math.log10(top))
    size = next(s for s in (step / 5, step / 4, step / 2, step, 2 * step) if top / s <= 5)
    return [n * size for n in range(int(top / size + 1e-9) + 1)]
