"""A whole sync over a real folder and a collection in memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.ingest.support import Collection, Recorder, counts, nothing_written, reasons, write
from withgrain.chunk import policy
from withgrain.errors import CollectionLocked, ContractMismatch, UsageError
from withgrain.ingest.contract import check_contract, make_contract
from withgrain.ingest.discover import list_names
from withgrain.testing.embedders import HashEmbedder
from withgrain.tokens import load_tokenizer

PAGE = "# {title}\n\n## Reset\n\nReset the password of {title}.\n\n## Codes\n\nstatuskey=1 means active.\n"


def page(title: str) -> str:
    return PAGE.format(title=title)


@pytest.fixture
def docs(tmp_path: Path) -> Collection:
    folder = write(tmp_path / "docs", {f"{n}.md": page(n) for n in ("a", "b", "sub/c", "sub/d", "e")})
    return Collection(folder=folder, cache=tmp_path / "cache.sqlite")


def test_first_sync_adds_everything(docs: Collection) -> None:
    report = docs.sync()
    assert counts(report) == {"added": 5}
    assert list(docs.documents()) == ["docs/a.md", "docs/b.md", "docs/e.md", "docs/sub/c.md", "docs/sub/d.md"]
    have = docs.snapshot().count()
    assert report.chunks == have["chunks"] > 0
    assert (report.written.documents, report.written.chunks, report.written.leaves) == (
        5,
        have["chunks"],
        have["leaves"],
    )
    assert report.embedded > 0
    assert (report.exit_code, report.words_lost, report.version) == (0, 0, docs.snapshot().version)


def test_second_sync_does_nothing(docs: Collection) -> None:
    """ "Unchanged → 0 embeds, 0 writes", no lock and no new version."""
    docs.sync()
    version = docs.snapshot().version
    docs.store.writer = _no_writer  # type: ignore[method-assign]
    report = docs.sync()
    assert counts(report) == {"kept": 5}
    assert nothing_written(report)
    assert docs.snapshot().version == version
    assert report.chunks == docs.snapshot().count()["chunks"]


def _no_writer(contract: object) -> None:
    raise AssertionError("a sync without changes takes no lock")


def test_edit_writes_that_document_only(docs: Collection) -> None:
    docs.sync()
    write(docs.folder, {"a.md": page("a").replace("Reset the", "Quickly reset the")})
    report = docs.sync()
    assert counts(report) == {"updated": 1, "kept": 4}
    assert (report.written.documents, report.written.chunks_removed) == (1, 1)
    assert report.written.chunks == 2, "the edited chunk, and its neighbour that names it"
    assert report.embedded == 1, "the section that was not edited comes from the cache"
    assert "Quickly reset" in docs.texts()["docs/a.md"]


def test_touch_changes_nothing(docs: Collection) -> None:
    docs.sync()
    (docs.folder / "a.md").touch()
    assert nothing_written(docs.sync())


def test_rename_embeds_nothing(docs: Collection) -> None:
    """ "A renamed file keeps its vectors": its ids change, its texts do not."""
    docs.sync()
    (docs.folder / "a.md").rename(docs.folder / "sub" / "renamed.md")
    report = docs.sync()
    assert counts(report) == {"renamed": 1, "kept": 4}
    assert report.embedded == 0
    assert "docs/a.md" not in docs.documents()
    assert "docs/sub/renamed.md" in docs.documents()


def test_deleted_file_is_deleted(docs: Collection) -> None:
    docs.sync()
    (docs.folder / "b.md").unlink()
    report = docs.sync()
    assert counts(report) == {"deleted": 1, "kept": 4}
    assert report.written.documents_removed == 1
    assert "docs/b.md" not in docs.documents()


def test_other_root_is_not_touched(docs: Collection, tmp_path: Path) -> None:
    """ "deletion only ever happens inside the path that was synced"."""
    other = write(tmp_path / "other", {"x.md": page("x")})
    docs.sync([docs.folder, other])
    (docs.folder / "a.md").unlink()
    assert counts(docs.sync([other])) == {"kept": 1}
    assert len(docs.documents()) == 6


def test_single_file_has_the_uri_of_its_folder(docs: Collection) -> None:
    docs.sync()
    assert counts(docs.sync([docs.folder / "a.md"])) == {"kept": 1}


def test_vanished_folder_content_is_refused_until_forced(docs: Collection) -> None:
    """ "or the root is empty": nothing is deleted, the error says how to insist."""
    docs.sync()
    for file in docs.folder.rglob("*.md"):
        file.unlink()
    with pytest.raises(UsageError, match=r"no documents any more.*--force"):
        docs.sync()
    assert len(docs.documents()) == 5
    assert counts(docs.sync(force=True)) == {"deleted": 5}
    assert docs.documents() == {}


def test_missing_path_is_a_usage_error(docs: Collection) -> None:
    with pytest.raises(UsageError) as caught:
        docs.sync([docs.folder / "nowhere"])
    assert caught.value.exit_code == 2


def test_empty_folder_is_zero_documents(tmp_path: Path) -> None:
    docs = Collection(folder=write(tmp_path / "docs", {}))
    report = docs.sync()
    assert (counts(report), report.total, report.exit_code) == ({}, 0, 0)
    assert docs.store.snapshot() is None


def test_closed_folder_keeps_its_documents(docs: Collection) -> None:
    """ "a directory without rights": named in the report, exit 4, its documents stay, the others go on."""
    docs.sync()
    write(docs.folder, {"new.md": page("new")})

    def scan(folder: Path) -> Iterable[str]:
        if folder.name == "sub":
            raise PermissionError(13, "Permission denied")
        return list_names(folder)

    report = docs.sync(scan=scan)
    assert reasons(report) == {"docs/sub/": "the folder cannot be read: Permission denied"}
    assert counts(report) == {"added": 1, "kept": 3, "failed": 1}
    assert report.exit_code == 4
    assert {"docs/sub/c.md", "docs/sub/d.md", "docs/new.md"} <= set(docs.documents())


def test_closed_root_deletes_nothing_even_with_force(docs: Collection) -> None:
    docs.sync()

    def scan(folder: Path) -> Iterable[str]:
        raise PermissionError(13, "Permission denied")

    report = docs.sync(scan=scan, force=True)
    assert counts(report) == {"failed": 1}
    assert len(docs.documents()) == 5


def test_bad_document_fails_alone_and_its_old_version_stays(docs: Collection) -> None:
    """ "A failed parse … keeps the old version, marks it `stale`, exits 4"."""
    docs.sync()
    before = docs.texts()["docs/b.md"]
    write(docs.folder, {"b.md": b"\x00\x01\x02\xff\xfe" * 400, "e.md": page("e") + "\nMore.\n"})
    report = docs.sync()
    assert counts(report) == {"updated": 1, "kept": 3, "failed": 1}
    assert report.exit_code == 4
    assert docs.texts()["docs/b.md"] == before
    assert docs.documents()["docs/b.md"].stale == reasons(report)["docs/b.md"]
    assert "More." in docs.texts()["docs/e.md"]
    assert report.chunks == docs.snapshot().count()["chunks"]


def test_document_that_goes_on_failing_writes_nothing(docs: Collection) -> None:
    docs.sync()
    write(docs.folder, {"b.md": b"\x00\x01\x02\xff\xfe" * 400})
    docs.sync()
    again = docs.sync()
    assert nothing_written(again)
    assert again.exit_code == 4


def test_document_that_works_again_is_no_longer_stale(docs: Collection) -> None:
    docs.sync()
    written = (docs.folder / "b.md").stat()
    write(docs.folder, {"b.md": b"\x00\x01\x02\xff\xfe" * 400})
    docs.sync()
    write(docs.folder, {"b.md": page("b")})
    os.utime(docs.folder / "b.md", ns=(written.st_atime_ns, written.st_mtime_ns))
    report = docs.sync()
    assert counts(report) == {"updated": 1, "kept": 4}
    assert docs.documents()["docs/b.md"].stale == ""
    assert (report.written.documents, report.written.chunks, report.embedded) == (1, 0, 0)


def test_file_that_became_too_large_keeps_its_document(docs: Collection) -> None:
    docs.sync()
    write(docs.folder, {"b.md": "x" * 3000})
    report = docs.sync(rules=docs.settings().rules.__class__(max_bytes=2000))
    assert [(s.uri, s.reason[:21]) for s in report.skipped] == [("docs/b.md", "larger than the limit")]
    assert report.exit_code == 0
    assert docs.documents()["docs/b.md"].stale.startswith("larger than the limit")


class _Picky(HashEmbedder):
    """Fails for texts with one word in them."""

    def embed_documents(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        if any("poison" in t for t in texts):
            raise RuntimeError("the model choked")
        return super().embed_documents(texts)


def test_failed_embedding_fails_its_document_alone(docs: Collection) -> None:
    docs.embedder = _Picky(dims=8)
    write(docs.folder, {"b.md": page("poison")})
    report = docs.sync()
    assert counts(report) == {"added": 4, "failed": 1}
    assert "RuntimeError: the model choked" in reasons(report)["docs/b.md"]
    assert docs.snapshot().count()["documents"] == 4


def test_other_policy_is_refused_before_any_work(docs: Collection) -> None:
    """ "only writing with a different contract is refused, with the fields that differ"."""
    docs.sync()
    docs.embedder = HashEmbedder(dims=16)
    with pytest.raises(ContractMismatch, match=r"embedder.*dims: 8 in the collection, 16 now"):
        docs.sync()


def test_unchanged_files_get_new_labels(docs: Collection) -> None:
    docs.sync()
    report = docs.sync(labels=("team=identity",), domains=(("sub/", "okta"),))
    assert counts(report) == {"updated": 5}
    assert report.embedded == 0
    assert docs.documents()["docs/a.md"].labels == ("team=identity",)
    assert docs.documents()["docs/sub/c.md"].domain == "okta"
    assert nothing_written(docs.sync(labels=("team=identity",), domains=(("sub/", "okta"),)))


def test_lexical_collection_has_no_vectors(docs: Collection) -> None:
    docs.embedder = None
    report = docs.sync()
    assert report.embedded == 0
    assert docs.snapshot().count()["leaves"] == 0
    assert docs.snapshot().contract.embedder == "none"
    assert docs.cache is not None
    assert not docs.cache.exists()


def test_dry_run_says_what_the_run_does(docs: Collection) -> None:
    """ "`--dry-run` prints add / update / keep / rename / delete / skip with chunks, tokens to embed"."""
    docs.sync()
    version = docs.snapshot().version
    (docs.folder / "a.md").rename(docs.folder / "z.md")
    (docs.folder / "b.md").unlink()
    write(docs.folder, {"e.md": page("e") + "\n## More\n\nNew words here.\n", "n.md": page("n"), "n.xyz": "x"})
    dry = docs.sync(dry_run=True)
    assert docs.snapshot().version == version
    assert nothing_written(dry)
    assert dry.dry_run is not None
    actions = {a.uri: a for a in dry.dry_run.actions}
    assert {uri: a.action for uri, a in actions.items()} == {
        "docs/b.md": "delete",
        "docs/e.md": "update",
        "docs/n.md": "add",
        "docs/n.xyz": "skip",
        "docs/z.md": "rename",
    }
    assert actions["docs/z.md"].reason == "docs/a.md"
    assert (actions["docs/z.md"].leaves, actions["docs/e.md"].leaves) == (0, 1)
    wet = docs.sync()
    assert wet.documents == dry.documents
    assert wet.chunks == dry.chunks
    assert wet.embedded == dry.dry_run.leaves
    assert dry.to_json()["dry_run"]["tokens"] > 0


def test_dry_run_of_a_suspicious_deletion_says_so(docs: Collection) -> None:
    docs.sync()
    for file in docs.folder.rglob("*.md"):
        file.unlink()
    dry = docs.sync(dry_run=True)
    assert dry.dry_run is not None
    assert "--force" in dry.dry_run.refusal
    assert counts(dry) == {"deleted": 5}


def test_dry_run_makes_no_file(docs: Collection) -> None:
    docs.sync(dry_run=True)
    assert docs.store.snapshot() is None
    assert docs.cache is not None
    assert not docs.cache.exists()


def test_report_has_the_shape_of_the_contract(docs: Collection) -> None:
    """ "`ingest`: `{schema, documents: {…}, chunks, embedded, words_lost, failures, skipped, seconds}`"."""
    write(docs.folder, {"x.xyz": "x", "bad.md": b"\x00\x01\x02\xff\xfe" * 400})
    shape = docs.sync().to_json()
    assert set(shape) >= {"schema", "documents", "chunks", "embedded", "words_lost", "failures", "skipped", "seconds"}
    assert set(shape["documents"]) == {"added", "updated", "kept", "renamed", "deleted", "failed", "skipped"}
    assert shape["skipped"] == [{"uri": "docs/x.xyz", "reason": "of no known format (.xyz)"}]
    assert [set(f) for f in shape["failures"]] == [{"uri", "reason"}]


def test_progress_is_told_every_stage(docs: Collection) -> None:
    recorder = Recorder()
    docs.sync(progress=recorder)
    assert recorder.of("scan")[-1] == (5, 5)
    assert recorder.of("chunk")[-1] == (5, 5)
    assert recorder.of("commit") == [(3, 5), (5, 5)]
    done = [d for d, _ in recorder.of("embed")]
    assert done == sorted(done)
    assert done


def test_front_matter_becomes_labels_and_domain(docs: Collection) -> None:
    head = "---\ntitle: Reset\nservice: vault\ndomain: okta\nlabels: {tier: 1}\ntags: [a, b]\n---\n"
    write(docs.folder, {"a.md": head + "Text of the page.\n"})
    docs.sync()
    record = docs.documents()["docs/a.md"]
    assert (record.title, record.domain) == ("Reset", "okta")
    assert set(record.labels) == {"service=vault", "tier=1", "tags=a", "tags=b"}


def test_source_span_points_into_the_users_own_text(docs: Collection) -> None:
    raw = page("crlf").replace("\n", "\r\n")
    write(docs.folder, {"a.md": raw})
    docs.sync()
    snapshot = docs.snapshot()
    chunks = snapshot.chunks(doc_id=docs.documents()["docs/a.md"].id)
    assert chunks
    for record in chunks:
        assert record.source_span is not None
        assert record.source_span.of(raw).replace("\r\n", "\n") == record.chunk.body


def test_plan_is_made_again_when_another_process_wrote_meanwhile(docs: Collection) -> None:
    """Between the plan and the lock somebody else did the same sync: nothing is written twice."""
    docs.sync()
    version = docs.snapshot().version
    original = docs.store.snapshot
    docs.store.snapshot = lambda: None  # type: ignore[method-assign]
    report = docs.sync()
    docs.store.snapshot = original  # type: ignore[method-assign]
    assert counts(report) == {"kept": 5}
    assert nothing_written(report)
    assert docs.snapshot().version == version


def test_locked_collection_is_refused(docs: Collection) -> None:
    """ "One writer": exit code 5, and nothing was done."""
    docs.sync()
    write(docs.folder, {"new.md": page("new")})
    with docs.store.writer(docs.snapshot().contract), pytest.raises(CollectionLocked) as caught:
        docs.sync()
    assert caught.value.exit_code == 5
    assert counts(docs.sync()) == {"added": 1, "kept": 5}


def test_the_settings_of_the_collection_are_told_as_flags() -> None:
    """An error says what to do: what names can give is told in the words of the command line."""
    words = load_tokenizer("words")
    mine = make_contract(policy("heading"), words, None)
    with pytest.raises(ContractMismatch, match=r"\(--policy heading --embedder none\)"):
        check_contract(mine, make_contract(policy("structure_aware"), words, HashEmbedder(8)))
    own = make_contract(replace(policy("heading"), version="99"), words, None)
    with pytest.raises(ContractMismatch) as told:
        check_contract(own, mine)
    assert "--policy" not in str(told.value), "a policy of a file has no name that would find it"
