"""Tables that share keys: what is related to what, and the way of joins from one table to another. Pure.

``entitlement_values`` has ``ACCOUNTKEY``, which is the key of ``accounts``, which has ``USERKEY``, the key of
``users``: nobody has to write the path down for it to be followed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from heapq import heappop, heappush

from withgrain.model import Facts

_KEY = re.compile(r"(.{2,}?)_?(?:key|id)")
#: A join by a key that names neither table is worth this many by a key that does: ``statuskey`` in two tables says that
#: both have a state, not that their rows belong together.
_UNNAMED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """One step of a path: the tables and the key that both have, as the first of them writes it."""

    left: str
    right: str
    key: str


def join_keys(facts: Facts) -> dict[str, str]:
    """Return the keys of a text that tables can be joined by: compared form -> as written.

    Values and table names are taken off (``users.USERKEY``, ``statuskey=1``); what does not end with key or id joins
    nothing.
    """
    found: dict[str, str] = {}
    for key in facts.keys:
        name = key.partition("=")[0].rpartition(".")[2]
        plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower() if not name.isupper() else name.lower()
        if _KEY.fullmatch(plain):
            found.setdefault(plain.replace("_", ""), name)
    return found


def related_keys(a: Facts, b: Facts) -> tuple[str, ...]:
    """Return the keys that two texts share, as the first writes them, whatever their case and underscores."""
    there = join_keys(b)
    return tuple(written for plain, written in join_keys(a).items() if plain in there)


def join_path(tables: Mapping[str, Facts], start: str, goal: str) -> tuple[Join, ...]:
    """Return the shortest way of joins between two tables; empty when there is none or they are the same.

    A key that is named after one of the two tables counts as one step; another shared key is taken only where nothing
    else leads on.

    Args:
        tables: Name of each table (the last heading of its chunk) and its facts.
        start: Where to begin.
        goal: Where to end.

    Raises:
        KeyError: A table is not among them.
    """
    keys = {name: join_keys(facts) for name, facts in tables.items()}
    _ = keys[start], keys[goal]
    ways: list[tuple[int, int, str, tuple[Join, ...]]] = [(0, 0, start, ())]
    seen: set[str] = set()
    pushed = 0
    while ways:
        cost, _, name, path = heappop(ways)
        if name == goal:
            return path
        if name in seen:
            continue
        seen.add(name)
        for other, theirs in keys.items():
            shared = [key for key in keys[name] if key in theirs] if other not in seen else []
            if shared:
                extra, best = min((_cost(key, name, other), key) for key in shared)
                pushed += 1
                step = Join(left=name, right=other, key=keys[name][best])
                heappush(ways, (cost + extra, pushed, other, (*path, step)))
    return ()


def _cost(key: str, left: str, right: str) -> int:
    """Return 1 where a key is named after one of the tables: ``userkey`` after ``users`` or ``USER``."""
    match = _KEY.fullmatch(key)
    stem = match[1] if match else key
    return 1 if stem in (_singular(left), _singular(right)) else _UNNAMED


def _singular(table: str) -> str:
    name = re.sub(r"[^a-z0-9]", "", table.lower())
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("s", "")):
        if name.endswith(ending) and not name.endswith("ss"):
            return name.removesuffix(ending) + instead
    return name
