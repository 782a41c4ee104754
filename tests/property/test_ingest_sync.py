"""After every sync the collection equals a fresh ingest of the folder; a second sync writes nothing."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.unit.ingest.support import Collection, counts, nothing_written, write

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


class Sync(RuleBasedStateMachine):
    """File operations on a real folder against a dictionary of what should be stored."""

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp())
        self.docs = Collection(folder=write(self.place / "docs", {}), cache=self.place / "cache.sqlite")
        self.files: dict[str, bytes] = {}
        self.stored: dict[str, str] = {}
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

    @rule(path=_PATHS)
    def touch(self, path: str) -> None:
        if path in self.files:
            (self.docs.folder / path).touch()

    @rule(include=st.booleans())
    def sync(self, include: bool) -> None:
        report = self.docs.sync(force=True)
        broken = {p for p, data in self.files.items() if data == _BROKEN}
        for path in [p for p in self.stored if p not in self.files]:
            del self.stored[path]
        self.stored |= {p: d.decode() for p, d in self.files.items() if p not in broken}
        self.synced = True
        assert {r.uri for r in report.failures} == {f"docs/{p}" for p in broken}
        assert self.docs.texts() == {f"docs/{p}": t for p, t in self.stored.items()}
        stale = {d.path for d in self.docs.documents().values() if d.stale}
        assert stale == broken & set(self.stored)
        if include and not broken:
            fresh = Collection(folder=self.docs.folder)
            fresh.sync()
            assert fresh.shape() == self.docs.shape()

    @invariant()
    def second_sync_writes_nothing(self) -> None:
        if self.synced and self.stored:
            version = self.docs.snapshot().version
            report = self.docs.sync(force=True)
            assert nothing_written(report)
            assert self.docs.snapshot().version == version
            assert not {"added", "renamed", "deleted"} & set(counts(report))

    def _put(self, path: str, data: bytes) -> None:
        write(self.docs.folder, {path: data})
        self.files[path] = data
        self.synced = False


Sync.TestCase.settings = settings(max_examples=25, stateful_step_count=15)
TestSync = Sync.TestCase
