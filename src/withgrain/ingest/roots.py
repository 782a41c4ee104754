"""The named places that a run syncs: folders, and single files grouped by their folder."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from withgrain.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """A place to sync.

    Attributes:
        name: First part of the uri of its documents.
        folder: The folder as it was given.
        real: The folder with all symbolic links resolved.
        files: Names of the files that were given one by one; None when the whole folder was.
    """

    name: str
    folder: Path
    real: Path
    files: tuple[str, ...] | None = None


def resolve_roots(
    paths: Sequence[Path], *, name: str | None = None, collection: Path | None = None
) -> tuple[Root, ...]:
    """Turn paths into roots, in the order given. Files of one folder make one root that has the folder's name.

    Raises:
        UsageError: No path; a path that is missing, unreadable or neither file nor folder; a path inside the
            collection; two roots of one name, or one inside the other; ``name`` for more than one root.
    """
    if not paths:
        raise UsageError("No path to ingest. Name at least one folder or file.")
    roots: dict[Path, Root] = {}
    for path in paths:
        root = _root_of(Path(path))
        _refuse_collection(path, root, collection)
        known = roots.get(root.folder)
        if known is not None and known.files is not None and root.files is not None:
            root = replace(known, files=tuple(dict.fromkeys((*known.files, *root.files))))
        elif known is not None:
            raise UsageError(f'"{path}" is given twice, or with a folder that holds it. Name each place once.')
        roots[root.folder] = root
    result = tuple(roots.values())
    if name is not None:
        if len(result) > 1:
            raise UsageError(f'The name "{name}" can stand for one folder only, but {len(result)} were given.')
        result = (replace(result[0], name=name),)
    result = tuple(replace(root, name=_checked_name(root)) for root in result)
    _refuse_clashes(result)
    return result


def _root_of(path: Path) -> Root:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise UsageError(
            f'There is no file or folder "{path}". Check the spelling and the working directory.'
        ) from None
    except (OSError, ValueError) as error:
        raise UsageError(f'"{path}" cannot be opened: {_why(error)}.') from error
    absolute = Path(os.path.abspath(path))  # noqa: PTH100  # Path.absolute keeps "..", resolve() follows links
    if stat.S_ISDIR(mode):
        return Root(name=absolute.name, folder=absolute, real=absolute.resolve())
    if stat.S_ISREG(mode):
        folder = absolute.parent
        return Root(name=folder.name, folder=folder, real=folder.resolve(), files=(absolute.name,))
    raise UsageError(f'"{path}" is neither a file nor a folder.')


def _refuse_collection(path: Path, root: Root, collection: Path | None) -> None:
    if collection is None:
        return
    real = collection.resolve()
    if root.real == real or real in root.real.parents:
        raise UsageError(f'"{path}" lies in the collection itself. Name the folder that holds your documents.')


def _checked_name(root: Root) -> str:
    name = unicodedata.normalize("NFC", root.name)
    printable = all(unicodedata.category(character) not in ("Cc", "Cs") for character in name)
    if not name or name in (".", "..") or "/" in name or not printable:
        raise UsageError(f'"{root.folder}" needs a name for its documents that is not {name!r}. Give one with --name.')
    return name


def _refuse_clashes(roots: Sequence[Root]) -> None:
    for index, root in enumerate(roots):
        for other in roots[:index]:
            if root.name == other.name:
                raise UsageError(
                    f'"{other.folder}" and "{root.folder}" would both be called "{root.name}". '
                    "Ingest them one by one and give one of them another name with --name."
                )
            if _overlap(root, other) or _overlap(other, root):
                raise UsageError(f'"{other.folder}" and "{root.folder}" overlap. Ingest the outer folder only.')


def _overlap(inner: Root, outer: Root) -> bool:
    """Return whether a document of ``inner`` could also be one of ``outer``."""
    if outer.files is not None:
        return inner.real == outer.real and inner.files is None
    return inner.real == outer.real or outer.real in inner.real.parents


def _why(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
