"""Policies: how big, where to cut, what to repeat. Data that one packer follows; no policy has code of its own."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from difflib import get_close_matches
from typing import Literal

from withgrain.errors import ConfigError
from withgrain.model import sha256_hex

Regions = Literal["section", "heading", "document"]
Joint = Literal["block", "paragraph", "line", "sentence", "word", "window"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Sizes in the policy's unit.

    Attributes:
        target: Where the packer stops adding blocks.
        maximum: Never exceeded by a chunk of several blocks; parts included.
        minimum: A section below it is small: an atomic fact, a candidate for merging, or kept alone.
        overlap: The most that is repeated from the chunk before.
    """

    target: int
    maximum: int
    minimum: int = 0
    overlap: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """One way to cut.

    Attributes:
        name: The name that users type.
        version: Changes whenever the same document can be cut otherwise.
        budget: Sizes for documents of class ``default``.
        classes: Sizes for other document classes; a class that is not here uses ``budget``.
        unit: What sizes count: exact tokens, or characters.
        regions: What is packed on its own: each section; each section under H1-H3 with its heading in the body; or
            the whole document.
        joint: The coarsest place for a cut. ``block`` keeps blocks whole while they fit; the others see plain text.
        prefix: Whether title and heading path stand in front of the body in the embedded text.
        bonds: Whether lead-in and list, rule and exception … are kept together while they fit.
        merge: Whether small sections without a signal of their own join their small siblings.
        overlap_at: Kinds of boundary behind which text is repeated; ``("*",)`` for all.
        even: Whether a region is cut into parts of even size instead of full ones and a rest.
        strict: Whether sections below the minimum are dropped (only to measure what that loses).
    """

    name: str
    version: str = "1"
    budget: Budget
    classes: tuple[tuple[str, Budget], ...] = ()
    unit: Literal["tokens", "characters"] = "tokens"
    regions: Regions = "section"
    joint: Joint = "block"
    prefix: bool = True
    bonds: bool = True
    merge: Literal["never", "siblings"] = "never"
    overlap_at: tuple[str, ...] = ()
    even: bool = True
    strict: bool = False

    @property
    def fingerprint(self) -> str:
        """16 hex digits over every value: what the contract of a collection remembers."""
        return sha256_hex(json.dumps(asdict(self), sort_keys=True))[:16]

    def budget_for(self, doc_class: str) -> Budget:
        """Return the sizes for a document class."""
        return dict(self.classes).get(doc_class, self.budget)

    def with_maximum(self, maximum: int) -> Policy:
        """Return this policy with all sizes scaled so that the maximum is ``maximum`` in every class.

        Raises:
            ConfigError: The maximum is not positive.
        """
        if maximum < 1:
            raise ConfigError(f"max_tokens is {maximum}; it must be at least 1.")
        scaled = tuple((name, _scale(b, maximum)) for name, b in self.classes)
        return replace(self, budget=_scale(self.budget, maximum), classes=scaled)

    def with_sizes(
        self, *, target: int | None = None, minimum: int | None = None, overlap: int | None = None
    ) -> Policy:
        """Return this policy with the given sizes in every class."""

        def sized(budget: Budget) -> Budget:
            return replace(
                budget,
                target=budget.target if target is None else target,
                minimum=budget.minimum if minimum is None else minimum,
                overlap=budget.overlap if overlap is None else overlap,
            )

        changed = tuple((name, sized(b)) for name, b in self.classes)
        return replace(self, budget=sized(self.budget), classes=changed)

    def check(self) -> None:
        """Raise ConfigError when the sizes contradict each other."""
        for name, budget in (("default", self.budget), *self.classes):
            _check_budget(f"policy {self.name}, class {name}", budget)


def _scale(budget: Budget, maximum: int) -> Budget:
    factor = maximum / budget.maximum
    return Budget(
        target=max(1, min(maximum, round(budget.target * factor))),
        maximum=maximum,
        minimum=min(maximum, round(budget.minimum * factor)),
        overlap=round(budget.overlap * factor),
    )


def _check_budget(where: str, budget: Budget) -> None:
    for field in fields(budget):
        if getattr(budget, field.name) < 0:
            raise ConfigError(f"{where}: {field.name} is negative.")
    if budget.maximum < 1 or budget.target < 1:
        raise ConfigError(f"{where}: target and maximum must be at least 1.")
    if budget.target > budget.maximum:
        raise ConfigError(f"{where}: target {budget.target} is above the maximum {budget.maximum}.")
    if budget.minimum > budget.maximum:
        raise ConfigError(f"{where}: minimum {budget.minimum} is above the maximum {budget.maximum}.")
    if budget.overlap >= budget.maximum:
        raise ConfigError(
            f"{where}: overlap {budget.overlap} is not below the maximum {budget.maximum}: "
            "every chunk would repeat the one before. Choose a smaller overlap."
        )


def _budget(target: int, maximum: int, minimum: int, overlap: int) -> Budget:
    return Budget(target=target, maximum=maximum, minimum=minimum, overlap=overlap)


#: Sizes by document class. Those of `policy`, `faq` and `code` are our proposal: a clause or an answer is short and
#: is cited alone (as an API operation is); code keeps a whole function.
CLASS_BUDGETS: tuple[tuple[str, Budget], ...] = (
    ("api_reference", _budget(180, 360, 40, 10)),
    ("json", _budget(130, 260, 30, 0)),
    ("sop", _budget(220, 440, 80, 30)),
    ("concept", _budget(430, 470, 150, 80)),
    ("incident", _budget(270, 430, 80, 40)),
    ("policy", _budget(220, 440, 40, 30)),
    ("faq", _budget(180, 360, 30, 0)),
    ("code", _budget(300, 480, 40, 0)),
)

STRUCTURE_AWARE = Policy(
    name="structure_aware",
    budget=_budget(350, 480, 100, 50),
    classes=CLASS_BUDGETS,
    overlap_at=("sentence", "word"),
)

POLICIES: dict[str, Policy] = {
    p.name: p
    for p in (
        STRUCTURE_AWARE,
        Policy(
            name="token_only",
            budget=_budget(512, 512, 0, 50),
            regions="document",
            joint="word",
            prefix=False,
            bonds=False,
            overlap_at=("*",),
            even=False,
        ),
        Policy(
            name="fixed",
            budget=_budget(500, 500, 0, 100),
            unit="characters",
            regions="document",
            joint="window",
            prefix=False,
            bonds=False,
            overlap_at=("*",),
            even=False,
        ),
        Policy(
            name="paragraph",
            budget=_budget(600, 600, 0, 120),
            unit="characters",
            regions="document",
            joint="paragraph",
            prefix=False,
            bonds=False,
            overlap_at=("window",),
            even=False,
        ),
        Policy(
            name="heading",
            budget=_budget(800, 800, 0, 0),
            unit="characters",
            regions="heading",
            joint="paragraph",
            prefix=False,
            bonds=False,
            even=False,
        ),
        Policy(
            name="recursive",
            budget=_budget(800, 800, 0, 0),
            unit="characters",
            regions="document",
            joint="paragraph",
            prefix=False,
            bonds=False,
            even=False,
        ),
    )
}


def policy(name: str) -> Policy:
    """Return the built-in policy of that name.

    Raises:
        ConfigError: There is none; the message has the nearest name and the list.
    """
    if name in POLICIES:
        return POLICIES[name]
    near = get_close_matches(name, POLICIES, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    raise ConfigError(f"There is no policy {name!r}.{hint} Policies: {', '.join(sorted(POLICIES))}.")
