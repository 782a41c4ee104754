"""Writes compiled Markdown beside the sources, never over them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from withgrain.errors import Unavailable, UsageError

if TYPE_CHECKING:
    from withgrain.chunk import Chunked
    from withgrain.ingest.discover import FoundFile
    from withgrain.model import Document

State = Literal["written", "unchanged", "kept", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledFile:
    """What became of one document.

    Attributes:
        uri: The document.
        path: Where its compiled form stands; empty when it has none.
        state: ``written`` (in a dry run: would be), ``unchanged``, ``kept`` (another file stands there; ``force``
            replaces it), ``skipped`` (no Markdown).
        markers: Markers that were added.
    """

    uri: str
    path: str
    state: State
    markers: int = 0


class Compiler:
    """Collects what `withgrain.app.audit` visits, and writes it under a directory.

    Args:
        directory: Made when it is needed. It must not hold sources, or be inside of them.
        sources: The audited paths.
        dry_run: Write nothing.
        force: Replace other files that stand there.

    Raises:
        UsageError: The directory holds sources or is inside of them, or it is a file.
    """

    def __init__(self, directory: Path, sources: Sequence[Path], *, dry_run: bool = False, force: bool = False) -> None:
        self.directory = directory.resolve()
        self._several, self._dry_run, self._force = len(sources) > 1, dry_run, force
        self.files: list[CompiledFile] = []
        for source in (path.resolve() for path in sources):
            if source == self.directory or source in self.directory.parents or self.directory in source.parents:
                raise UsageError(
                    f'"{directory}" and "{source}" are inside of each other; compiled files could replace sources or '
                    "be taken for sources. Choose a directory of its own."
                )
        if self.directory.exists() and not self.directory.is_dir():
            raise UsageError(f'"{directory}" is a file; --write takes a directory.')

    def visit(self, file: FoundFile, document: Document, chunked: Chunked) -> None:
        """Write the compiled form of one document.

        Raises:
            Unavailable: It cannot be written.
        """
        from withgrain.chunk.authors import compile_markdown, is_markdown

        if not is_markdown(document):
            self.files.append(CompiledFile(uri=file.uri, path="", state="skipped"))
            return
        compiled = compile_markdown(document, chunked.audit)
        target = self._target(document)
        state = self._put(target, compiled.text.encode("utf-8", "surrogatepass"))
        shown = str(target.relative_to(self.directory))
        self.files.append(CompiledFile(uri=file.uri, path=shown, state=state, markers=compiled.markers))

    def _target(self, document: Document) -> Path:
        name = document.source.uri if self._several else document.source.path
        if document.rendered:
            name += ".md"
        return self.directory.joinpath(*(part for part in name.split("/") if part not in ("", ".", "..")))

    def _put(self, target: Path, data: bytes) -> State:
        try:
            if target.is_symlink() or target.exists():
                same = target.is_file() and not target.is_symlink() and target.read_bytes() == data
                if same:
                    return "unchanged"
                if not self._force or target.is_dir():
                    return "kept"
            if not self._dry_run:
                self._write(target, data)
        except OSError as error:
            raise Unavailable(f"{target} cannot be written: {error.strerror or error}.") from None
        return "written"

    def _write(self, target: Path, data: bytes) -> None:
        """Write beside, then rename: a link that stands there is replaced, not followed."""
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.parent.resolve().is_relative_to(self.directory):
            raise Unavailable(f"{target} leads out of {self.directory} by a link; remove the link.")
        handle, beside = tempfile.mkstemp(dir=target.parent, prefix=".withgrain-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(beside).chmod(0o644)
            Path(beside).replace(target)
        except BaseException:
            Path(beside).unlink(missing_ok=True)
            raise
