"""What a check of a collection found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something stored that is not as it should be.

    Attributes:
        kind: Machine-readable: ``head``, ``history``, ``file``, ``unreadable``, ``row``, ``duplicate``, ``orphan``,
            ``count``, ``span``, ``vector_missing``, ``vector_wrong``, ``stale_contract``, ``retired``, ``text_index``.
        where: File, or table and id, or uri of the document.
        what: One plain sentence.
        mend: The command that mends it, or what to do.
    """

    kind: str
    where: str
    what: str
    mend: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """A check of a whole collection.

    Attributes:
        version: Version of the state that was checked; None when it cannot be opened.
        problems: What was found; empty when all is well.
        checked: Number of ``files``, ``documents``, ``chunks``, ``leaves``, ``retired`` ids that were compared.
        notes: What is no problem, but worth knowing.
    """

    version: int | None
    problems: tuple[Problem, ...]
    checked: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
