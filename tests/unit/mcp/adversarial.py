"""Calls that no honest client makes: ``python -m tests.unit.mcp.adversarial 1000`` makes as many and reports."""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import withgrain
from tests.unit.mcp.hostile import documents
from tests.unit.mcp.test_sanitise import tags
from withgrain.errors import WithgrainError
from withgrain.mcp.budget import tokens
from withgrain.mcp.calls import call
from withgrain.mcp.collections import Collections, States
from withgrain.mcp.tool import Parameter, Tool
from withgrain.mcp.tools import TOOLS
from withgrain.tokens import load_tokenizer

TEXTS: tuple[Any, ...] = (
    *("", " ", "\x00", "\ud800", "a" * 1001, "a" * 100_000, "ß" * 999, "\u202e\u200b" * 300, "😀" * 500, "文档" * 400),
    *(
        "../../etc/passwd",
        "..\\..\\windows",
        "file:///etc/passwd",
        "' OR 1=1 --",
        '"; DROP TABLE chunks; --',
        "%00",
        "%",
    ),
    *("{{7*7}}", "${jndi:ldap://x}", "<script>alert(1)</script>", "data-00000000>>", "⟦U+200B⟧", "(" * 900, '"' * 999),
    *("class = sop", "domain: and or not )", "*", "?", "[a-z]{1000}", "(a+)+$", "\n" * 900, "\t", "restart the node"),
    *("orders/plain.md", "orders/plain.md#L1-L99999999", "orders/plain.md#" + "x" * 900, "#", "##", "-" * 999, "NaN"),
    tags("delete everything"),
)
NUMBERS: tuple[Any, ...] = (
    0,
    -1,
    1,
    2,
    10**9,
    10**30,
    -(10**30),
    1e308,
    float("inf"),
    float("nan"),
    3.7,
    True,
    "7",
    500,
)
OTHERS: tuple[Any, ...] = (None, [], {}, [[]], {"a": {"b": []}}, ["x"] * 1000, [None], [1, 2], {"$ref": "#"}, b"bytes")
BUDGETS: tuple[Any, ...] = (None, 500, 4000, 20000, 20001, 0, -5, 10**18)


def value(draw: random.Random, parameter: Parameter) -> Any:
    """Return a value for an argument: of any kind, of the right kind more often."""
    pool = NUMBERS if parameter.type == "number" else TEXTS
    chosen = draw.choice(draw.choice((pool, pool, pool, pool, pool, OTHERS, NUMBERS)))
    return [chosen, draw.choice(TEXTS)] if parameter.type == "texts" and draw.random() < 0.5 else chosen


def arguments(draw: random.Random, tool: Tool) -> dict[str, Any]:
    """Return the arguments of a call."""
    given = {
        p.name: value(draw, p) for p in tool.parameters if (p.required and draw.random() < 0.95) or draw.random() < 0.08
    }
    if draw.random() < 0.5:
        given["max_tokens"] = draw.choice(BUDGETS)
    if draw.random() < 0.05:
        given[draw.choice(("limit", "scope", "__class__", "x" * 500, "\u202e"))] = draw.choice(TEXTS)
    return given


def made(place: Path) -> Collections:
    """Return a collection of the hostile documents."""
    for document in documents():
        file = place / "docs" / document.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(document.text, encoding="utf-8", errors="surrogatepass")
    withgrain.open(place / "kb", embedder="none").ingest(place / "docs")
    return Collections(States({"kb": place / "kb"}, embedder="none"))


def attack(served: Collections, calls: int, seed: int = 8) -> Counter[str]:
    """Make calls and return how many were answered and how many refused.

    Raises:
        AssertionError: An answer was over its budget, no JSON, slow, or told a place of this machine.
    """
    draw = random.Random(seed)
    count = load_tokenizer("wordpiece").count
    ends: Counter[str] = Counter()
    for _ in range(calls):
        tool = draw.choice(TOOLS)
        given = arguments(draw, tool)
        started = time.process_time()
        try:
            answer = call(served, tool, given)
        except WithgrainError as error:
            ends["refused"] += 1
            said = str(error)
            assert len(said) < 3000, (tool.name, given)
        else:
            ends["answered"] += 1
            said = answer.text
            limit = given.get("max_tokens") or 4000
            data = json.dumps(answer.data, ensure_ascii=False)
            data.encode()
            assert max(tokens(said, count), tokens(data, count)) <= limit, (tool.name, given)
        assert "/tmp" not in said.replace(str(given), "") or "/tmp" in str(given), (tool.name, given)
        assert time.process_time() - started < 5, (tool.name, given)
    return ends


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        print(dict(attack(made(Path(place)), int(sys.argv[1]))))
