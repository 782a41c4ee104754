"""Office files for tests, the same on every run."""

from __future__ import annotations

import io
import re
import zipfile


def dated(data: bytes) -> bytes:
    """Return a package with one fixed time as that of its last change."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as given, zipfile.ZipFile(buffer, "w") as package:
        for name in given.namelist():
            content = given.read(name)
            if name == "docProps/core.xml":
                content = re.sub(rb"\d{4}-\d\d-\d\dT[\d:]+Z", b"2026-01-02T03:04:05Z", content)
            package.writestr(name, content)
    return buffer.getvalue()
