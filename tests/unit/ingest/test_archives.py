"""Archives are folders: what is in them is synced like files, and nothing in them can reach out."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.unit.ingest.support import Collection, counts, nothing_written, reasons, write
from withgrain.errors import DocumentError
from withgrain.ingest import archives
from withgrain.ingest.archives import Listing, Shelf

PAGE = "# Page {0}\n\nWords of page {0}.\n"


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return held.getvalue()


def tarred(files: Mapping[str, str | tarfile.TarInfo], mode: str = "w") -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            info = content if isinstance(content, tarfile.TarInfo) else tarfile.TarInfo(name)
            data = b"" if isinstance(content, tarfile.TarInfo) else content.encode()
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return held.getvalue()


def special(name: str, kind: bytes, target: str = "/etc/passwd") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def listed(tmp_path: Path, data: bytes, limit: int = 1 << 20) -> Listing:
    file = tmp_path / "a.bin"
    file.write_bytes(data)
    return Shelf().list(str(file), limit, (".md", ".txt"))


def refusals(listing: Listing) -> dict[str, str]:
    return {r.path: r.reason for r in listing.refused}


@pytest.mark.parametrize("make", [zipped, tarred, lambda f: tarred(f, "w:gz"), lambda f: tarred(f, "w:xz")])
def test_names_that_lead_out_are_refused_and_named(tmp_path: Path, make) -> None:  # type: ignore[no-untyped-def]
    names = ["../up.md", "a/../../up.md", "/etc/abs.md", "C:\\win.md", "..\\back.md", "new\nline.md"]
    listing = listed(tmp_path, make(dict.fromkeys([*names, "a/./good.md", ".hidden/x.md"], "x")))
    assert [m.path for m in listing.members] == ["a/good.md"]
    assert len(listing.refused) == len(names)
    assert refusals(listing)["../up.md"] == "its name leads out of the archive: refused"
    assert refusals(listing)["/etc/abs.md"] == "its name is absolute: refused"


def test_links_and_devices_are_refused_and_named(tmp_path: Path) -> None:
    types = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE)
    kinds = dict(zip(("soft.md", "hard.md", "device.md", "pipe.md"), types, strict=True))
    listing = listed(tmp_path, tarred({**{n: special(n, k) for n, k in kinds.items()}, "good.md": "x"}))
    assert [m.path for m in listing.members] == ["good.md"]
    assert set(refusals(listing)) == set(kinds)
    link = zipfile.ZipInfo("link.md")
    link.external_attr = 0o120777 << 16
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    assert refusals(listed(tmp_path, held.getvalue())) == {"link.md": "links in archives are not followed"}


def test_archives_are_opened_two_deep(tmp_path: Path) -> None:
    third = zipped({"deep.md": "x"})
    listing = listed(tmp_path, zipped({"two.zip": zipped({"in.md": "y", "three.zip": third}), "out.md": "z"}))
    assert [m.path for m in listing.members] == ["two.zip/in.md", "out.md"]
    assert refusals(listing) == {"two.zip/three.zip": "archives are opened up to 2 deep in each other"}


def test_bombs_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zeros = bytes(8_000_000)
    bomb = listed(tmp_path, zipped({"zeros.txt": zeros, "good.md": "x"}), limit=64 << 20)
    assert "more than 200 times its size" in refusals(bomb)["zeros.txt"]
    assert [m.path for m in bomb.members] == ["good.md"]
    with pytest.raises(DocumentError, match="unpacks to more than 4,000,000 bytes"):
        listed(tmp_path, gzip.compress(zeros))
    monkeypatch.setattr(archives, "MAX_ENTRIES", 10)
    with pytest.raises(DocumentError, match="more than 10 entries"):
        listed(tmp_path, zipped({f"{n}.md": "x" for n in range(11)}))


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 broken", b"\x1f\x8b broken", b"nothing of the kind" * 100])
def test_a_damaged_archive_is_an_error(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(DocumentError, match="the archive cannot be read"):
        listed(tmp_path, data)


def test_members_are_synced_like_files(tmp_path: Path) -> None:
    """Added, changed, renamed and deleted as files are; a damaged archive keeps what was made of it."""
    folder = write(tmp_path / "docs", {"good.md": PAGE.format("good")})
    docs = Collection(folder=folder)
    files = {f"in/{n}.md": PAGE.format(n) for n in range(3)}
    write(folder, {"a.zip": zipped({**files, "x.png": b"png"}), "b.tgz": tarred({"t.md": PAGE.format(9)}, "w:gz")})
    report = docs.sync()
    assert counts(report) == {"added": 5, "skipped": 1}
    assert sorted(docs.documents())[0] == "docs/a.zip/in/0.md"
    assert docs.texts()["docs/b.tgz/t.md"] == PAGE.format(9)
    assert docs.documents()["docs/a.zip/in/0.md"].path == "a.zip/in/0.md"
    assert nothing_written(docs.sync())
    changed = {"in/0.md": PAGE.format("zero"), "in/moved.md": files["in/1.md"]}
    write(folder, {"a.zip": zipped(changed)})
    assert counts(docs.sync()) == {"updated": 1, "renamed": 1, "deleted": 1, "kept": 2}
    write(folder, {"a.zip": b"PK broken"})
    broken = docs.sync()
    assert list(reasons(broken)) == ["docs/a.zip/"]
    assert "docs/a.zip/in/0.md" in docs.documents()
    (folder / "a.zip").unlink()
    assert counts(docs.sync()) == {"deleted": 2, "kept": 2}


def test_an_archive_that_is_named_itself_is_a_folder(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {"a.zip": zipped({"one.md": PAGE.format(1), "two.md": PAGE.format(2)})})
    docs = Collection(folder=folder)
    assert counts(docs.sync([folder / "a.zip"])) == {"added": 2}
    write(folder, {"a.zip": zipped({"two.md": PAGE.format(2)})})
    assert counts(docs.sync([folder / "a.zip"])) == {"deleted": 1, "kept": 1}
