"""The style sheet of the page: light and dark, wide and narrow."""

from __future__ import annotations

CSS = """
:root { color-scheme: light dark; --paper: #fbfaf7; --card: #fff; --ink: #1c1b19; --soft: #66625b; --rule: #e2ded5;
  --good: #1a7048; --bad: #b3382c; --none: #7a6a3a; --mark: #ffe58a; --markink: #1c1b19;
  --s0: #8a8f98; --s1: #1f6feb; --s2: #d97706; --s3: #0f9d74; --s4: #b0489b; --s5: #7a5af0; }
@media (prefers-color-scheme: dark) {
:root { --paper: #16171a; --card: #1e2024; --ink: #eceae5; --soft: #a09c93; --rule: #34363c;
  --good: #5fce98; --bad: #ff8b7d; --none: #d6c07c; --mark: #6a5510; --markink: #fff3c4;
  --s0: #8f959f; --s1: #6aa5ff; --s2: #f2a74b; --s3: #45c9a0; --s4: #dc82cb; --s5: #a893ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 36px 24px 72px; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 4px; letter-spacing: -.01em; }
h2 { font-size: 18px; margin: 44px 0 10px; }
h3 { font-size: 15px; margin: 22px 0 8px; }
h4 { font-size: 14px; margin: 0 0 8px; }
p { margin: 0 0 10px; max-width: 78ch; }
a { color: inherit; }
.soft, .meta, .note { color: var(--soft); }
.note { font-size: 13px; }
.verdicts { display: grid; gap: 12px; margin-top: 22px; }
.verdict { background: var(--card); border: 1px solid var(--rule); border-left: 5px solid var(--none);
  border-radius: 8px; padding: 16px 20px; }
.verdict.better { border-left-color: var(--good); } .verdict.worse { border-left-color: var(--bad); }
.verdict .big { font-size: 19px; font-weight: 650; line-height: 1.3; margin-bottom: 6px; }
.verdict p { margin: 4px 0 0; max-width: none; }
.good { color: var(--good); font-weight: 600; } .bad { color: var(--bad); font-weight: 600; }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--rule); border-radius: 8px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 7px 14px; border-bottom: 1px solid var(--rule); vertical-align: baseline; }
tr:last-child td { border-bottom: 0; }
th { font-weight: 600; font-size: 13px; color: var(--soft); white-space: nowrap; }
td.n { white-space: nowrap; } td.n small { color: var(--soft); font-size: 12px; margin-left: 5px; }
td.best { font-weight: 650; } td.best small { font-weight: 400; }
td .what { color: var(--soft); font-size: 13px; display: block; line-height: 1.35; }
tr.main td { background: color-mix(in srgb, var(--s1) 7%, transparent); }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap: 16px;
  align-items: start; }
.plot { background: var(--card); border: 1px solid var(--rule); border-radius: 8px; padding: 14px 16px 8px; }
.plot h3 { margin: 0; } .plot .note { margin: 0 0 8px; }
svg { width: 100%; height: auto; display: block; max-width: 640px; }
svg text { font-size: 11.5px; fill: var(--ink); } svg text.axis { fill: var(--soft); font-size: 10.5px; }
svg text.value { font-size: 10.5px; font-variant-numeric: tabular-nums; }
.grid { stroke: var(--rule); stroke-width: 1; }
.whisker { stroke: var(--ink); stroke-width: 1.2; fill: none; opacity: .65; }
.line { fill: none; stroke-width: 2.2; }
.legend { display: flex; flex-wrap: wrap; gap: 6px 18px; margin: 0 0 12px; font-size: 14px; }
.chip { display: inline-block; width: 11px; height: 11px; border-radius: 3px; margin-right: 7px; }
SERIES
details.question { background: var(--card); border: 1px solid var(--rule); border-radius: 8px; margin: 8px 0; }
summary { cursor: pointer; padding: 11px 16px; list-style-position: outside; margin-left: 14px; }
.ask { font-weight: 600; overflow-wrap: anywhere; } .meta { display: block; font-size: 13px; overflow-wrap: anywhere; }
.sides { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); border-top: 1px solid var(--rule); }
.side { padding: 12px 16px 14px; min-width: 0; } .side + .side { border-left: 1px solid var(--rule); }
.hit { margin-bottom: 12px; } .cite { font-size: 13px; color: var(--soft); overflow-wrap: anywhere; }
pre { margin: 4px 0 0; font: 12.5px/1.5 ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, monospace;
  white-space: pre-wrap;
  overflow-wrap: anywhere; background: var(--paper); border: 1px solid var(--rule);
  border-radius: 6px; padding: 8px 10px;
  unicode-bidi: isolate; }
mark { background: var(--mark); color: var(--markink); border-radius: 2px; }
@media (max-width: 720px) { main { padding: 22px 14px 48px; } h1 { font-size: 22px; }
  .sides { grid-template-columns: 1fr; } .side + .side { border-left: 0; border-top: 1px solid var(--rule); }
  th, td { padding: 6px 10px; } td .what { display: none; } }
@media print { details.question { break-inside: avoid; } }
"""

COLOURS = 6


def style() -> str:
    """Return the style sheet; collections beyond the sixth use the colours again."""
    series = "".join(
        f".s{n}, .c{n} {{ fill: var(--s{n % COLOURS}); background: var(--s{n % COLOURS}); }}\n"
        f".l{n} {{ stroke: var(--s{n % COLOURS}); }}\n"
        for n in range(4 * COLOURS)
    )
    return CSS.replace("SERIES\n", series)
