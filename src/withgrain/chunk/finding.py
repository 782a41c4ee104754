"""What the detectors find in a chunk: its facts, its quality, and whether it is an atomic fact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from withgrain.chunk.draft import Draft
from withgrain.chunk.policy import Budget, Policy
from withgrain.chunk.scope import Scope
from withgrain.model import Document, Facts, Section
from withgrain.model.chunk import ChunkKind
from withgrain.signals import has_own_signal, quality

_NONE = Facts()
#: Quality where nobody looks.
_UNKNOWN = 50
#: An estimate for quality where tokens are not counted.
_CHARACTERS_PER_TOKEN = 4

#: Kind, facts and quality of a chunk.
Found = tuple[ChunkKind, Facts, int]


class Finding:
    """Looks at the drafts of one document, one by one."""

    def __init__(
        self,
        document: Document,
        parts: tuple[Section, ...],
        drafts: list[Draft],
        policy: Policy,
        budget: Budget,
        *,
        counted: bool,
        scope: Scope | None,
        look: Callable[[str], Facts],
    ) -> None:
        """Prepare to look; ``look`` finds the facts of a text, ``scope`` knows what is inherited (None makes one)."""
        self._scope = scope or Scope(document, parts, rules=policy.signals)
        self._look, self._counted, self._least = look, counted, budget.minimum
        self._in_sections = policy.regions == "section"
        self._drafts_of = Counter([draft.region.section for draft in drafts])

    def of(self, draft: Draft, section: int, path: tuple[str, ...], body: str) -> Found:
        """Return what stands in a draft, with what its section hands down.

        Args:
            draft: The draft.
            section: Index of its section.
            path: Its heading path, the last name of which is looked at, too.
            body: Its text.
        """
        own = self._look("\n".join((*path[-1:], body)))
        kind: ChunkKind = "atomic_fact" if self._alone(draft) and has_own_signal(own) else "normal"
        facts = self._scope.inherit(own, section)
        size = draft.tokens if self._counted else len(body) // _CHARACTERS_PER_TOKEN
        return kind, facts, quality(facts, tokens=size, kind=kind)

    def _alone(self, draft: Draft) -> bool:
        """Return whether a draft is a whole section that is too small for a chunk."""
        region = draft.region
        single = self._in_sections and len(region.members) <= 1 and self._drafts_of[region.section] == 1
        return single and draft.size < self._least


def nothing_found(draft: Draft, section: int, path: tuple[str, ...], body: str) -> Found:
    """Find nothing: facts were not asked for."""
    del draft, section, path, body
    return "normal", _NONE, _UNKNOWN
