"""The difference between the files and the collection, as a list of actions. Pure: hashes and records in, plan out.

Files of one root with the same bytes are one document: one of them is canonical, the others are listed as its copies.
Who is canonical stays so while its bytes stay: ids must not change because a copy came or went.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from withgrain.errors import UsageError
from withgrain.ingest.discover import FoundFile
from withgrain.ingest.patterns import Pattern, selects
from withgrain.ingest.report import ActionName
from withgrain.model import DocumentRecord

#: Deleting fewer documents than this, or a smaller share, needs no ``force``.
SAFE_DELETIONS = 20
SAFE_SHARE = 0.2


#: Root, uri and hash of a file or document to what all those have in common that are one document.
Twin = Callable[[str, str, str], Hashable]


def ending(uri: str) -> str:
    """Return the suffix of a file's name, in lower case; its whole name where there is none."""
    name = uri.rpartition("/")[2]
    dot = name.rfind(".")
    return name[dot:].lower() if dot > 0 else name


def same_kind(root: str, uri: str, sha256: str) -> Hashable:
    """Return what files of one document have in common: root, bytes and the ending that says what they are."""
    return root, sha256, ending(uri)


@dataclass(frozen=True, slots=True, kw_only=True)
class HashedFile:
    """A file that was read once.

    Attributes:
        found: Where it is, and what it is called.
        sha256: Of its bytes.
    """

    found: FoundFile
    sha256: str

    @property
    def root(self) -> str:
        """Name of its root."""
        return self.found.root

    @property
    def uri(self) -> str:
        """Root and path."""
        return self.found.uri


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
        name: ``add`` | ``update`` | ``keep`` | ``rename`` | ``delete`` | ``copy`` | ``fail`` | ``skip``.
        uri: The document.
        file: The file to read; None where nothing is read.
        known: The stored document: at this uri, or for a rename at the one that vanished.
        reason: Why it fails or is skipped; for a copy the uri of the canonical document.
        copies: Uris of the copies that the stored document shall list.
        settled: Nothing is to be done: a copy that is listed already.
        listing: Only the list of copies changes.
    """

    name: ActionName
    uri: str
    file: HashedFile | None = None
    known: DocumentRecord | None = None
    reason: str = ""
    copies: tuple[str, ...] = ()
    settled: bool = False
    listing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All actions, sorted by uri.

    Attributes:
        actions: One a document, file or folder; none for those that are settled.
        settled: Documents whose files are as they were and share their bytes with no other: nothing is to be done.
        refusal: Why carrying it out would look like an accident; empty when it would not.
    """

    actions: tuple[Action, ...]
    settled: tuple[DocumentRecord, ...] = ()
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

    @property
    def writes(self) -> bool:
        """Whether carrying it out may have to write."""
        marks = (a for a in self.of("fail", "skip") if a.known is not None and a.known.stale != a.reason)
        copies = (a for a in self.of("copy") if a.known is not None)
        return bool(self.of("add", "update", "rename", "delete")) or any(True for _ in (*marks, *copies))


def make_plan(
    files: Sequence[HashedFile],
    missing: Sequence[Missing],
    known: Iterable[DocumentRecord],
    *,
    scopes: Sequence[Scope],
    current: Callable[[HashedFile, DocumentRecord], bool],
    twin: Twin = same_kind,
) -> Plan:
    """Compare files with documents.

    A file that is new and whose bytes are those of a vanished document is a rename. What could not be read keeps its
    document, as does everything below a folder that could not be read.

    Args:
        files: Files that were read.
        missing: Files and folders that were not, with the reason.
        known: The documents of the collection.
        scopes: What the run syncs.
        current: Whether the stored document at the file's uri is what the file would give.
        twin: Which files of the same bytes are one document.
    """
    stored = {d.uri: d for d in known}
    settled, changed = _settled(files, stored, current)
    actions: list[Action] = []
    seen = _Seen.of(files, changed, missing, stored, scopes, twin)
    for group in seen.groups.values():
        actions += _group(group, seen, current)
    handled = {a.known.uri for a in actions if a.known is not None}
    actions += _missing(missing, seen)
    actions += _relisted(seen, handled, actions)
    gone = [_gone(d, seen) for d in seen.vanished if d.uri not in handled]
    return Plan(
        actions=tuple(sorted((*actions, *gone), key=lambda a: (a.uri, a.name))),
        settled=tuple(settled),
        refusal=_refusal(scopes, seen, [a for a in gone if a.name == "delete"]),
    )


def _settled(
    files: Sequence[HashedFile],
    stored: Mapping[str, DocumentRecord],
    current: Callable[[HashedFile, DocumentRecord], bool],
) -> tuple[list[DocumentRecord], list[HashedFile]]:
    """Return the documents whose files are as they were and share their bytes with no other, and the other files.

    Nearly always that is all of them, so it is done first and with little work.
    """
    twins = Counter(file.sha256 for file in files)
    settled, others = [], []
    for file in files:
        known = stored.get(file.uri)
        if known is not None and not known.copies and twins[file.sha256] == 1 and current(file, known):
            settled.append(known)
        else:
            others.append(file)
    return settled, others


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """What a run knows about files and documents.

    Attributes:
        stored: The documents by uri.
        groups: The files that are not settled, by what makes them one document.
        holders: Stored documents that have the bytes of a group and whose file the run does not look at.
        readable: Uris of the files.
        present: Those, and the uris of files that are there but were not read.
        vanished: Documents whose file is gone, by uri.
        lost: Whether a file is gone, by its uri: the run looked where it was.
    """

    stored: Mapping[str, DocumentRecord]
    groups: Mapping[Hashable, list[HashedFile]]
    holders: Mapping[Hashable, list[DocumentRecord]]
    readable: frozenset[str]
    present: frozenset[str]
    vanished: tuple[DocumentRecord, ...]
    lost: Callable[[str, str], bool]
    twin: Twin

    @classmethod
    def of(
        cls,
        files: Sequence[HashedFile],
        changed: Sequence[HashedFile],
        missing: Sequence[Missing],
        stored: Mapping[str, DocumentRecord],
        scopes: Sequence[Scope],
        twin: Twin,
    ) -> _Seen:
        readable = frozenset(f.uri for f in files)
        present = readable | {m.uri for m in missing if m.failed or m.present}
        closed = tuple(m.uri for m in missing if m.failed and m.uri.endswith("/"))

        def lost(root: str, uri: str) -> bool:
            covered = any(_covers(scope, root, uri) for scope in scopes)
            return covered and uri not in present and not uri.startswith(closed)

        groups: dict[Hashable, list[HashedFile]] = {}
        for file in sorted(changed, key=lambda f: f.uri):
            groups.setdefault(twin(file.root, file.uri, file.sha256), []).append(file)
        vanished: list[DocumentRecord] = []
        holders: dict[Hashable, list[DocumentRecord]] = {}
        for uri, document in sorted(stored.items()):
            if uri in readable:  # nearly always
                continue
            if lost(document.root, uri):
                vanished.append(document)
            elif uri not in present and not uri.startswith(closed) and not document.stale:
                holders.setdefault(twin(document.root, uri, document.sha256), []).append(document)
        return cls(
            stored=stored,
            groups=groups,
            holders=holders,
            readable=readable,
            present=present,
            vanished=tuple(vanished),
            lost=lost,
            twin=twin,
        )

    def unseen_copies(self, document: DocumentRecord | None) -> tuple[str, ...]:
        """Return the listed copies of a document that the run knows nothing new about."""
        if document is None:
            return ()
        return tuple(u for u in document.copies if u not in self.readable and not self.lost(document.root, u))


def _group(
    group: list[HashedFile], seen: _Seen, current: Callable[[HashedFile, DocumentRecord], bool]
) -> Iterable[Action]:
    """Return the actions for files that are one document."""
    key = seen.twin(group[0].root, group[0].uri, group[0].sha256)
    holders = [f for f in group if _holds(f, seen.stored.get(f.uri))]
    outside = seen.holders.get(key, [])
    source: DocumentRecord | None = None
    if holders:
        chosen = min(holders, key=lambda f: (not seen.stored[f.uri].copies, f.uri))
    elif outside:
        listed = min(outside, key=lambda d: (not d.copies, d.uri))
        return [_copy(f, listed, seen) for f in group]
    else:
        new = [f for f in group if f.uri not in seen.stored]
        source = next((d for d in seen.vanished if new and seen.twin(d.root, d.uri, d.sha256) == key), None)
        chosen = min(new if source is not None else group, key=lambda f: f.uri)
    known = source or seen.stored.get(chosen.uri)
    others = [f for f in group if f is not chosen]
    copies = tuple(sorted({*(f.uri for f in others), *seen.unseen_copies(known if source or holders else None)}))
    action = Action(name="add", uri=chosen.uri, file=chosen, known=known, copies=copies)
    if source is not None:
        action = replace(action, name="rename")
    elif known is not None:
        same = current(chosen, known)
        listing = same and known.copies != copies
        action = replace(action, name="keep" if same and not listing else "update", listing=listing)
    canonical = known if known is not None and known.uri == chosen.uri else None
    return [action, *(_copy(f, canonical, seen, uri=chosen.uri) for f in others)]


def _holds(file: HashedFile, document: DocumentRecord | None) -> bool:
    return document is not None and document.sha256 == file.sha256


def _copy(file: HashedFile, canonical: DocumentRecord | None, seen: _Seen, *, uri: str = "") -> Action:
    known = seen.stored.get(file.uri)
    listed = canonical is not None and file.uri in canonical.copies
    return Action(
        name="copy",
        uri=file.uri,
        file=file,
        known=known,
        reason=uri or (canonical.uri if canonical is not None else ""),
        settled=listed and known is None,
    )


def _missing(missing: Sequence[Missing], seen: _Seen) -> Iterable[Action]:
    for m in missing:
        known = seen.stored.get(m.uri) if m.uri in seen.present and m.uri not in seen.readable else None
        yield Action(
            name="fail" if m.failed else "skip",
            uri=m.uri,
            known=known,
            reason=m.reason,
            copies=seen.unseen_copies(known),
        )


def _relisted(seen: _Seen, handled: set[str], actions: Sequence[Action]) -> Iterable[Action]:
    """Return the changes of the lists of documents that the run does not look at otherwise."""
    new: dict[str, list[str]] = {}
    for action in actions:
        if action.name == "copy":
            new.setdefault(action.reason, []).append(action.uri)
    for uri, document in seen.stored.items():
        if uri in handled or uri in seen.present or not (document.copies or uri in new):
            continue
        copies = tuple(sorted({*seen.unseen_copies(document), *new.get(uri, ())}))
        if copies != document.copies and not seen.lost(document.root, uri):
            yield Action(name="update", uri=uri, known=document, copies=copies, listing=True)


def _gone(document: DocumentRecord, seen: _Seen) -> Action:
    """A vanished document goes, unless copies that nobody could look at may still be there."""
    copies = seen.unseen_copies(document)
    if copies:
        reason = f"the file is gone; its text is kept for its copy {copies[0]}, which was not looked at"
        return Action(name="skip", uri=document.uri, known=document, reason=reason, copies=copies)
    return Action(name="delete", uri=document.uri, known=document)


def _covers(scope: Scope, root: str, uri: str) -> bool:
    if scope.named or root != scope.root:
        return False
    return not scope.include or selects(scope.include, uri.removeprefix(root + "/"))


def _refusal(scopes: Sequence[Scope], seen: _Seen, deletions: Sequence[Action]) -> str:
    insist = "Check the path, or insist with --force (force=True)."
    listing = [(uri, d) for uri, d in seen.stored.items() if d.copies]
    for scope in scopes if listing or deletions else ():
        lost = sum(seen.lost(d.root, c) for uri, d in listing if _covers(scope, d.root, uri) for c in d.copies)
        gone = lost + sum(a.known is not None and a.known.root == scope.root for a in deletions)
        if gone and not any(uri.startswith(scope.root + "/") for uri in seen.present):
            return (
                f'"{scope.root}" has no documents any more, but the collection has {gone} from it. '
                f"Nothing was changed. {insist}"
            )
        before = sum(1 + len(d.copies) for uri, d in seen.stored.items() if gone and _covers(scope, d.root, uri))
        if gone >= SAFE_DELETIONS and gone > SAFE_SHARE * before:
            return (
                f'{gone} of the {before} documents of "{scope.root}" vanished: the sync would delete them. Nothing was '
                f"changed. {insist}"
            )
    return ""
