"""Quality: a number from 0 to 100 that says how much a chunk states, with the reasons."""

from __future__ import annotations

from withgrain.model import Facts

#: Changes whenever the quality of unchanged facts can change.
QUALITY_VERSION = "1"

_BASE = 50
_SHORT = 50


def explain_quality(facts: Facts, *, tokens: int, kind: str) -> tuple[tuple[str, int], ...]:
    """Return the reasons of a chunk's quality and the points of each; reasons without points are left out.

    Args:
        facts: What was found in the chunk.
        tokens: Tokens of the chunk.
        kind: ``normal``, ``atomic_fact`` or ``document_summary``.
    """
    endpoint = bool(facts.api_method and facts.api_endpoint)
    reasons = (
        ("base", _BASE),
        ("has a marker", 15 if facts.markers else 0),
        (f"entities: {', '.join(facts.entities)}", min(10, 2 * len(facts.entities))),
        ("HTTP method with endpoint", 10 if endpoint else 0),
        (f"operations: {', '.join(facts.operations)}", min(10, 2 * len(facts.operations))),
        ("is an atomic fact", 5 if kind == "atomic_fact" else 0),
        ("is a document summary", 5 if kind == "document_summary" else 0),
        (f"fewer than {_SHORT} tokens", -10 if tokens < _SHORT else 0),
    )
    return tuple((reason, points) for reason, points in reasons if points)


def quality(facts: Facts, *, tokens: int, kind: str) -> int:
    """Return the quality of a chunk: the sum of ``explain_quality``, not below 0 and not above 100."""
    total = _BASE + min(10, 2 * len(facts.entities)) + min(10, 2 * len(facts.operations))
    if facts.markers:
        total += 15
    if facts.api_method and facts.api_endpoint:
        total += 10
    if kind in ("atomic_fact", "document_summary"):
        total += 5
    if tokens < _SHORT:
        total -= 10
    return max(0, min(100, total))


def has_own_signal(facts: Facts) -> bool:
    """Return whether a short section with these facts can stand alone: it states something that people search by name.

    Markers, endpoints, codes, keys, roles, flags and environment variables count; words, versions and links do not.
    Pass the section's own facts, before markers are inherited.
    """
    return bool(facts.identifiers())
