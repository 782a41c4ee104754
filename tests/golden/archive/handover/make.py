"""A hand-over: a page, notes, a tar in the zip, a link, a name that leads out, an unknown kind, a double name."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile


def make() -> bytes:
    """Return the file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        _add(package, "handover/gate.md", "# Gate\n\nIt is shut.\n")
        _add(package, "handover/pages/lock.html", "<main><h1>Lock</h1><p>Chamber two.</p></main>")
        _add(package, "handover/old.tar.gz", _tar())
        _add(package, "../outside.md", "# Outside\n")
        _add(package, "handover/lamp.bin", b"\x00\x01")
        _add(package, "__MACOSX/._gate.md", b"\x00")
        link = zipfile.ZipInfo("handover/link.md", (2026, 1, 2, 3, 4, 6))
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        package.writestr(link, "/etc/passwd")
    return buffer.getvalue()


def _add(package: zipfile.ZipFile, name: str, content: str | bytes) -> None:
    package.writestr(zipfile.ZipInfo(name, (2026, 1, 2, 3, 4, 6)), content)


def _tar() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as package:
        content = b"Pump\n====\n\nIt runs.\n"
        info = tarfile.TarInfo("pump.txt")
        info.size = len(content)
        package.addfile(info, io.BytesIO(content))
    return buffer.getvalue()
