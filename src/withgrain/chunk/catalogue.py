"""The policies that ship with withgrain, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches

from withgrain.chunk.policy import Budget, Policy
from withgrain.errors import ConfigError


def _budget(target: int, maximum: int, minimum: int, overlap: int, whole: int = 0, tables: int = 0) -> Budget:
    return Budget(target=target, maximum=maximum, minimum=minimum, overlap=overlap, whole=whole, tables=tables)


#: Sizes by document class: why these, docs/concepts/policies.md says.
CLASS_BUDGETS: tuple[tuple[str, Budget], ...] = (
    ("api_reference", _budget(180, 360, 40, 10, whole=360, tables=128)),
    ("json", _budget(130, 260, 30, 0)),
    ("sop", _budget(220, 440, 80, 30, whole=400, tables=128)),
    ("concept", _budget(430, 470, 150, 80, tables=128)),
    ("incident", _budget(270, 430, 80, 40, whole=400, tables=128)),
    ("policy", _budget(160, 320, 40, 30, whole=320)),
    ("faq", _budget(180, 360, 30, 0, whole=360, tables=128)),
    ("code", _budget(300, 480, 40, 0)),
)

STRUCTURE_AWARE = Policy(
    name="structure_aware",
    budget=_budget(350, 480, 100, 50, tables=128),
    classes=CLASS_BUDGETS,
    overlap_at=("sentence", "word"),
)

#: What the baselines share: they see a text, not its structure.
_PLAIN = Policy(
    name="plain",
    budget=_budget(800, 800, 0, 0),
    unit="characters",
    regions="document",
    joint="paragraph",
    prefix=False,
    bonds=(),
    even=False,
)

_ALL = (
    STRUCTURE_AWARE,
    replace(STRUCTURE_AWARE, name="strict", strict=True),
    replace(STRUCTURE_AWARE, name="parent_child", budget=_budget(150, 200, 40, 20), classes=(), parent=800),
    replace(STRUCTURE_AWARE, name="semantic", budget=_budget(350, 480, 100, 50), classes=(), overlap_at=(), topics=90),
    replace(STRUCTURE_AWARE, name="page", budget=_budget(800, 1000, 0, 50), classes=(), regions="page", even=False),
    replace(_PLAIN, name="token_only", budget=_budget(512, 512, 0, 50), unit="tokens", joint="word", overlap_at=("*",)),
    replace(_PLAIN, name="fixed", budget=_budget(500, 500, 0, 100), joint="window", overlap_at=("*",)),
    replace(_PLAIN, name="paragraph", budget=_budget(600, 600, 0, 120), overlap_at=("window",)),
    replace(_PLAIN, name="heading", regions="heading"),
    replace(_PLAIN, name="recursive"),
)

POLICIES: dict[str, Policy] = {p.name: p for p in _ALL}


def policy(name: str, known: Mapping[str, Policy] = POLICIES) -> Policy:
    """Return the policy of that name, among the built-in ones or those given.

    Raises:
        ConfigError: There is none; the message has the nearest name and the list.
    """
    if name in known:
        return known[name]
    near = get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    raise ConfigError(f"There is no policy {name!r}.{hint} Policies: {', '.join(sorted(known))}.")
