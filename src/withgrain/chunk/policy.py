"""Policies: how big, where to cut, what to repeat. Data that one packer follows; no policy has code of its own."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from typing import Literal

from withgrain.errors import ConfigError
from withgrain.model import sha256_hex
from withgrain.signals import NO_RULES, Rules

Unit = Literal["tokens", "characters"]
Regions = Literal["section", "heading", "page", "document"]
Joint = Literal["block", "paragraph", "word", "window"]
Merge = Literal["never", "siblings"]
TableMode = Literal["rows", "records"]
Secrets = Literal["off", "report", "mask", "refuse"]

#: Kinds of block that can be bound to the block in front of them; see `withgrain.chunk.bonds`.
BOND_KINDS = ("paragraph", "list", "table", "code", "math", "figure", "definition", "quote", "admonition", "html")
#: Kinds of boundary that an overlap can be asked for; ``*`` is every kind.
BOUNDARY_KINDS = ("*", "block", "paragraph", "item", "row", "statement", "line", "cell", "sentence", "word", "window")


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Sizes in the policy's unit.

    Attributes:
        target: Where the packer stops adding blocks.
        maximum: Never exceeded by a chunk of several blocks; parts included.
        minimum: A section below it is small: an atomic fact, a candidate for merging, or kept alone.
        overlap: The most that is repeated from the chunk before.
        whole: A section of at most so much, its path not counted, is one chunk although it is above the target; 0
            for none.
        tables: The target in a section that has a table and is not one chunk, where it is below ``target``: a table and
            the text around it are asked for apart; 0 for no difference.
    """

    target: int
    maximum: int
    minimum: int = 0
    overlap: int = 0
    whole: int = 0
    tables: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """One way to cut.

    Attributes:
        name: The name that users type.
        version: Changes whenever the same document can be cut otherwise.
        budget: Sizes for documents of class ``default``.
        classes: Sizes for other document classes; a class that is not here uses ``budget``.
        unit: What sizes count: exact tokens, or characters.
        regions: What is packed on its own: each section; each section under H1-H3 with its heading in the body; each
            page of a format that has pages (elsewhere each section); or the whole document.
        joint: The coarsest place for a cut. ``block`` keeps blocks whole while they fit; the others see plain text.
        prefix: Whether title and heading path stand in front of the body in the embedded text.
        bonds: Kinds of block that stay with the block in front of them while they fit, where the rules of
            `withgrain.chunk.bonds` find a bond (lead-in and list, rule and exception …); empty for none.
        merge: Whether small sections without a signal of their own join their small siblings.
        merge_never: Kinds of block that keep a small section alone, whatever ``merge`` says.
        overlap_at: Kinds of boundary behind which text is repeated; ``("*",)`` for all.
        table_mode: ``rows``: tables are read as they stand, cut between rows with the header repeated; ``records``:
            each row is read as a JSON object with the labels of the header.
        even: Whether a region is cut into parts of even size instead of full ones and a rest.
        topics: Percentile of the distances between neighbouring sentences above which a section is cut; 0 does not
            look at meanings. It needs an embedder.
        parent: A chunk's parent is the largest section around it of at most so many tokens, a longer section is cut
            into parents; 0 makes every section the parent of its own chunks.
        summary: Whether a document of three sections and more gets its outline as a chunk beside the others.
        strict: Whether sections below the minimum are dropped (only to measure what that loses).
        secrets: What ingestion does with what looks like a secret (`withgrain.signals.secrets`): ``off`` only counts
            them in a notice; ``report`` names each place; ``mask`` stores ``█`` in their place; ``refuse`` fails the
            document.
        signals: Detectors and words of the user beside the shipped ones; they decide what is an atomic fact.
    """

    name: str
    version: str = "1"
    budget: Budget
    classes: tuple[tuple[str, Budget], ...] = ()
    unit: Unit = "tokens"
    regions: Regions = "section"
    joint: Joint = "block"
    prefix: bool = True
    bonds: tuple[str, ...] = BOND_KINDS
    merge: Merge = "never"
    merge_never: tuple[str, ...] = ()
    overlap_at: tuple[str, ...] = ()
    table_mode: TableMode = "rows"
    even: bool = True
    topics: int = 0
    parent: int = 0
    summary: bool = False
    strict: bool = False
    secrets: Secrets = "off"
    signals: Rules = NO_RULES

    @property
    def fingerprint(self) -> str:
        """16 hex digits over every value that chunks depend on.

        ``signals`` is not among them: the contract of a collection names it beside. Of ``secrets`` only ``mask`` is:
        the other values change no chunk.
        """
        values = asdict(replace(self, signals=NO_RULES))
        if self.secrets != "mask":
            del values["secrets"]
        return sha256_hex(json.dumps(values, sort_keys=True))[:16]

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
        parent = max(self.parent, maximum) if self.parent else 0
        return replace(self, budget=_scale(self.budget, maximum), classes=scaled, parent=parent)

    def with_sizes(
        self, *, target: int | None = None, minimum: int | None = None, overlap: int | None = None
    ) -> Policy:
        """Return this policy with the given sizes in every class; a target holds for every section."""

        def sized(budget: Budget) -> Budget:
            return replace(
                budget,
                target=budget.target if target is None else target,
                minimum=budget.minimum if minimum is None else minimum,
                overlap=budget.overlap if overlap is None else overlap,
                whole=budget.whole if target is None else 0,
                tables=budget.tables if target is None else 0,
            )

        changed = tuple((name, sized(b)) for name, b in self.classes)
        return replace(self, budget=sized(self.budget), classes=changed)

    def check(self) -> None:
        """Raise ConfigError when the sizes contradict each other."""
        for name, budget in (("default", self.budget), *self.classes):
            _check_budget(f"policy {self.name}, class {name}", budget)
        if not 0 <= self.topics <= 100:
            raise ConfigError(f"policy {self.name}: topics is {self.topics}; a percentile is between 0 and 100.")
        if self.parent and self.parent < max(b.maximum for b in (self.budget, *dict(self.classes).values())):
            raise ConfigError(f"policy {self.name}: a parent of {self.parent} tokens is smaller than its children.")


def _scale(budget: Budget, maximum: int) -> Budget:
    factor = maximum / budget.maximum
    return Budget(
        target=max(1, min(maximum, round(budget.target * factor))),
        maximum=maximum,
        minimum=min(maximum, round(budget.minimum * factor)),
        overlap=round(budget.overlap * factor),
        whole=min(maximum, round(budget.whole * factor)),
        tables=round(budget.tables * factor),
    )


def _check_budget(where: str, budget: Budget) -> None:
    in_order = 0 <= budget.minimum <= budget.maximum and 1 <= budget.target <= budget.maximum > budget.overlap >= 0
    if in_order and 0 <= budget.whole <= budget.maximum and budget.tables >= 0:
        return  # as nearly always
    for field in fields(budget):
        if getattr(budget, field.name) < 0:
            raise ConfigError(f"{where}: {field.name} is negative.")
    if budget.maximum < 1 or budget.target < 1:
        raise ConfigError(f"{where}: target and maximum must be at least 1.")
    if budget.target > budget.maximum:
        raise ConfigError(f"{where}: target {budget.target} is above the maximum {budget.maximum}.")
    if budget.minimum > budget.maximum:
        raise ConfigError(f"{where}: minimum {budget.minimum} is above the maximum {budget.maximum}.")
    if budget.whole > budget.maximum:
        raise ConfigError(
            f"{where}: whole {budget.whole} is above the maximum {budget.maximum}; a section cannot be a larger chunk."
        )
    if budget.overlap >= budget.maximum:
        raise ConfigError(
            f"{where}: overlap {budget.overlap} is not below the maximum {budget.maximum}: "
            "every chunk would repeat the one before. Choose a smaller overlap."
        )
