"""Archives read as if they were folders: zip, and tar with or without gzip, bzip2 or xz. Never unpacked to disk.

Done in a worker process. What bounds it beside the limits of the process: entries, bytes and ratio of what is unpacked,
and how deep archives stand in archives. A name that leads out of the archive, a link or a device is refused.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import re
import stat
import struct
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Protocol

from withgrain.errors import DocumentError
from withgrain.ingest.reading import FileContent, read_file

SUFFIXES = (".zip", ".tar", ".tgz", ".tar.gz", ".tbz2", ".tar.bz2", ".txz", ".tar.xz")

#: Entries of an archive, bytes that its members have together, and how deep archives in archives are opened.
MAX_ENTRIES = 10_000
MAX_UNPACKED = 256_000_000
MAX_LEVELS = 2
#: More than so many bytes may not be so many times as large as they are packed: texts shrink to a tenth.
MAX_RATIO = 200
FREE_BYTES = 4_000_000
#: Characters of a member's name.
MAX_NAME = 1_000

_DRIVE = re.compile(r"[A-Za-z]:")
_DAMAGED = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error, OSError, EOFError, ValueError,
    NotImplementedError, RuntimeError, OverflowError,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A file in an archive.

    Attributes:
        path: Its path below the archive; that of an archive in the archive is a folder in it.
        inside: Name in the archive, then in the archive that this is, ….
        sha256: Of its bytes.
        size: Their number.
    """

    path: str
    inside: tuple[str, ...]
    sha256: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A member that is not read, with the reason."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What an archive holds, in its own order."""

    members: tuple[Member, ...]
    refused: tuple[Refused, ...]


def is_archive(name: str) -> bool:
    """Return whether the name of a file is that of an archive."""
    return name.lower().endswith(SUFFIXES)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A name in an archive, the bytes that its content has, and why it is not read; empty when it may be."""

    name: str
    size: int = 0
    refusal: str = ""


class _Archive(Protocol):
    def entries(self) -> Iterator[_Entry]:
        """Yield the files, links and devices; no folders."""
        ...

    def read(self, name: str, limit: int) -> bytes:
        """Return up to ``limit`` bytes of the first entry of this name."""
        ...


class Shelf:
    """The archives that were opened last: members of one archive are mostly read one after the other."""

    def __init__(self) -> None:
        self._key: tuple[object, ...] = ()
        self._open: list[tuple[str, _Archive]] = []

    def list(self, file: str, limit: int, reads: Sequence[str]) -> Listing:
        """Return what an archive holds.

        Args:
            file: The archive.
            limit: Larger members are refused.
            reads: Endings and whole names of the files that can be read; others are refused unread.

        Raises:
            DocumentError: The archive cannot be read, or is beyond the bounds.
        """
        lister = _Lister(self, file, limit, tuple(reads))
        lister.look_into((), "")
        return Listing(members=tuple(lister.members), refused=tuple(lister.refused))

    def read(self, file: str, inside: Sequence[str], limit: int) -> FileContent:
        """Return the content of a member; its time is that of the archive.

        Raises:
            DocumentError: It is not there any more, damaged, or larger than ``limit``.
        """
        *outer, name = inside
        try:
            data = self.archive(file, outer).read(name, limit + 1)
            moment = datetime.fromtimestamp(int(Path(file).stat().st_mtime), tz=UTC)
        except (*_DAMAGED, KeyError) as error:
            raise DocumentError(f"the archive cannot be read: {_why(error)}", kind="unreadable") from error
        if len(data) > limit:
            raise DocumentError(f"larger than the limit (more than {limit:,} bytes)", kind="too_large")
        return FileContent(data=data, modified=moment.strftime("%Y-%m-%dT%H:%M:%SZ"))

    def archive(self, file: str, outer: Sequence[str]) -> _Archive:
        """Open an archive, or an archive in it."""
        status = Path(file).stat()
        key = (file, status.st_size, status.st_mtime_ns, status.st_ino)
        if key != self._key:
            data = read_file(file, MAX_UNPACKED).data
            self._key, self._open = key, [("", _opened(data))]
        for level, name in enumerate(outer, start=1):
            if len(self._open) > level and self._open[level][0] == name:
                continue
            data = self._open[level - 1][1].read(name, MAX_UNPACKED)
            self._open[level:] = [(name, _opened(data))]
        return self._open[len(outer)][1]


class _Lister:
    """One walk through an archive and the archives in it, under bounds that they share."""

    def __init__(self, shelf: Shelf, file: str, limit: int, reads: tuple[str, ...]) -> None:
        self._shelf, self._file, self._limit, self._reads = shelf, file, limit, reads
        self._seen: set[str] = set()
        self._entries = self._bytes = 0
        self.members: list[Member] = []
        self.refused: list[Refused] = []

    def look_into(self, outer: tuple[str, ...], folder: str) -> None:
        try:
            entries = list(self._counted(self._shelf.archive(self._file, outer).entries()))
        except _DAMAGED as error:
            raise DocumentError(f"the archive cannot be read: {_why(error)}", kind="damaged") from error
        for entry in entries:
            path, problem = _checked(entry.name)
            hidden = not problem and any(p.startswith(".") or p == "__MACOSX" for p in path.split("/"))
            if not hidden:
                self._entry(outer, entry, folder + path, problem or entry.refusal)

    def _counted(self, entries: Iterator[_Entry]) -> Iterator[_Entry]:
        for entry in entries:
            self._entries += 1
            if self._entries > MAX_ENTRIES:
                raise DocumentError(f"the archive has more than {MAX_ENTRIES:,} entries: refused", kind="too_large")
            yield entry

    def _entry(self, outer: tuple[str, ...], entry: _Entry, path: str, refusal: str) -> None:
        name = path.rpartition("/")[2]
        if refusal:
            pass
        elif path in self._seen:
            refusal = "another member of the archive has the same name"
        elif is_archive(name) and len(outer) + 1 >= MAX_LEVELS:
            refusal = f"archives are opened up to {MAX_LEVELS} deep in each other"
        elif not is_archive(name) and not (name in self._reads or name.lower().endswith(self._reads)):
            refusal = "of no known format"
        elif entry.size > self._limit:
            refusal = f"larger than the limit ({entry.size:,} of {self._limit:,} bytes)"
        elif self._bytes + entry.size > MAX_UNPACKED:
            refusal = f"the members of the archive in front of it have {MAX_UNPACKED // 1_000_000} MB already"
        else:
            refusal = self._take(outer, entry, path)
        self._seen.add(path)
        if refusal:
            self.refused.append(Refused(path=path, reason=refusal))

    def _take(self, outer: tuple[str, ...], entry: _Entry, path: str) -> str:
        """Take a member, or go into an archive; return why that cannot be done."""
        self._bytes += entry.size
        inside = (*outer, entry.name)
        try:
            if is_archive(path):
                self.look_into(inside, path + "/")
                return ""
            data = self._shelf.archive(self._file, outer).read(entry.name, self._limit + 1)
        except DocumentError as error:
            return str(error)
        except (*_DAMAGED, KeyError) as error:
            return f"it cannot be unpacked: {_why(error)}"
        digest = hashlib.sha256(data).hexdigest()
        self.members.append(Member(path=path, inside=inside, sha256=digest, size=len(data)))
        return ""


class _Zip:
    def __init__(self, stream: BinaryIO) -> None:
        self._zip = zipfile.ZipFile(stream)
        self._first: dict[str, zipfile.ZipInfo] = {}
        for info in self._zip.infolist():
            self._first.setdefault(info.filename, info)

    def entries(self) -> Iterator[_Entry]:
        for info in self._zip.infolist():
            if not info.is_dir():
                yield _Entry(info.filename, info.file_size, _zip_refusal(info))

    def read(self, name: str, limit: int) -> bytes:
        with self._zip.open(self._first[name]) as opened:
            return opened.read(limit)


def _zip_refusal(info: zipfile.ZipInfo) -> str:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return "links in archives are not followed"
    if kind not in (0, stat.S_IFREG):
        return "it is not a regular file"
    if info.flag_bits & 1:
        return "it is encrypted"
    if info.file_size > FREE_BYTES and info.file_size > MAX_RATIO * info.compress_size:
        return f"it unpacks to more than {MAX_RATIO} times its size ({info.file_size:,} bytes): refused"
    return ""


class _Tar:
    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._first: dict[str, tarfile.TarInfo] = {}

    def entries(self) -> Iterator[_Entry]:
        with closing(tarfile.TarFile(fileobj=self._stream, mode="r")) as opened:
            while (info := opened.next()) is not None:
                if not info.isdir():
                    self._first.setdefault(info.name, info)
                    yield _Entry(info.name, info.size, _tar_refusal(info))

    def read(self, name: str, limit: int) -> bytes:
        if not self._first:
            for number, _ in enumerate(self.entries()):
                if number > MAX_ENTRIES:
                    break
        info = self._first[name]
        if _tar_refusal(info):
            raise ValueError("not a regular file")
        self._stream.seek(info.offset_data)
        data = self._stream.read(min(info.size, limit))
        if len(data) < min(info.size, limit):
            raise EOFError("the archive ends in the middle of it")
        return data


def _tar_refusal(info: tarfile.TarInfo) -> str:
    if info.issym() or info.islnk():
        return "links in archives are not followed"
    return "" if info.isreg() and not info.issparse() else "it is not a regular file"


def _opened(data: bytes) -> _Archive:
    """Open an archive by what it is, whatever its name says."""
    stream, size = io.BytesIO(data), len(data)
    if data.startswith(b"PK"):
        return _Zip(stream)
    if data.startswith(b"\x1f\x8b"):
        return _Tar(_unpacked(gzip.GzipFile(fileobj=stream), size))
    if data.startswith(b"BZh"):
        return _Tar(_unpacked(bz2.BZ2File(stream), size))
    if data.startswith(b"\xfd7zXZ"):
        return _Tar(_unpacked(lzma.LZMAFile(stream), size))
    return _Tar(stream)


def _unpacked(stream: gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile, size: int) -> BinaryIO:
    """Return the whole content of a packed stream: a tar can only be read from its beginning."""
    most = min(MAX_UNPACKED, max(FREE_BYTES, MAX_RATIO * size))
    held = io.BytesIO()
    with closing(stream):
        while piece := stream.read(1 << 20):
            if held.tell() + len(piece) > most:
                raise DocumentError(
                    f"the archive unpacks to more than {most:,} bytes from {size:,}: refused", kind="too_large"
                )
            held.write(piece)
    held.seek(0)
    return held


def _checked(name: str) -> tuple[str, str]:
    """Return the path of a member, and why it is refused; empty when it is not."""
    path = name.replace("\\", "/")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    problem = ""
    if path.startswith("/") or _DRIVE.match(path):
        problem = "its name is absolute: refused"
    elif ".." in parts:
        problem = "its name leads out of the archive: refused"
    elif not parts or len(name) > MAX_NAME:
        problem = "it has no usable name"
    elif any(unicodedata.category(sign) in ("Cc", "Cs") for sign in path):
        problem = "its name holds characters that no name has; rename it"
    if problem:
        shown = path[:MAX_NAME].encode("utf-8", "backslashreplace").decode("utf-8")
        return "".join("\ufffd" if unicodedata.category(s) == "Cc" else s for s in shown), problem
    return unicodedata.normalize("NFC", "/".join(parts)), ""


def _why(error: Exception) -> str:
    with suppress(AttributeError):
        if isinstance(error, OSError) and error.strerror:
            return error.strerror
    if isinstance(error, KeyError):
        return "the member is not there any more"
    return str(error) or type(error).__name__
