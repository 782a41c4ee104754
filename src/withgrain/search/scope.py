"""Where a question is asked: the filter, and what follows when it names one document."""

from __future__ import annotations

from collections.abc import Mapping

from withgrain.model import And, Compare, Filter, Or
from withgrain.tokens.terms import terms


def names_one_document(where: Filter | None) -> bool:
    """Return whether every chunk inside the filter is of one named document."""
    pending = [where] if where else []
    while pending:
        node = pending.pop()
        if isinstance(node, Compare) and node.field in ("document", "doc_id"):
            if node.operator == "eq" or (
                node.operator == "in" and isinstance(node.value, tuple) and len(node.value) == 1
            ):
                return True
        elif isinstance(node, And) or (isinstance(node, Or) and len(node.parts) == 1):
            pending.extend(node.parts)
    return False


def without_title(asked: Mapping[str, int], title: str) -> dict[str, int]:
    """Return the asked terms without those of the document's title; all of them when nothing would be left.

    Inside one document the words of its title ("the Reseller Agreement with …") say nothing about the place, and draw
    title pages and signature blocks to the top.
    """
    named = set(terms(title))
    kept = {term: n for term, n in asked.items() if term not in named}
    return kept or dict(asked)
