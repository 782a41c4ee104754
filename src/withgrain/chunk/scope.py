"""Markers and domain that a chunk inherits from the nearest enclosing scope: section, ancestors, document."""

from __future__ import annotations

from withgrain.chunk.build import within
from withgrain.chunk.marker import infer_marker
from withgrain.model import Document, Facts, Section
from withgrain.signals import NO_RULES, Rules, detect


class Scope:
    """What each section states for everything below it.

    Args:
        document: The document.
        parts: Its sections.
        rules: Detectors of the user.
        domain: Of a path rule; the front matter goes before it, and a marker before both.
    """

    def __init__(
        self, document: Document, parts: tuple[Section, ...], *, rules: Rules = NO_RULES, domain: str = ""
    ) -> None:
        self._document, self._parts = document, parts
        named = document.meta.get("domain")
        self._domain = named.strip() if isinstance(named, str) and named.strip() else domain
        self._inferred: dict[int, tuple[str, ...]] = {}
        self._own: list[Facts] | None = None
        if "@@" in document.text:
            self._own = [detect(s.span.of(document.text), rules=rules) for s in parts]
            preamble = [f for s, f in zip(parts, self._own, strict=True) if s.heading is None or s.level <= 1]
            self._preamble = next((f for f in preamble if f.markers), Facts())

    def own(self, index: int) -> tuple[str, ...]:
        """Return the markers that stand in section ``index`` itself."""
        return self._own[index].markers if self._own is not None else ()

    def markers(self, index: int) -> tuple[str, ...]:
        """Return the markers of section ``index``: its own, else those of the nearest scope; empty for none."""
        return self._found(index).markers

    def inferred(self, index: int) -> tuple[str, ...]:
        """Return the marker made for section ``index``; empty where an author's is in scope."""
        if self.markers(index):
            return ()
        if index not in self._inferred:
            source = self._document.source
            marker = infer_marker(source.path, self._document.title, self._parts[index].path, self._domain)
            self._inferred[index] = (marker,) if marker else ()
        return self._inferred[index]

    def inherit(self, own: Facts, index: int) -> Facts:
        """Return the facts of a chunk of section ``index`` with inherited markers and domain."""
        found = self._found(index) if not own.markers else own
        domain = own.domain or found.domain or ((self._domain,) if self._domain else ())
        inferred = () if found.markers else self.inferred(index)
        if (found.markers, domain, inferred) == (own.markers, own.domain, own.inferred_markers):
            return own
        return within(own, found.markers, domain, inferred)

    def _found(self, index: int) -> Facts:
        if self._own is None:
            return _NOTHING
        at: int | None = index
        while at is not None:
            if self._own[at].markers:
                return self._own[at]
            at = self._parts[at].parent
        return self._preamble


_NOTHING = Facts()
