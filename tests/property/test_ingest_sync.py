"""After every sync the collection is what a dictionary of the files says; a second sync writes nothing."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.unit.ingest.support import Collection, counts, nothing_written, write
from withgrain.ingest import IngestReport

_PATHS = st.sampled_from(["a.md", "b.md", "c.txt", "sub/a.md", "sub/deep/d.md", "é.md", "sub.txt"])
_WORDS = st.lists(
    st.sampled_from(["reset", "password", "statuskey=1", "@@OKTA:USERS", "rotate", "the", "key"]), min_size=1
)
_TEXTS = st.builds(
    lambda title, words: f"# {title}\n\n{' '.join(words)}\n\n## Two\n\nMore {words[0]}.\n",
    st.sampled_from("AB"),
    _WORDS,
)
_BROKEN = b"\x00\x01\x02\xff\xfe" * 400
_RULES = (("sub/", "scope=sub"),)

#: Bytes, format and scope: what files have in common that are one document.
Kind = tuple[bytes, str, bool]


def _kind(path: str, data: bytes) -> Kind:
    return data, Path(path).suffix, path.startswith("sub/")


class Sync(RuleBasedStateMachine):
    """File operations on a real folder against a dictionary of what should be stored.

    Attributes:
        files: What is in the folder.
        stored: Text of each stored document.
        seen: Every chunk id that was ever stored.
    """

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp())
        self.docs = Collection(folder=write(self.place / "docs", {}), cache=self.place / "cache.sqlite")
        self.files: dict[str, bytes] = {}
        self.stored: dict[str, str] = {}
        self.seen: set[str] = set()
        self.labels: tuple[str, ...] = ()
        self.synced = True

    def teardown(self) -> None:
        shutil.rmtree(self.place)

    @rule(path=_PATHS, text=_TEXTS)
    def write_file(self, path: str, text: str) -> None:
        self._put(path, text.encode())

    @rule(path=_PATHS)
    def break_file(self, path: str) -> None:
        self._put(path, _BROKEN)

    @rule(path=_PATHS)
    def delete(self, path: str) -> None:
        if self.files.pop(path, None) is not None:
            (self.docs.folder / path).unlink()
            self.synced = False

    @rule(old=_PATHS, new=_PATHS)
    def rename(self, old: str, new: str) -> None:
        if old in self.files and new not in self.files:
            data = self.files.pop(old)
            (self.docs.folder / old).unlink()
            self._put(new, data)

    @rule(old=_PATHS, new=_PATHS)
    def copy(self, old: str, new: str) -> None:
        if old in self.files:
            self._put(new, self.files[old])

    @rule(path=_PATHS)
    def touch(self, path: str) -> None:
        if path in self.files:
            (self.docs.folder / path).touch()

    @rule(label=st.sampled_from([(), ("team=a",), ("team=b",)]))
    def relabel(self, label: tuple[str, ...]) -> None:
        self.synced = self.synced and label == self.labels
        self.labels = label

    @rule(fresh=st.booleans(), patience=st.sampled_from([0.0, 60.0]))
    def sync(self, fresh: bool, patience: float) -> None:
        report = self._sync(patience)
        broken = {p for p, data in self.files.items() if data == _BROKEN}
        assert {r.uri for r in report.failures} == {f"docs/{p}" for p in broken}
        documents = {d.path: d for d in self.docs.documents().values()}
        groups: dict[Kind, set[str]] = {}
        for path, data in self.files.items():
            if path not in broken:
                groups.setdefault(_kind(path, data), set()).add(path)
        before, self.stored = self.stored, {p: self.stored[p] for p in broken & set(self.stored)}
        for (data, _, scoped), paths in groups.items():
            canonical = paths & set(documents)
            assert len(canonical) == 1, "identical documents are stored once"
            (path,) = canonical
            same = {p for p in paths if before.get(p) == data.decode()}
            assert not same or path in same, "the canonical document stays"
            assert documents[path].copies == tuple(sorted(f"docs/{p}" for p in paths - {path}))
            assert documents[path].labels == (*self.labels, *(("scope=sub",) if scoped else ()))
            self.stored[path] = data.decode()
        assert self.docs.texts() == {f"docs/{p}": t for p, t in self.stored.items()}
        assert {p for p, d in documents.items() if d.stale} == broken & set(self.stored)
        assert report.vectors.made == report.vectors.total
        self._check_ids()
        self.synced = True
        if fresh and not broken:
            self._check_fresh()

    @invariant()
    def second_sync_writes_nothing(self) -> None:
        if self.synced and self.stored:
            version = self.docs.snapshot().version
            report = self._sync(60.0)
            assert nothing_written(report)
            assert self.docs.snapshot().version == version
            assert not {"added", "updated", "renamed", "deleted"} & set(counts(report))

    def _sync(self, patience: float) -> IngestReport:
        return self.docs.sync(force=True, labels=self.labels, label_rules=_RULES, patience=patience)

    def _check_ids(self) -> None:
        """An id that is gone leads to one that is there, or to nothing; never to one that is gone, too."""
        if self.docs.store.snapshot() is None:
            return
        snapshot = self.docs.snapshot()
        alive = {c.chunk.id for d in snapshot.documents() for c in snapshot.chunks(doc_id=d.id)}
        ended = sorted(self.seen - alive)
        retired = snapshot.retired(ended)
        assert [r.id for r in retired] == ended
        assert {r.successor for r in retired} <= alive | {None}
        self.seen |= alive

    def _check_fresh(self) -> None:
        """A collection made in one go has the same documents, but for which of identical ones is canonical."""
        other = Collection(folder=self.docs.folder)
        other.sync(labels=self.labels, label_rules=_RULES)
        mine, theirs = self.docs.shape(), other.shape()
        assert len(mine) == len(theirs)
        assert {t for t, _ in mine.values()} == {t for t, _ in theirs.values()}
        for uri in set(mine) & set(theirs):
            assert mine[uri] == theirs[uri]

    def _put(self, path: str, data: bytes) -> None:
        write(self.docs.folder, {path: data})
        self.files[path] = data
        self.synced = False


Sync.TestCase.settings = settings(max_examples=40, stateful_step_count=20)
TestSync = Sync.TestCase
