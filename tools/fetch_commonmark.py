"""Fetch the examples of the CommonMark specification for a test: ``python tools/fetch_commonmark.py FILE``.

They are under CC BY-SA 4.0, which this repository does not carry, so they are taken from where a package index has
them: the source archive of markdown-it-py, pinned by version and hash. Without an index the test is left out.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

VERSION = "4.3.0"
SHA256 = "91a58fa5b72c71a40cf7177250fd767480d7a2bb3ac426ccfb76fb90305fdaaa"
MEMBER = f"markdown_it_py-{VERSION}/tests/test_cmark_spec/commonmark.json"


def fetch() -> bytes:
    """Return the examples as JSON.

    Raises:
        OSError: The index does not give the archive.
        ValueError: The archive is another one.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
        done = subprocess.run([*command, "--dest", folder, f"markdown-it-py=={VERSION}"], check=False, timeout=300)
        if done.returncode:
            raise OSError(f"pip cannot download the source archive of markdown-it-py {VERSION}")
        archive = next(Path(folder).glob("*.tar.gz"))
        if hashlib.sha256(archive.read_bytes()).hexdigest() != SHA256:
            raise ValueError(f"{archive.name} is not the archive that is pinned here")
        with tarfile.open(archive) as packed:
            member = packed.extractfile(MEMBER)
            assert member is not None
            return member.read()


def main(place: Path) -> int:
    """Write the examples to a file."""
    try:
        examples = fetch()
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        print(f"{error}: the examples of CommonMark will not be tested", file=sys.stderr)
        return 0
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(examples)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
