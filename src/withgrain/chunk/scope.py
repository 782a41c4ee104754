"""Markers and domain that a chunk inherits from the nearest enclosing scope: section, ancestors, document."""

from __future__ import annotations

from dataclasses import replace

from withgrain.model import Document, Facts, Section
from withgrain.signals import detect


class Scope:
    """What each section states for everything below it. Built only when the document has markers or a domain."""

    def __init__(self, document: Document, parts: tuple[Section, ...]) -> None:
        self._parts = parts
        domain = document.meta.get("domain")
        self._domain = (str(domain),) if isinstance(domain, str) and domain else ()
        self._own: list[Facts] | None = None
        if "@@" in document.text:
            self._own = [detect(s.span.of(document.text)) for s in parts]
            preamble = [f for s, f in zip(parts, self._own, strict=True) if s.heading is None or s.level <= 1]
            self._document = next((f for f in preamble if f.markers), Facts())

    def inherit(self, own: Facts, index: int) -> Facts:
        """Return the facts of a chunk of section ``index`` with inherited markers and domain."""
        if own.markers or self._own is None:
            return replace(own, domain=self._domain) if self._domain and not own.domain else own
        at: int | None = index
        while at is not None:
            found = self._own[at]
            if found.markers:
                return self._with(own, found)
            at = self._parts[at].parent
        return self._with(own, self._document)

    def _with(self, own: Facts, scope: Facts) -> Facts:
        domain = own.domain or scope.domain or self._domain
        return replace(own, markers=scope.markers, domain=domain)
