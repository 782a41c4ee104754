"""From folders to files: a fixed order, and a reason for what is left out."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import textwrap
import unicodedata
from collections.abc import Iterable
from pathlib import Path

import pytest

from withgrain.errors import UsageError
from withgrain.ingest.discover import MAX_LINK_VISITS, Discovery, discover, list_names
from withgrain.ingest.roots import resolve_roots
from withgrain.ingest.settings import FileRules


def _tree(place: Path, *files: str) -> Path:
    for name in files:
        file = place / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {name}\n")
    return place


def _discover(place: Path, rules: FileRules | None = None) -> Discovery:
    return discover(resolve_roots([place]), rules or FileRules())


def _paths(found: Discovery) -> list[str]:
    return [f.path for f in found.files]


def _reasons(found: Discovery) -> dict[str, str]:
    return {o.uri: o.reason for o in found.left_out}


def test_files_come_sorted_with_their_uri(tmp_path: Path) -> None:
    docs = _tree(tmp_path / "docs", "b.md", "a/z.md", "a.md", "a/b/c.txt")
    assert [f.uri for f in _discover(docs).files] == ["docs/a.md", "docs/a/b/c.txt", "docs/a/z.md", "docs/b.md"]


def test_order_does_not_depend_on_the_file_system(tmp_path: Path) -> None:
    docs = _tree(tmp_path / "docs", "b.md", "a/z.md", "a.md")
    backwards = discover(resolve_roots([docs]), FileRules(), scan=lambda p: sorted(list_names(p), reverse=True))
    assert backwards == _discover(docs)


def test_hidden_files_and_folders_are_left_out(tmp_path: Path) -> None:
    docs = _tree(tmp_path / "docs", ".secret.md", ".git/a.md", "a.md")
    assert _paths(_discover(docs)) == ["a.md"]


def test_unknown_format_is_skipped_with_a_reason(tmp_path: Path) -> None:
    """ "Files of unknown format are skipped with a reason (exit 0)"."""
    docs = _tree(tmp_path / "docs", "a.md", "b.xyz", "noext")
    found = _discover(docs)
    assert _reasons(found) == {
        "docs/b.xyz": "of no known format (.xyz)",
        "docs/noext": "of no known format (no suffix)",
    }
    assert not any(o.failed for o in found.left_out)


def test_named_file_of_unknown_format_is_an_error(tmp_path: Path) -> None:
    """ "a file that the user named explicitly is an error"."""
    docs = _tree(tmp_path / "docs", "b.xyz")
    with pytest.raises(UsageError, match=r"b\.xyz.*no known format"):
        _discover(docs / "b.xyz")


def test_large_file_is_skipped_and_counts_as_present(tmp_path: Path) -> None:
    docs = _tree(tmp_path / "docs", "a.md")
    (docs / "big.md").write_bytes(b"x" * 1001)
    (left,) = _discover(docs, FileRules(max_bytes=1000)).left_out
    assert (left.uri, left.reason) == ("docs/big.md", "larger than the limit (1,001 of 1,000 bytes)")
    assert left.present and not left.failed


def test_named_large_file_is_an_error(tmp_path: Path) -> None:
    docs = _tree(tmp_path / "docs", "a.md")
    with pytest.raises(UsageError, match="larger than the limit"):
        _discover(docs / "a.md", FileRules(max_bytes=2))


def test_nested_ignore_files_are_honoured(tmp_path: Path) -> None:
    """ "`.gitignore`/`.withgrainignore` (pathspec, nested files honoured)": the inner one has the last word."""
    docs = _tree(tmp_path / "docs", "a.md", "draft.md", "sub/draft.md", "sub/b.md", "build/c.md", "sub/x/build/d.md")
    (docs / ".gitignore").write_text("draft.md\nbuild/\n")
    (docs / "sub" / ".withgrainignore").write_text("!draft.md\n/b.md\n")
    assert _paths(_discover(docs)) == ["a.md", "sub/draft.md"]


def test_own_ignore_file_overrules_git_s(tmp_path: Path) -> None:
    docs = _tree(tmp_path / "docs", "generated/a.md")
    (docs / ".gitignore").write_text("generated\n")
    (docs / ".withgrainignore").write_text("!generated\n")
    assert _paths(_discover(docs)) == ["generated/a.md"]


def test_include_narrows_and_exclude_leaves_out(tmp_path: Path) -> None:
    docs = _tree(tmp_path / "docs", "guides/a.md", "guides/old/b.md", "c.md", "d.txt")
    rules = FileRules(include=("guides/", "*.txt"), exclude=("old/",))
    assert _paths(_discover(docs, rules)) == ["d.txt", "guides/a.md"]


def test_collection_inside_the_folder_is_left_out(tmp_path: Path) -> None:
    docs = _tree(tmp_path / "docs", "a.md", "index/b.md")
    assert _paths(_discover(docs, FileRules(collection=docs / "index"))) == ["a.md"]


def test_another_collection_inside_the_folder_is_skipped(tmp_path: Path) -> None:
    """What a collection keeps (heads, contracts, rows) is no document of another one."""
    docs = _tree(tmp_path / "docs", "a.md", "kb/head.json", "kb/roots.json", "kb/history/000000001.json", "kb/lock")
    found = _discover(docs)
    assert _paths(found) == ["a.md"]
    assert _reasons(found) == {"docs/kb/": "it is a collection, not a folder of documents"}


def test_link_inside_the_folder_is_followed(tmp_path: Path) -> None:
    docs = _tree(tmp_path / "docs", "v2/a.md")
    (docs / "current").symlink_to("v2")
    (docs / "latest.md").symlink_to("v2/a.md")
    assert _paths(_discover(docs)) == ["current/a.md", "latest.md", "v2/a.md"]


def test_link_out_of_the_folder_is_skipped(tmp_path: Path) -> None:
    """ "symlinks: followed only when they stay inside the root"."""
    _tree(tmp_path / "secret", "a.md")
    docs = _tree(tmp_path / "docs", "b.md")
    (docs / "out.md").symlink_to(tmp_path / "secret" / "a.md")
    (docs / "folder").symlink_to(tmp_path / "secret")
    found = _discover(docs)
    assert _paths(found) == ["b.md"]
    assert _reasons(found) == {
        "docs/folder/": "the symbolic link leads out of the folder",
        "docs/out.md": "the symbolic link leads out of the folder",
    }


def test_loops_end(tmp_path: Path) -> None:
    """ "loops end": a link to a folder above, and a link to itself."""
    docs = _tree(tmp_path / "docs", "a/b.md")
    (docs / "a" / "up").symlink_to("..")
    (docs / "self.md").symlink_to("self.md")
    found = _discover(docs)
    assert _paths(found) == ["a/b.md"]
    assert _reasons(found) == {
        "docs/a/up/": "the symbolic link leads back to a folder above it",
        "docs/self.md": "the symbolic link leads back to itself",
    }


def test_folders_that_all_link_to_each_other_end_quickly(tmp_path: Path) -> None:
    """Ten folders with a link to each other one have millions of paths; each is entered a few times only."""
    docs = tmp_path / "docs"
    for one in range(10):
        _tree(docs, f"f{one}/a.md")
        for other in range(10):
            if one != other:
                (docs / f"f{one}" / f"l{other}").symlink_to(f"../f{other}")
    found = _discover(docs)
    assert len(found.files) <= 10 * (1 + MAX_LINK_VISITS)
    assert {f"f{n}/a.md" for n in range(10)} <= set(_paths(found))


def test_dangling_link_is_skipped_with_a_reason(tmp_path: Path) -> None:
    docs = _tree(tmp_path / "docs", "a.md")
    (docs / "gone.md").symlink_to("nowhere.md")
    (left,) = _discover(docs).left_out
    assert (left.uri, left.reason, left.failed) == ("docs/gone.md", "the symbolic link leads nowhere", False)


def test_pipe_is_skipped(tmp_path: Path) -> None:
    docs = _tree(tmp_path / "docs", "a.md")
    os.mkfifo(docs / "pipe.md")
    assert _reasons(_discover(docs)) == {"docs/pipe.md": "it is not a regular file"}


def test_folder_that_cannot_be_listed_fails_alone(tmp_path: Path) -> None:
    """ "a directory without rights is a failure named in the report, the others go on"."""
    docs = _tree(tmp_path / "docs", "a.md", "locked/b.md", "open/c.md")

    def scan(folder: Path) -> Iterable[str]:
        if folder.name == "locked":
            raise PermissionError(13, "Permission denied")
        return list_names(folder)

    found = discover(resolve_roots([docs]), FileRules(), scan=scan)
    assert _paths(found) == ["a.md", "open/c.md"]
    (left,) = found.left_out
    assert (left.uri, left.failed) == ("docs/locked/", True)
    assert left.reason == "the folder cannot be read: Permission denied"


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="NOT TESTED: no user ids here")
def test_folder_without_rights_fails_alone_for_a_real_user(tmp_path: Path) -> None:
    """The same without any trick: a process without privileges meets a folder of mode 0."""
    docs = _tree(tmp_path / "docs", "a.md", "locked/b.md", "unlisted/.gitignore", "unlisted/c.md")
    (docs / "locked").chmod(0)
    (docs / "unlisted" / ".gitignore").chmod(0)
    script = """
        import os, sys
        from pathlib import Path
        from withgrain.ingest.discover import discover
        from withgrain.ingest.roots import resolve_roots
        from withgrain.ingest.settings import FileRules
        import withgrain.parse
        os.chdir(sys.argv[1])
        if os.getuid() == 0:
            os.setgroups([]); os.setgid(65534); os.setuid(65534)
        found = discover(resolve_roots([Path(".")]), FileRules())
        print([f.path for f in found.files], [(o.uri, o.failed) for o in found.left_out])
    """
    for above in (docs, *docs.parents):
        if above == Path(tempfile.gettempdir()).resolve():
            break
        above.chmod(0o755)
    try:
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(script), str(docs)], capture_output=True, text=True, check=False
        )
    finally:
        (docs / "locked").chmod(0o700)
    assert done.stdout.strip() == "['a.md'] [('docs/locked/', True), ('docs/unlisted/', True)]", done.stderr


def test_name_that_is_not_utf8_fails_alone(tmp_path: Path) -> None:
    docs = _tree(tmp_path / "docs", "a.md")
    (Path(os.fsdecode(os.fsencode(docs) + b"/\xff.md"))).write_text("x")
    found = _discover(docs)
    assert _paths(found) == ["a.md"]
    assert [(o.uri, o.failed) for o in found.left_out] == [("docs/\\udcff.md", True)]


def test_two_spellings_of_one_name_do_not_hide_each_other(tmp_path: Path) -> None:
    docs = _tree(tmp_path / "docs", "caf\u00e9.md", "cafe\u0301.md")
    found = _discover(docs)
    assert _paths(found) == [unicodedata.normalize("NFC", "caf\u00e9.md")]
    assert [(o.uri, o.failed) for o in found.left_out] == [("docs/caf\u00e9.md", True)]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("other", ["NFC", "NFD"])
def test_a_pattern_names_a_file_in_any_unicode_form(form: str, other: str, tmp_path: Path) -> None:
    """A file that shall stay out does so, although a keyboard writes its name in another form than a file system."""
    names = [unicodedata.normalize(form, f"{name}.md") for name in ("ångström", "übung", "öl", "plain")]
    ignored, left, excluded = (unicodedata.normalize(other, name) for name in names[:3])
    for name in names:
        (tmp_path / name).write_text("Text.\n")
    (tmp_path / ".gitignore").write_text(f"{ignored}\n")
    (tmp_path / ".withgrainignore").write_text(f"{left}\n")
    rules = FileRules(exclude=(excluded,))
    assert [f.path for f in discover(resolve_roots([tmp_path]), rules).files] == ["plain.md"]
    only = discover(resolve_roots([tmp_path]), FileRules(include=(excluded,)))
    assert [f.path for f in only.files] == [unicodedata.normalize("NFC", names[2])]


def test_empty_folder_has_no_files(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    assert _discover(tmp_path / "docs") == Discovery(files=(), left_out=())


def test_deep_tree_is_walked_without_recursion(tmp_path: Path) -> None:
    """The standard library's own removal recurses, so the test takes its tree away step by step."""
    depth = sys.getrecursionlimit() + 50
    docs = folder = _tree(tmp_path / "docs")
    docs.mkdir()
    for _ in range(depth):
        folder = folder / "d"
        folder.mkdir()
    (folder / "a.md").write_text("x")
    try:
        assert _paths(_discover(docs)) == ["d/" * depth + "a.md"]
    finally:
        (folder / "a.md").unlink()
        while folder != docs:
            folder.rmdir()
            folder = folder.parent


def test_scripts_without_a_suffix_are_found_by_their_first_line(tmp_path: Path) -> None:
    """A file without a suffix is read when it begins as a script; another one is left out with the reason."""
    docs = _tree(tmp_path / "docs", "notes", "Dockerfile.dev")
    (docs / "deploy").write_text("#!/usr/bin/env bash\necho done\n")
    os.mkfifo(docs / "pipe")
    found = _discover(docs)
    assert _paths(found) == ["Dockerfile.dev", "deploy"]
    assert _reasons(found)["docs/notes"] == "of no known format (no suffix)"
