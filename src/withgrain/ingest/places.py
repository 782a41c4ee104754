"""Where the roots of a collection came from, so that another folder of the same name does not replace one of them.

The file ``roots.json`` in the directory of the collection holds, for each root, the folder it was last read from. It is
a note of this machine, not a part of what the collection holds: without it, or when it is damaged, nothing is refused.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from withgrain.errors import Unavailable
from withgrain.ingest.roots import Root

FILE_NAME = "roots.json"

#: No honest file is larger: tens of thousands of roots.
MAX_BYTES = 8 * 1024 * 1024


def known_places(collection: Path | None) -> dict[str, Path]:
    """Return name → folder of the roots that were read before; empty when that is not known."""
    if collection is None:
        return {}
    try:
        with (collection / FILE_NAME).open("rb") as file:
            noted = json.loads(file.read(MAX_BYTES))["roots"]
        return {str(name): Path(folder) for name, folder in noted.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def other_place(roots: Sequence[Root], known: Mapping[str, Path]) -> str:
    """Return why the roots must not be read under their names; empty when they may.

    A root whose folder is not there any more has moved, and may be read from its new place.
    """
    for root in roots:
        former = known.get(root.name)
        if former is None or former == root.folder or not _is_folder(former) or _same(former, root.real):
            continue
        return (
            f'"{root.name}" in this collection was read from "{former}", but "{root.folder}" is another folder of that '
            f"name and would replace its documents. Nothing was changed. Give it a name of its own with --name "
            f'(name=); if it is a copy of the same documents, insist with --name "{root.name}" or --force (force=True).'
        )
    return ""


def overlap(roots: Sequence[Root], known: Mapping[str, Path]) -> str:
    """Return why the roots must not be read beside those that were read before; empty when they may.

    Args:
        roots: What shall be read.
        known: Name → folder of the roots that the collection has documents of.
    """
    places = {name: folder.resolve() for name, folder in known.items() if _is_folder(folder)}
    for root in roots:
        for name, real in places.items():
            if name == root.name or not (root.real.is_relative_to(real) or real.is_relative_to(root.real)):
                continue
            if root.real == real:
                return (
                    f'"{root.folder}" is in this collection already, as "{name}": its documents would be stored twice. '
                    f'Nothing was changed. Give it that name with --name "{name}" (name=), or insist with --force '
                    "(force=True)."
                )
            inner = root.real.is_relative_to(real)
            return (
                f'"{root.folder}" and "{known[name]}", which this collection holds as "{name}", overlap: their '
                "documents would be stored twice. Nothing was changed. "
                + (f'Ingest "{known[name]}"' if inner else "Ingest into a new collection (-c DIR)")
                + ", or insist with --force (force=True)."
            )
    return ""


def renamed(roots: Sequence[Root], known: Mapping[str, Path], hashes: Mapping[str, Collection[str]]) -> str:
    """Return why the roots seem to be folders that were read before under another name; empty when they do not.

    Args:
        roots: What shall be read and is not in the collection yet.
        known: Name → folder of the roots that the collection has documents of.
        hashes: Name of a root → hashes of its files, or of its documents where it is in the collection.
    """
    gone = {name: folder for name, folder in known.items() if not _is_folder(folder)}
    for root in roots:
        own = set(hashes.get(root.name, ()))
        for name, folder in gone.items():
            if own and 2 * len(own.intersection(hashes.get(name, ()))) >= len(own):
                return (
                    f'"{root.folder}" holds the documents that this collection has as "{name}", read from "{folder}", '
                    "which is not there any more: they would be stored twice. Nothing was changed. If the folder was "
                    f'renamed, go on with --name "{name}" (name=); else insist with --force (force=True).'
                )
    return ""


def note_places(collection: Path | None, roots: Sequence[Root]) -> None:
    """Write down where the roots came from, when that is news.

    Raises:
        Unavailable: The file cannot be written.
    """
    known = known_places(collection)
    news = {**known, **{root.name: root.folder for root in roots}}
    if collection is None or news == known or not collection.is_dir():
        return
    text = json.dumps({"schema": 1, "roots": {name: str(folder) for name, folder in sorted(news.items())}}, indent=2)
    new = collection / f"{FILE_NAME}.{os.getpid()}"
    try:
        new.write_text(text + "\n", encoding="ascii")
        new.replace(collection / FILE_NAME)
    except OSError as error:
        with suppress(OSError):
            new.unlink()
        raise Unavailable(f'"{collection / FILE_NAME}" cannot be written: {error.strerror or error}.') from error


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False
