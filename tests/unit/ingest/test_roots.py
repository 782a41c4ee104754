"""Which places a run syncs, and what they are called."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from withgrain.errors import UsageError
from withgrain.ingest.roots import resolve_roots


def _folder(place: Path, *files: str) -> Path:
    place.mkdir(parents=True, exist_ok=True)
    for name in files:
        (place / name).write_text("x")
    return place


def test_folder_is_a_root_with_its_own_name(tmp_path: Path) -> None:
    (root,) = resolve_roots([_folder(tmp_path / "docs")])
    assert (root.name, root.files) == ("docs", None)


def test_files_of_one_folder_are_one_root(tmp_path: Path) -> None:
    """``ingest docs/a.md docs/b.md`` gives the uris that ``ingest docs`` gives."""
    docs = _folder(tmp_path / "docs", "a.md", "b.md")
    (root,) = resolve_roots([docs / "a.md", docs / "b.md", docs / "a.md"])
    assert (root.name, root.files) == ("docs", ("a.md", "b.md"))


def test_relative_path_has_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(_folder(tmp_path / "docs" / "sub"))
    assert [r.name for r in resolve_roots([Path()])] == ["sub"]
    assert [r.name for r in resolve_roots([Path("..")])] == ["docs"]


def test_decomposed_name_is_composed(tmp_path: Path) -> None:
    """ "uri = named root + POSIX, NFC-normalised relative path"."""
    (root,) = resolve_roots([_folder(tmp_path / "cafe\u0301")])
    assert root.name == "caf\u00e9"


def test_given_name_is_taken(tmp_path: Path) -> None:
    assert resolve_roots([_folder(tmp_path / "docs")], name="handbook")[0].name == "handbook"


def test_missing_path_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no file or folder .*nowhere") as caught:
        resolve_roots([tmp_path / "nowhere"])
    assert caught.value.exit_code == 2


def test_no_path_is_refused() -> None:
    with pytest.raises(UsageError, match="No path"):
        resolve_roots([])


@pytest.mark.parametrize("names", [("docs", "docs/sub"), ("docs/sub", "docs"), ("docs", "docs"), ("docs", "docs/a.md")])
def test_overlapping_roots_are_refused(tmp_path: Path, names: tuple[str, str]) -> None:
    """ "overlapping roots are refused"."""
    _folder(tmp_path / "docs" / "sub")
    _folder(tmp_path / "docs", "a.md")
    with pytest.raises(UsageError, match=r"overlap|twice"):
        resolve_roots([tmp_path / name for name in names])


def test_overlap_through_a_link_is_refused(tmp_path: Path) -> None:
    docs = _folder(tmp_path / "docs" / "sub").parent
    (tmp_path / "other").symlink_to(docs / "sub")
    with pytest.raises(UsageError, match="overlap"):
        resolve_roots([docs, tmp_path / "other"])


def test_equally_named_roots_are_refused(tmp_path: Path) -> None:
    one, two = _folder(tmp_path / "a" / "docs"), _folder(tmp_path / "b" / "docs")
    with pytest.raises(UsageError, match='both be called "docs"'):
        resolve_roots([one, two])


def test_one_name_for_two_roots_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="one folder only"):
        resolve_roots([_folder(tmp_path / "a"), _folder(tmp_path / "b")], name="x")


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\nb"])
def test_name_that_makes_no_uri_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="needs a name"):
        resolve_roots([_folder(tmp_path / "a")], name=name)


def test_path_inside_the_collection_is_refused(tmp_path: Path) -> None:
    """ "the collection's own directory never ingested"."""
    inside = _folder(tmp_path / ".withgrain" / "data")
    with pytest.raises(UsageError, match="collection itself"):
        resolve_roots([inside], collection=tmp_path / ".withgrain")


@pytest.mark.parametrize("target", ["nowhere", "loop.md"])
def test_named_link_that_leads_nowhere_is_an_error(tmp_path: Path, target: str) -> None:
    (tmp_path / "loop.md").symlink_to(target)
    with pytest.raises(UsageError):
        resolve_roots([tmp_path / "loop.md"])


def test_named_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    with pytest.raises(UsageError, match="neither a file nor a folder"):
        resolve_roots([tmp_path / "pipe.md"])
