"""The difference between the files and the collection, as a list of actions. Pure: hashes and records in, plan out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from withgrain.errors import UsageError
from withgrain.ingest.patterns import Pattern, selects
from withgrain.ingest.report import ActionName
from withgrain.model import DocumentRecord

#: Deleting fewer documents than this, or a smaller share, needs no ``force``.
SAFE_DELETIONS = 20
SAFE_SHARE = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class HashedFile:
    """A file that was read once.

    Attributes:
        root: Name of its root.
        uri: Root and path.
        file: Where it is.
        sha256: Of its bytes.
        size: Their number.
    """

    root: str
    uri: str
    file: Path
    sha256: str
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The part of a collection that a run syncs: documents outside of it are never touched.

    Attributes:
        root: Name of the root.
        include: Patterns that narrow it; all documents of the root when there are none.
        named: The run names single files: nothing can have vanished.
    """

    root: str
    include: tuple[Pattern, ...] = ()
    named: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A file that is not read, or a folder (uri ends in ``/``).

    Attributes:
        uri: Its uri.
        reason: Why.
        failed: Whether that is a failure, not just a skip.
        present: Whether the file is there all the same; a failure always counts as present.
    """

    uri: str
    reason: str
    failed: bool
    present: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """What to do about one document.

    Attributes:
        name: ``add`` | ``update`` | ``keep`` | ``rename`` | ``delete`` | ``fail`` | ``skip``.
        uri: The document.
        file: The file to read; None where nothing is read.
        known: The stored document: at this uri, or for a rename at the one that vanished.
        reason: Why it fails or is skipped.
    """

    name: ActionName
    uri: str
    file: HashedFile | None = None
    known: DocumentRecord | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All actions, sorted by uri.

    Attributes:
        actions: One a document, file or folder.
        refusal: Why carrying it out would look like an accident; empty when it would not.
    """

    actions: tuple[Action, ...]
    refusal: str = ""

    def of(self, *names: ActionName) -> tuple[Action, ...]:
        """Return the actions with one of these names."""
        return tuple(a for a in self.actions if a.name in names)

    def refuse_accidents(self) -> None:
        """Raise when the deletions look like an accident.

        Raises:
            UsageError: Says how many documents would vanish, and how to insist.
        """
        if self.refusal:
            raise UsageError(self.refusal)


def make_plan(
    files: Sequence[HashedFile],
    missing: Sequence[Missing],
    known: Iterable[DocumentRecord],
    *,
    scopes: Sequence[Scope],
    current: Callable[[HashedFile, DocumentRecord], bool],
) -> Plan:
    """Compare files with documents.

    A file that is new and whose bytes are those of a vanished
    document is a rename. What could not be read keeps its document, as does everything below a folder that could not
    be read.

    Args:
        files: Files that were read.
        missing: Files and folders that were not, with the reason.
        known: The documents of the collection.
        scopes: What the run syncs.
        current: Whether the stored document at the file's uri is what the file would give.
    """
    stored = {d.uri: d for d in known}
    covered = {uri: d for uri, d in stored.items() if any(_covers(scope, d) for scope in scopes)}
    readable = {f.uri for f in files}
    present = readable | {m.uri for m in missing if m.failed or m.present}
    closed = tuple(m.uri for m in missing if m.failed and m.uri.endswith("/"))
    vanished = [d for uri, d in sorted(covered.items()) if uri not in present and not uri.startswith(closed)]

    renames = _renames([f for f in files if f.uri not in stored], vanished)
    moved = {d.uri for d in renames.values()}
    actions = [_compare(f, stored.get(f.uri), renames.get(f.uri), current) for f in files]
    actions += [
        Action(
            name="fail" if m.failed else "skip",
            uri=m.uri,
            known=stored.get(m.uri) if m.uri in present and m.uri not in readable else None,
            reason=m.reason,
        )
        for m in missing
    ]
    deletions = [d for d in vanished if d.uri not in moved]
    actions += [Action(name="delete", uri=d.uri, known=d) for d in deletions]
    return Plan(
        actions=tuple(sorted(actions, key=lambda a: (a.uri, a.name))),
        refusal=_refusal(scopes, covered, deletions, present),
    )


def _covers(scope: Scope, document: DocumentRecord) -> bool:
    if scope.named or document.root != scope.root:
        return False
    return not scope.include or selects(scope.include, document.path)


def _renames(new: Sequence[HashedFile], vanished: Sequence[DocumentRecord]) -> dict[str, DocumentRecord]:
    """Pair new files with vanished documents of the same bytes, both in the order of their uris."""
    by_hash: dict[str, list[DocumentRecord]] = {}
    for document in reversed(vanished):
        by_hash.setdefault(document.sha256, []).append(document)
    pairs: dict[str, DocumentRecord] = {}
    for file in sorted(new, key=lambda f: f.uri):
        candidates = by_hash.get(file.sha256)
        if candidates:
            pairs[file.uri] = candidates.pop()
    return pairs


def _compare(
    file: HashedFile,
    known: DocumentRecord | None,
    renamed: DocumentRecord | None,
    current: Callable[[HashedFile, DocumentRecord], bool],
) -> Action:
    if renamed is not None:
        return Action(name="rename", uri=file.uri, file=file, known=renamed)
    if known is None:
        return Action(name="add", uri=file.uri, file=file)
    return Action(name="keep" if current(file, known) else "update", uri=file.uri, file=file, known=known)


def _refusal(
    scopes: Sequence[Scope],
    covered: dict[str, DocumentRecord],
    deletions: Sequence[DocumentRecord],
    present: set[str],
) -> str:
    for scope in scopes:
        before = sum(d.root == scope.root for d in covered.values())
        gone = sum(d.root == scope.root for d in deletions)
        insist = "Check the path, or insist with --force (force=True)."
        if gone and not any(uri.startswith(scope.root + "/") for uri in present):
            return (
                f'"{scope.root}" has no documents any more, but the collection has {gone} from it. '
                f"Nothing was changed. {insist}"
            )
        if gone >= SAFE_DELETIONS and gone > SAFE_SHARE * before:
            return (
                f'{gone} of the {before} documents of "{scope.root}" vanished: the sync would delete them. Nothing was '
                f"changed. {insist}"
            )
    return ""
