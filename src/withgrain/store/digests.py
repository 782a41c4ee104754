"""What every file of a generation held when it was published: its digest, so that damage is found wherever it is.

The engine writes a file once and never again (its hint at the newest version apart). Each publication appends a line
for each new file to ``digests``; the head says how many lines there are. Lines behind that belong to no state.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

#: The file with the digests of a generation.
DIGESTS = "digests"
#: The file that readers of a generation hold a lease on.
LEASE = "lease"
# Written again and again, and only a hint: the engine looks at the directory when it is wrong.
_HINT = "latest_version_hint.json"
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """What a file held."""

    path: str
    size: int
    digest: str

    def line(self) -> str:
        """Return the line of the log."""
        return f"{self.digest} {self.size} {self.path}\n"


def files(directory: Path) -> dict[str, set[str]]:
    """Return the names of the files that the engine wrote for good, by their folder relative to the generation."""
    found = {}
    for folder, _, names in os.walk(directory):
        relative = Path(folder).relative_to(directory).as_posix()
        own = {_HINT, DIGESTS, LEASE} if relative == "." else {_HINT}
        found["" if relative == "." else relative] = set(names) - own
    return found


def digest_of(file: Path, directory: Path) -> Digest:
    """Read a file and return what it holds.

    Raises:
        OSError: It cannot be read.
    """
    content = blake2b(digest_size=16)
    size = 0
    with file.open("rb") as stream:
        while piece := stream.read(_PIECE):
            content.update(piece)
            size += len(piece)
    return Digest(path=file.relative_to(directory).as_posix(), size=size, digest=content.hexdigest())


def read_digests(directory: Path) -> list[Digest]:
    """Return the lines of the log up to the first that is none (a crash can leave half a line).

    Raises:
        OSError: It cannot be read. A log that was never written is empty.
    """
    try:
        text = (directory / DIGESTS).read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:
        return []
    found = []
    for line in text.splitlines(keepends=True):
        parts = line.rstrip("\n").split(" ", 2)
        if len(parts) != 3 or not line.endswith("\n") or not parts[1].isascii() or not parts[1].isdigit():
            break
        found.append(Digest(path=parts[2], size=int(parts[1]), digest=parts[0]))
    return found


def append_digests(directory: Path, entries: Iterable[Digest], *, behind: int) -> int:
    """Write entries behind the first ``behind`` bytes of the log, flush it to the disk, and return its new size."""
    file = directory / DIGESTS
    with file.open("r+b" if file.exists() else "x+b") as stream:
        stream.truncate(behind)
        stream.seek(behind)
        stream.write("".join(entry.line() for entry in entries).encode())
        stream.flush()
        os.fsync(stream.fileno())
        return stream.tell()


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """A file of a generation that is not what was written."""

    path: str
    what: str


def damages(directory: Path, lines: int) -> Iterator[Damage]:
    """Compare every file of a generation with its digest.

    Args:
        directory: The generation.
        lines: Number of lines that the log must have at least.
    """
    known: dict[str, Digest] = {}
    with suppress(OSError):
        read = read_digests(directory)
        known = {entry.path: entry for entry in read}
        if len(read) < lines:
            yield Damage(path=DIGESTS, what=f"has {len(read):,} of {lines:,} lines")
    if lines and not known:
        return
    for entry in known.values():
        what = _damage(directory, entry)
        if what:
            yield Damage(path=entry.path, what=what)


def _damage(directory: Path, entry: Digest) -> str:
    try:
        found = digest_of(directory / entry.path, directory)
    except FileNotFoundError:
        return "is missing"
    except (OSError, ValueError) as error:
        return f"cannot be read ({error})"
    if found.size != entry.size:
        return f"has {found.size:,} bytes instead of {entry.size:,}"
    return "" if found.digest == entry.digest else "was changed"
