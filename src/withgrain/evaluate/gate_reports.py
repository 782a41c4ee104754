"""What the gate says, for machines that read JUnit, for people who read Markdown, and as JSON."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import quoteattr

from withgrain.evaluate.gate import Judgement
from withgrain.evaluate.shapes import comparison, problem

SCHEMA = 1


def to_json(found: Judgement) -> dict[str, Any]:
    """Return the JSON shape."""
    return {
        "schema": SCHEMA,
        "passed": found.passed,
        "checks": [
            {"metric": c.metric, "passed": c.passed, "floor": c.floor, "reason": c.reason}
            | {"comparison": comparison(c.comparison)}
            for c in found.checks
        ],
        "changes": list(found.changes),
        "lost": [{"question": q, "before": before, "after": after} for q, before, after in found.lost],
        "problems": [problem(p) for p in found.problems],
    }


def to_junit(found: Judgement) -> str:
    """Return a JUnit report: one case a metric, one for the documents and questions being the pinned ones."""
    cases = []
    for check in found.checks:
        before, now = check.comparison.values
        inside = ""
        if not check.passed:
            told = f"{check.metric} {now:.3f}, pinned {before:.3f}: {check.reason}"
            inside = f"<failure message={quoteattr(_clean(told))}/>"
        cases.append(f'<testcase classname="withgrain.eval" name={quoteattr(check.metric)}>{inside}</testcase>')
    notes = [*found.changes, *map(str, found.problems)]
    skipped = f"<skipped message={quoteattr(_clean('; '.join(notes)))}/>" if notes else ""
    cases.append(f'<testcase classname="withgrain.eval" name="pinned documents and questions">{skipped}</testcase>')
    failures = sum(not c.passed for c in found.checks)
    counts = f'tests="{len(cases)}" failures="{failures}" skipped="{int(bool(notes))}"'
    body = "\n".join(f"    {case}" for case in cases)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n  <testsuite name="withgrain eval gate" {counts}>\n'
        f"{body}\n  </testsuite>\n</testsuites>\n"
    )


def to_markdown(found: Judgement) -> str:
    """Return a summary for a pull request."""
    lines = [
        f"### Retrieval gate: {'open' if found.passed else 'closed'}",
        "",
        "| metric | pinned | now | difference | floor | |",
        "|---|---|---|---|---|---|",
    ]
    for check in found.checks:
        before, now = check.comparison.values
        gap = check.comparison.difference.mean
        state = f"**{check.reason}**" if check.reason else "ok"
        lines.append(f"| {check.metric} | {before:.3f} | {now:.3f} | {gap:+.3f} | {check.floor:.3f} | {state} |")
    if found.lost:
        lines += ["", "Questions that lost most (R@8k):", ""]
        lines += [f"- `{_code(q)}`: {before:.2f} → {after:.2f}" for q, before, after in found.lost]
    notes = [*found.changes, *map(str, found.problems)]
    if notes:
        lines += ["", "Not over the pinned documents and questions:", "", *(f"- {_text(n)}" for n in notes)]
    return "\n".join(lines) + "\n"


def _code(text: str) -> str:
    return " ".join(text.replace("`", "'").split())


def _text(text: str) -> str:
    """Return text that no Markdown reader takes for markup."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#" else c for c in " ".join(text.split()))


def _clean(text: str) -> str:
    """Return text without the characters that XML cannot hold."""
    return "".join(
        c if c >= " " and c not in "\ufffe\uffff" and not "\ud800" <= c <= "\udfff" else "\ufffd" for c in text
    )
