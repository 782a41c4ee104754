"""The prefixes of one document, each made once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from withgrain.chunk.build import make_path_part
from withgrain.chunk.policy import Policy
from withgrain.chunk.prefix import SEPARATOR, SHARE, Prefix, prefix
from withgrain.chunk.ruler import Ruler
from withgrain.model import Part

Path = tuple[str, ...]


class Prefixes:
    """What stands in front of the bodies under each heading path of a document."""

    def __init__(
        self, title: str, policy: Policy, ruler: Ruler, maximum: int, metadata: Mapping[str, Any] | None = None
    ) -> None:
        self._title, self._ruler, self._maximum, self._metadata = title, ruler, maximum, metadata
        self._wanted = policy.prefix
        #: Whether the size of a prefix is the sum of the sizes of its names.
        self._summed = ruler.additive and policy.unit == "tokens" and policy.prefix and not metadata
        self._separator = ruler.part(SEPARATOR.strip())
        self._made: dict[Path, Prefix] = {}
        self._sized: dict[Path, tuple[tuple[Part, ...], int]] = {}

    def above(self, path: Path) -> tuple[tuple[Part, ...], int]:
        """Return the parts in front of the bodies under a heading path, and their size."""
        found = self._sized.get(path)
        if found is None:
            found = self._extended(path) if self._summed and path else None
            if found is None:
                parts = self._of(path).parts
                found = (parts, self._ruler.parts(parts))
            self._sized[path] = found
        return found

    def changed(self) -> Iterator[tuple[Path, Prefix]]:
        """Yield the paths whose prefixes are not whole, with these."""
        return ((path, made) for path, made in self._made.items() if made.elided or made.truncated)

    def _of(self, path: Path) -> Prefix:
        found = self._made.get(path)
        if found is None:
            wanted = self._wanted
            found = prefix(self._title, path, self._ruler, self._maximum, self._metadata) if wanted else Prefix()
            self._made[path] = found
        return found

    def _extended(self, path: Path) -> tuple[tuple[Part, ...], int] | None:
        """Return the prefix of a path as that of the path above it and one name more; None where it is elided."""
        name, outer = path[-1], path[:-1]
        if outer:
            parts, size = self.above(outer)
            text = parts[0].text if parts else ""
            if outer in self._made and self._made[outer].elided:
                return None
        else:
            text = "" if name == self._title else self._title
            size = self._ruler.part(text) if text else 0
        if text:
            text += SEPARATOR
            size += self._separator
        text += name
        size += self._ruler.part(name)
        if size > max(1, self._maximum // SHARE):
            return None
        self._ruler.know(text, size)
        return (make_path_part(text),), size
