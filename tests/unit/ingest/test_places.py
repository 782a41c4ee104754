"""A second folder of the same name must not silently take the place of the first one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from withgrain.app import Library
from withgrain.errors import UsageError
from withgrain.ingest.places import FILE_NAME

pytest.importorskip("lancedb")


def folder(place: Path, *titles: str) -> Path:
    place.mkdir(parents=True)
    for title in titles:
        (place / f"{title}.md").write_text(f"# {title}\n\nAbout {title}.\n")
    return place


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "kb", embedder="none", tokenizer="words")


@pytest.fixture
def first(tmp_path: Path, library: Library) -> Path:
    place = folder(tmp_path / "a/docs", "one", "two")
    library.ingest(place)
    return place


@pytest.fixture
def second(tmp_path: Path) -> Path:
    return folder(tmp_path / "b/docs", "three")


def titles(library: Library) -> set[str]:
    return {hit.citation.title for hit in library.search("about one two three").hits}


@pytest.mark.usefixtures("first")
def test_another_folder_of_the_same_name_is_refused(library: Library, second: Path) -> None:
    with pytest.raises(UsageError, match=r"a/docs.*b/docs.*--name") as caught:
        library.ingest(second)
    assert caught.value.exit_code == 2
    assert titles(library) == {"one", "two"}


@pytest.mark.usefixtures("first")
def test_a_single_file_of_another_folder_is_refused_too(library: Library, second: Path) -> None:
    with pytest.raises(UsageError, match="--name"):
        library.ingest(second / "three.md")


@pytest.mark.usefixtures("first")
def test_a_dry_run_tells_the_refusal(library: Library, second: Path) -> None:
    report = library.ingest(second, dry_run=True)
    assert report.dry_run is not None
    assert "--name" in report.dry_run.refusal


@pytest.mark.usefixtures("first")
def test_a_name_of_its_own_keeps_both(library: Library, second: Path) -> None:
    library.ingest(second, name="more")
    assert titles(library) == {"one", "two", "three"}


@pytest.mark.usefixtures("first")
@pytest.mark.parametrize("insist", [{"name": "docs"}, {"force": True}])
def test_who_insists_replaces_it_and_the_new_place_is_known(
    library: Library, second: Path, insist: dict[str, object]
) -> None:
    library.ingest(second, **insist)  # type: ignore[arg-type]
    assert titles(library) == {"three"}
    assert library.ingest(second).documents.kept == 1


def test_a_folder_that_moved_is_the_same_root(library: Library, first: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere/docs"
    moved.parent.mkdir()
    shutil.move(first, moved)
    assert library.ingest(moved).documents.kept == 2


def test_a_link_that_leads_to_a_new_release_is_the_same_root(library: Library, tmp_path: Path) -> None:
    """``current`` leads to one release after the other, and the old ones stay."""
    link = tmp_path / "docs"
    for number in ("1", "2"):
        link.unlink(missing_ok=True)
        link.symlink_to(folder(tmp_path / "releases" / number, f"release {number}"))
        library.ingest(link)
    assert titles(library) == {"release 2"}


def test_a_link_and_the_folder_itself_are_one_root(library: Library, first: Path, tmp_path: Path) -> None:
    link = tmp_path / "docs"
    link.symlink_to(first)
    assert library.ingest(link).documents.kept == 2


@pytest.mark.parametrize(
    "damage", [b"", b"[]", b'{"roots": 3}', b'{"roots": {"docs": null}}', b"\xff" * 9, b"[" * 9000]
)
@pytest.mark.usefixtures("first")
def test_a_damaged_note_refuses_nothing(library: Library, second: Path, damage: bytes) -> None:
    """The note protects; it must not stand in the way. It is written anew."""
    (library.path / FILE_NAME).write_bytes(damage)
    library.ingest(second)
    assert library.ingest(second).documents.kept == 1
    assert b"b/docs" in (library.path / FILE_NAME).read_bytes()


def test_a_run_without_news_touches_no_file(library: Library, first: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in library.path.rglob("*")}
    library.ingest(first)
    assert {path: path.stat().st_mtime_ns for path in library.path.rglob("*")} == before


def test_a_dry_run_makes_no_collection(library: Library, second: Path) -> None:
    library.ingest(second, dry_run=True)
    assert not library.path.exists()


def test_a_root_without_documents_has_nothing_to_lose(library: Library, first: Path, second: Path) -> None:
    for file in first.iterdir():
        file.unlink()
    library.ingest(first, force=True)
    assert library.ingest(second).documents.added == 1


@pytest.mark.usefixtures("first")
@pytest.mark.parametrize("inner", [True, False])
def test_roots_that_overlap_over_several_runs_are_refused(library: Library, tmp_path: Path, inner: bool) -> None:
    """ "overlapping roots are refused", those of an earlier run included: nothing would be stored twice."""
    place = folder(tmp_path / "a/docs/inner", "four") if inner else tmp_path / "a"
    with pytest.raises(UsageError, match="overlap"):
        library.ingest(place)
    assert titles(library) == {"one", "two"}
    library.ingest(place, force=True)
    assert len(library.snapshot().documents()) > 2


@pytest.mark.usefixtures("first")
def test_a_folder_under_a_second_name_is_refused_with_its_first(library: Library, first: Path) -> None:
    with pytest.raises(UsageError, match=r'as "docs".*--name "docs"'):
        library.ingest(first, name="other")


def test_a_folder_that_was_renamed_goes_on_under_its_name(library: Library, first: Path) -> None:
    """Nothing is stored twice, and the documents of the old name do not stay behind unseen."""
    moved = first.rename(first.with_name("handbook"))
    (moved / "new.md").write_text("# New\n\nAbout something new.\n")
    with pytest.raises(UsageError, match=r'"docs".*not there any more.*--name "docs"'):
        library.ingest(moved)
    report = library.ingest(moved, name="docs")
    assert (report.documents.kept, report.documents.added) == (2, 1)
    assert library.snapshot().roots() == ("docs",)


@pytest.mark.parametrize("insist", [{"force": True}, {"name": "copy"}])
def test_a_copy_of_a_folder_that_is_gone_can_be_insisted_on(
    library: Library, first: Path, insist: dict[str, object]
) -> None:
    moved = first.rename(first.with_name("handbook"))
    assert library.ingest(moved, **insist).documents.added == 2  # type: ignore[arg-type]


def test_another_folder_may_share_some_files_with_one_that_is_gone(library: Library, first: Path) -> None:
    """A licence or an empty page is in many folders."""
    other = folder(first.with_name("other"), "one", "three", "four")
    shutil.rmtree(first)
    assert library.ingest(other).documents.added == 3
