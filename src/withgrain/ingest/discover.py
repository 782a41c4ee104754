"""From roots to files, in a fixed order, with a reason for everything that is left out."""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from withgrain.errors import UsageError
from withgrain.ingest.archives import is_archive
from withgrain.ingest.patterns import Pattern, decide, parse_patterns, selects
from withgrain.ingest.reading import first_bytes
from withgrain.ingest.roots import Root
from withgrain.ingest.settings import FileRules
from withgrain.parse import media_type_for

IGNORE_FILES = (".gitignore", ".withgrainignore")

#: How often one real folder is entered through symbolic links: bounds the walk through folders that link to each other.
MAX_LINK_VISITS = 8
#: What stands in every collection (`withgrain.store.head`) and, together, in no folder of documents.
_COLLECTION = frozenset({"head.json", "history", "lock"})

_MAX_IGNORE_BYTES = 1024 * 1024

Scan = Callable[[Path], Iterable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile:
    """A file that may become a document.

    Attributes:
        root: Name of its root.
        uri: Root, and path relative to it: POSIX separators, NFC.
        file: Where to read it.
        size: Bytes, when it was looked at.
        changed: When it was written last, in nanoseconds.
        inside: Where in ``file`` it is, when that is an archive.
        sha256: Of its bytes, where that is known already.
    """

    root: str
    uri: str
    file: str | Path
    size: int = 0
    changed: int = 0
    inside: tuple[str, ...] = ()
    sha256: str = ""

    @property
    def path(self) -> str:
        """Path relative to the root."""
        return self.uri.removeprefix(self.root + "/")

    @property
    def archive(self) -> bool:
        """Whether it is an archive: not a document, but a folder of documents."""
        return not self.inside and is_archive(self.uri)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A file or folder that is not read.

    Attributes:
        uri: Its uri; that of a folder ends in ``/``.
        reason: Why, in one sentence.
        failed: Whether that is a failure (exit code 4), not just a skip.
        present: Whether the file is still there, so that a document made from it earlier stays.
    """

    uri: str
    reason: str
    failed: bool = False
    present: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """What a walk found.

    Attributes:
        files: Sorted by uri; no uri twice.
        left_out: Sorted by uri.
    """

    files: tuple[FoundFile, ...]
    left_out: tuple[LeftOut, ...]


def list_names(folder: Path) -> list[str]:
    """Return the names in a folder.

    Raises:
        OSError: The folder cannot be read.
    """
    return os.listdir(folder)  # noqa: PTH208  # names are wanted, not paths


def discover(roots: Sequence[Root], rules: FileRules, *, scan: Scan = list_names) -> Discovery:
    """Find the files of all roots.

    Hidden files and folders, what ``.gitignore`` and ``.withgrainignore`` (nested ones included) and ``exclude`` name,
    and the collection itself are left out without a word; everything else that is not read, other collections
    included, has a reason.

    Args:
        roots: From `resolve_roots`.
        rules: What belongs to a root.
        scan: Lists the names in a folder; raises OSError when it cannot.

    Raises:
        UsageError: A file that was named itself is of no known format or too large.
    """
    found: list[FoundFile] = []
    left_out: list[LeftOut] = []
    for root in roots:
        walk = _Walk(root=root, rules=rules, scan=scan)
        if root.files is None:
            walk.run()
        else:
            walk.named(root.files)
        found += walk.found.values()
        left_out += walk.left_out
    return Discovery(
        files=tuple(sorted(found, key=lambda f: f.uri)),
        left_out=tuple(sorted(left_out, key=lambda o: (o.uri, o.reason))),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Folder:
    """A folder to look into: its place in the tree of names, and the real folder it leads to.

    Attributes:
        parts: The names that lead to it from the root.
        path: The same as the beginning of a path: with slashes, a last one too; empty for the root.
        place: Where it is.
        real: The same without symbolic links.
        above: The folder that holds it.
        ignores: Depth and patterns of the ignore files that apply, the outermost first.
        linked: A symbolic link leads to it or to a folder above it.
    """

    parts: tuple[str, ...]
    path: str
    place: str
    real: Path
    above: _Folder | None
    ignores: tuple[tuple[int, tuple[Pattern, ...]], ...]
    linked: bool

    def chain_has(self, real: Path) -> bool:
        """Return whether this folder or one above it is the real folder ``real``."""
        at: _Folder | None = self
        while at is not None:
            if at.real == real:
                return True
            at = at.above
        return False


@dataclass(slots=True, kw_only=True)
class _Walk:
    root: Root
    rules: FileRules
    scan: Scan
    found: dict[str, FoundFile] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    visits: dict[Path, int] = field(default_factory=dict)
    include: tuple[Pattern, ...] = ()
    collection: Path | None = None

    def run(self) -> None:
        self.include = parse_patterns("\n".join(self.rules.include))
        self.collection = self.rules.collection.resolve() if self.rules.collection else None
        exclude = parse_patterns("\n".join(self.rules.exclude))
        real = self.root.real
        ignores = ((0, exclude),) if exclude else ()
        start = _Folder(parts=(), path="", place=str(real), real=real, above=None, ignores=ignores, linked=False)
        folders = [start]
        while folders:
            folders += reversed(self._look_into(folders.pop()))

    def named(self, names: Sequence[str]) -> None:
        """Take files that were named one by one: no pattern applies to them."""
        for name in names:
            place = self.root.folder / name
            if not _is_known(place):
                raise UsageError(f'"{place}" is {_unknown(name)}. Remove it from the command line.')
            status = place.stat()
            if status.st_size > self.rules.max_bytes:
                raise UsageError(f'"{place}" is {_too_large(status.st_size, self.rules.max_bytes)}.')
            self._add((name,), _composed(name), str(place), status)

    def _look_into(self, folder: _Folder) -> list[_Folder]:
        try:
            names = _sorted(self.scan(Path(folder.place)))
            if _COLLECTION.issubset(names):
                self._leave(folder.parts, "it is a collection, not a folder of documents", folder=True)
                return []
            folder = _with_ignores(folder, names)
        except OSError as error:
            self._leave(folder.parts, f"the folder cannot be read: {_why(error)}", failed=True, folder=True)
            return []
        below = (self._entry(folder, name) for name in names if not name.startswith("."))
        return [inner for inner in below if inner is not None]

    def _entry(self, folder: _Folder, name: str) -> _Folder | None:
        """Take a file, or return a folder to look into."""
        parts = (*folder.parts, _composed(name))  # as patterns are: a name in another Unicode form is no other name
        place = f"{folder.place}{os.sep}{name}"  # paths as texts: a tenth of the time of a walk
        try:
            status = os.lstat(place)
            linked = stat.S_ISLNK(status.st_mode)
            status = os.stat(place) if linked else status  # noqa: PTH116
        except OSError as error:
            if not _ignored(folder, parts, is_folder=False):
                self._leave(parts, _broken(error), failed=error.errno not in (errno.ENOENT, errno.ELOOP))
            return None
        is_folder = stat.S_ISDIR(status.st_mode)
        if folder.ignores and _ignored(folder, parts, is_folder=is_folder):
            return None
        real = Path(place).resolve() if linked else None
        if real is not None and not real.is_relative_to(self.root.real):
            self._leave(parts, "the symbolic link leads out of the folder", folder=is_folder)
        elif is_folder:
            return self._folder(folder, parts, place, real or folder.real / name, linked=linked)
        elif not stat.S_ISREG(status.st_mode):
            self._leave(parts, "it is not a regular file")
        else:
            self._file(parts, _composed(folder.path + name), place, status)
        return None

    def _folder(
        self, folder: _Folder, parts: tuple[str, ...], place: str, real: Path, *, linked: bool
    ) -> _Folder | None:
        if real == self.collection:
            return None
        if linked and folder.chain_has(real):
            self._leave(parts, "the symbolic link leads back to a folder above it", folder=True)
            return None
        linked = linked or folder.linked
        if linked:
            self.visits[real] = self.visits.get(real, 0) + 1
            if self.visits[real] > MAX_LINK_VISITS:
                self._leave(parts, f"more than {MAX_LINK_VISITS} symbolic links lead to this folder", folder=True)
                return None
        return _Folder(
            parts=parts,
            path=f"{folder.path}{parts[-1]}/",
            place=place,
            real=real,
            above=folder,
            ignores=folder.ignores,
            linked=linked,
        )

    def _file(self, parts: tuple[str, ...], path: str, place: str, status: os.stat_result) -> None:
        if self.include and not selects(self.include, path) and not is_archive(path):
            return
        if not _is_known(place):
            self._leave(parts, _unknown(parts[-1]), present=True)
        elif status.st_size > self.rules.max_bytes:
            self._leave(parts, _too_large(status.st_size, self.rules.max_bytes), present=True)
        else:
            self._add(parts, path, place, status)

    def _add(self, parts: tuple[str, ...], path: str, place: str, status: os.stat_result) -> None:
        if _is_broken_text(path):
            self._leave(parts, "its name is not valid UTF-8; rename the file", failed=True)
        elif path in self.found:
            self._leave(parts, "another file has the same name in another Unicode form; rename one", failed=True)
        else:
            self.found[path] = FoundFile(
                root=self.root.name,
                uri=f"{self.root.name}/{path}",
                file=place,
                size=status.st_size,
                changed=status.st_mtime_ns,
            )

    def _leave(
        self, parts: tuple[str, ...], reason: str, *, failed: bool = False, present: bool = False, folder: bool = False
    ) -> None:
        path = _composed("/".join(parts)).encode("utf-8", "backslashreplace").decode("utf-8")
        uri = f"{self.root.name}/{path}" + ("/" if folder and path else "")
        self.left_out.append(LeftOut(uri=uri, reason=reason, failed=failed, present=present))


def _is_known(place: str | Path) -> bool:
    """Return whether a file is read: its name says its format, or it has no suffix and begins as a script does."""
    name = str(place)
    if media_type_for(name) is not None or is_archive(name):
        return True
    return "." not in name.rpartition(os.sep)[2] and media_type_for(name, first_bytes(name)) is not None


def _with_ignores(folder: _Folder, names: Iterable[str]) -> _Folder:
    found = [
        (len(folder.parts), parse_patterns(_read_ignore_file(Path(folder.place) / name)))
        for name in IGNORE_FILES
        if name in names
    ]
    return replace(folder, ignores=(*folder.ignores, *found)) if found else folder


def _read_ignore_file(place: Path) -> str:
    """Read an ignore file. One that cannot be read fails its folder: better nothing than what should stay out."""
    if not place.is_file():
        return ""
    with place.open("rb") as file:
        data = file.read(_MAX_IGNORE_BYTES)
    return data.decode("utf-8-sig", "replace")


def _ignored(folder: _Folder, parts: tuple[str, ...], *, is_folder: bool) -> bool:
    """Ask the ignore files from the innermost to the outermost; the first that has an opinion decides."""
    for depth, patterns in reversed(folder.ignores):
        decision = decide(patterns, parts[depth:], is_folder)
        if decision is not None:
            return decision
    return False


def _sorted(names: Iterable[str]) -> list[str]:
    """Return the names in the order of their composed forms."""
    given = list(names)
    given.sort()
    return given if "".join(given).isascii() else sorted(given, key=_composed)


def _composed(path: str) -> str:
    return path if path.isascii() else unicodedata.normalize("NFC", path)


def _is_broken_text(path: str) -> bool:
    return not path.isascii() and any("\ud800" <= character <= "\udfff" for character in path)


def _broken(error: OSError) -> str:
    if error.errno == errno.ENOENT:
        return "the symbolic link leads nowhere"
    if error.errno == errno.ELOOP:
        return "the symbolic link leads back to itself"
    return f"it cannot be opened: {_why(error)}"


def _unknown(name: str) -> str:
    suffix = Path(name).suffix
    return f"of no known format ({suffix})" if suffix else "of no known format (no suffix)"


def _too_large(size: int, limit: int) -> str:
    return f"larger than the limit ({size:,} of {limit:,} bytes)"


def _why(error: OSError) -> str:
    return error.strerror or str(error)
