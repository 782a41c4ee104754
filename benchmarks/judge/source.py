"""The files that are cut, and the pieces that a contestant makes of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

MARKDOWN = (".md", ".markdown", ".mdx")
TEXT = (".txt", ".text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file. Contestants that read bytes get ``data``; the others get ``text``, decoded without their help."""

    path: str
    data: bytes
    text: str

    @property
    def markdown(self) -> bool:
        """Whether the name says Markdown; plain text otherwise."""
        return self.path.lower().endswith(MARKDOWN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A chunk as a contestant gives it.

    Attributes:
        text: Everything that would be embedded.
        body: The part of it that is a copy of the source.
        start: Claimed offset of the body in the source; None when none is claimed.
        end: The same behind the body.
        path: Headings that are given beside the text.
    """

    text: str
    body: str
    start: int | None = None
    end: int | None = None
    path: tuple[str, ...] = ()


def read_sources(folders: Iterable[Path]) -> Iterator[Source]:
    """Yield the Markdown and text files of some folders (or files), by name; files that are not UTF-8 are left out."""
    for folder in folders:
        files = sorted(p for p in folder.rglob("*") if p.is_file()) if folder.is_dir() else [folder]
        for file in files:
            if file.suffix.lower() not in (*MARKDOWN, *TEXT):
                continue
            source = make_source(file.name if file == folder else str(file.relative_to(folder)), file.read_bytes())
            if source is not None:
                yield source


def make_source(path: str, data: bytes) -> Source | None:
    """Return the file with its text: UTF-8, line ends as ``\\n``, without BOM and NUL; None when it is not UTF-8."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    return Source(path=path, data=data, text=text)
