"""The difference between files and collection, without either."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from withgrain.errors import UsageError
from withgrain.ingest.discover import FoundFile
from withgrain.ingest.patterns import parse_patterns
from withgrain.ingest.plan import HashedFile, Missing, Plan, Scope, make_plan
from withgrain.model import DocumentRecord, document_id


def _file(path: str, sha256: str, root: str = "docs") -> HashedFile:
    found = FoundFile(root=root, uri=f"{root}/{path}", file=Path("/nowhere") / path)
    return HashedFile(found=found, sha256=sha256)


def _record(path: str, sha256: str, root: str = "docs", stale: str = "") -> DocumentRecord:
    uri = f"{root}/{path}"
    return DocumentRecord(
        id=document_id(uri),
        root=root,
        uri=uri,
        path=path,
        title=path,
        sha256=sha256,
        modified=None,
        media_type="text/markdown",
        doc_class="general",
        stale=stale,
    )


def _failed(uri: str) -> Missing:
    return Missing(uri=uri, reason="no rights", failed=True, present=True)


def _plan(
    files: list[HashedFile],
    known: list[DocumentRecord],
    *,
    missing: list[Missing] | None = None,
    scope: Scope | None = None,
) -> Plan:
    def current(file: HashedFile, record: DocumentRecord) -> bool:
        return file.sha256 == record.sha256 and not record.stale

    return make_plan(files, missing or [], known, scopes=[scope or Scope(root="docs")], current=current)


def _by_uri(named: tuple[str, str]) -> tuple[str, str]:
    return named[::-1]


def _names(plan: Plan) -> list[tuple[str, str]]:
    return sorted([*((a.name, a.uri) for a in plan.actions), *(("keep", d.uri) for d in plan.settled)], key=_by_uri)


def test_new_changed_same_and_vanished() -> None:
    plan = _plan(
        [_file("new.md", "1"), _file("changed.md", "2"), _file("same.md", "3")],
        [_record("changed.md", "0"), _record("same.md", "3"), _record("gone.md", "4")],
    )
    assert _names(plan) == [
        ("update", "docs/changed.md"),
        ("delete", "docs/gone.md"),
        ("add", "docs/new.md"),
        ("keep", "docs/same.md"),
    ]
    assert not plan.refusal


def test_same_bytes_at_a_vanished_path_are_a_rename() -> None:
    """ "Rename = same hash at a vanished path"."""
    plan = _plan([_file("b.md", "1")], [_record("a.md", "1")])
    assert _names(plan) == [("rename", "docs/b.md")]
    assert plan.actions[0].known is not None
    assert plan.actions[0].known.uri == "docs/a.md"


def test_copy_is_no_rename() -> None:
    """ "Identical documents at several paths: one canonical, the others listed as its copies"."""
    plan = _plan([_file("a.md", "1"), _file("b.md", "1")], [_record("a.md", "1")])
    assert _names(plan) == [("update", "docs/a.md"), ("copy", "docs/b.md")]
    assert plan.actions[0].listing
    assert plan.actions[0].copies == ("docs/b.md",)


def _listed(copies: str, path: str = "a.md", sha256: str = "1") -> DocumentRecord:
    return replace(_record(path, sha256), copies=tuple(f"docs/{c}" for c in copies.split()))


def test_new_copies_have_one_canonical() -> None:
    plan = _plan([_file("c.md", "1"), _file("a.md", "1"), _file("b.md", "1")], [])
    assert _names(plan) == [("add", "docs/a.md"), ("copy", "docs/b.md"), ("copy", "docs/c.md")]
    assert plan.actions[0].copies == ("docs/b.md", "docs/c.md")


def test_listed_copies_are_nothing_to_do() -> None:
    plan = _plan([_file("a.md", "1"), _file("b.md", "1")], [_listed("b.md")])
    assert _names(plan) == [("keep", "docs/a.md"), ("copy", "docs/b.md")]
    assert plan.actions[1].settled
    assert not plan.writes


def test_canonical_stays_when_a_copy_comes_in_front_of_it() -> None:
    plan = _plan([_file("b.md", "1"), _file("a.md", "1")], [_record("b.md", "1")])
    assert _names(plan) == [("copy", "docs/a.md"), ("update", "docs/b.md")]


def test_vanished_canonical_becomes_its_copy() -> None:
    plan = _plan([_file("b.md", "1"), _file("c.md", "1")], [_listed("b.md c.md")])
    assert _names(plan) == [("rename", "docs/b.md"), ("copy", "docs/c.md")]
    assert plan.actions[0].copies == ("docs/c.md",)


def test_vanished_copy_is_no_longer_listed() -> None:
    plan = _plan([_file("a.md", "1")], [_listed("b.md")])
    assert _names(plan) == [("update", "docs/a.md")]
    assert plan.actions[0].copies == ()


def test_edited_canonical_leaves_its_copy_as_a_document() -> None:
    plan = _plan([_file("a.md", "2"), _file("b.md", "1")], [_listed("b.md")])
    assert _names(plan) == [("update", "docs/a.md"), ("add", "docs/b.md")]
    assert not plan.actions[0].listing


def test_edited_copy_becomes_a_document() -> None:
    plan = _plan([_file("a.md", "1"), _file("b.md", "2")], [_listed("b.md")])
    assert _names(plan) == [("update", "docs/a.md"), ("add", "docs/b.md")]
    assert plan.actions[0].copies == ()


def test_document_that_became_a_copy_is_given_up() -> None:
    plan = _plan([_file("a.md", "1"), _file("b.md", "1")], [_record("a.md", "1"), _record("b.md", "2")])
    assert _names(plan) == [("update", "docs/a.md"), ("copy", "docs/b.md")]
    assert plan.actions[1].known is not None


def test_copy_that_cannot_be_read_stays_listed() -> None:
    plan = _plan([_file("a.md", "1")], [_listed("b.md")], missing=[_failed("docs/b.md")])
    assert _names(plan) == [("keep", "docs/a.md"), ("fail", "docs/b.md")]


def test_text_of_a_vanished_document_stays_for_a_copy_that_cannot_be_read() -> None:
    plan = _plan([_file("x.md", "9")], [_listed("b.md"), _record("x.md", "9")], missing=[_failed("docs/b.md")])
    assert _names(plan) == [("skip", "docs/a.md"), ("fail", "docs/b.md"), ("keep", "docs/x.md")]


def test_copies_outside_of_the_run_are_left_alone() -> None:
    scope = Scope(root="docs", include=parse_patterns("sub/"))
    known = [_listed("sub/b.md sub/c.md other/d.md")]
    plan = _plan([_file("sub/b.md", "1"), _file("sub/e.md", "1")], known, scope=scope)
    assert _names(plan) == [("update", "docs/a.md"), ("copy", "docs/sub/b.md"), ("copy", "docs/sub/e.md")]
    assert plan.actions[0].copies == ("docs/other/d.md", "docs/sub/b.md", "docs/sub/e.md")


def test_other_roots_and_formats_are_no_copies() -> None:
    plan = _plan([_file("a.md", "1"), _file("a.txt", "1")], [_record("a.md", "1", root="other")])
    assert _names(plan) == [("add", "docs/a.md"), ("add", "docs/a.txt")]


def test_a_vanished_document_is_renamed_once() -> None:
    plan = _plan([_file("b.md", "1"), _file("c.md", "1")], [_record("a.md", "1")])
    assert _names(plan) == [("rename", "docs/b.md"), ("copy", "docs/c.md")]


def test_swapped_files_are_two_updates() -> None:
    plan = _plan([_file("a.md", "2"), _file("b.md", "1")], [_record("a.md", "1"), _record("b.md", "2")])
    assert _names(plan) == [("update", "docs/a.md"), ("update", "docs/b.md")]


def test_stale_document_is_updated_when_its_file_is_as_before() -> None:
    plan = _plan([_file("a.md", "1")], [_record("a.md", "1", stale="failed")])
    assert _names(plan) == [("update", "docs/a.md")]


def test_other_roots_are_not_touched() -> None:
    """ "deletion only ever happens inside the path that was synced"."""
    plan = _plan([_file("a.md", "1")], [_record("a.md", "1"), _record("a.md", "1", root="other")])
    assert _names(plan) == [("keep", "docs/a.md")]


def test_named_files_delete_nothing() -> None:
    plan = _plan([_file("a.md", "1")], [_record("b.md", "2")], scope=Scope(root="docs", named=True))
    assert _names(plan) == [("add", "docs/a.md")]


def test_include_narrows_what_can_be_deleted() -> None:
    known = [_record("x/a.md", "1"), _record("y/b.md", "2")]
    plan = _plan([_file("x/c.md", "3")], known, scope=Scope(root="docs", include=parse_patterns("x/")))
    assert _names(plan) == [("delete", "docs/x/a.md"), ("add", "docs/x/c.md")]


def test_file_that_cannot_be_read_keeps_its_document() -> None:
    plan = _plan([], [_record("a.md", "1")], missing=[_failed("docs/a.md")])
    assert _names(plan) == [("fail", "docs/a.md")]
    assert plan.actions[0].known is not None


def test_documents_below_a_closed_folder_are_kept() -> None:
    plan = _plan([_file("b.md", "2")], [_record("sub/a.md", "1"), _record("c.md", "3")], missing=[_failed("docs/sub/")])
    assert _names(plan) == [("add", "docs/b.md"), ("delete", "docs/c.md"), ("fail", "docs/sub/")]


def test_closed_root_keeps_everything() -> None:
    plan = _plan([], [_record("a.md", "1")], missing=[_failed("docs/")])
    assert _names(plan) == [("fail", "docs/")]
    assert not plan.refusal


def test_document_behind_a_link_that_leads_nowhere_is_deleted() -> None:
    gone = Missing(uri="docs/a.md", reason="nowhere", failed=False, present=False)
    plan = _plan([_file("b.md", "2")], [_record("a.md", "1"), _record("b.md", "2")], missing=[gone])
    assert _names(plan) == [("delete", "docs/a.md"), ("skip", "docs/a.md"), ("keep", "docs/b.md")]


@pytest.mark.parametrize(
    ("before", "gone", "refused"),
    [(100, 20, False), (100, 21, True), (99, 20, True), (20, 19, False), (21, 20, True), (1000, 200, False)],
)
def test_many_deletions_are_refused(before: int, gone: int, refused: bool) -> None:
    """ "more than 20 % of it and at least 20 documents … `--force` is needed"."""
    known = [_record(f"{n}.md", str(n)) for n in range(before)]
    plan = _plan([_file(f"{n}.md", str(n)) for n in range(gone, before)], known)
    assert len(plan.of("delete")) == gone
    assert bool(plan.refusal) is refused
    if refused:
        with pytest.raises(UsageError, match=f"{gone} of the {before} documents.*--force") as caught:
            plan.refuse_accidents()
        assert caught.value.exit_code == 2


def test_renames_are_no_deletions() -> None:
    known = [_record(f"{n}.md", str(n)) for n in range(100)]
    plan = _plan([_file(f"moved/{n}.md", str(n)) for n in range(100)], known)
    assert len(plan.of("rename")) == 100
    assert not plan.refusal


def test_empty_root_is_refused() -> None:
    """ "or the root is empty … `--force` is needed", however few documents it had."""
    plan = _plan([], [_record("a.md", "1")])
    assert "no documents any more" in plan.refusal


def test_empty_root_without_documents_is_fine() -> None:
    assert _plan([], []) == Plan(actions=())
