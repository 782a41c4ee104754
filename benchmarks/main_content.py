"""What is kept of pages that do not say which part is their content: ``python benchmarks/main_content.py FOLDER …``.

The judge are pages that do say it, by ``main``, ``article`` or ``role=main``: they are read as they are, and again with
these marks taken away. *Kept*: words of the content that the second reading has. *Right*: words of the second reading
that belong to the content; the others are menus, headers and footers that nothing but the mark told apart.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from pathlib import Path

from withgrain.parse import parse

_MARKED = re.compile(rb"<(?:main|article)\b|role\s*=\s*[\"']?(?:main|article)\b", re.IGNORECASE)
_ELEMENT = re.compile(rb"<(/?)(?:main|article)\b", re.IGNORECASE)
_ROLE = re.compile(rb"\brole\s*=\s*([\"']?)(?:main|article)\b\1", re.IGNORECASE)
_WORD = re.compile(r"\w+")


def words(data: bytes) -> Counter[str]:
    """Return the words of a page as it is read, with their numbers."""
    return Counter(_WORD.findall(parse(data, uri="page.html").text.lower()))


def unmarked(data: bytes) -> bytes:
    """Return a page without the marks of its content."""
    return _ROLE.sub(b"", _ELEMENT.sub(rb"<\1div", data))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--most", type=int, default=60, help="pages of a folder")
    options = parser.parse_args()
    print("| pages | files | words of the content | kept | words read | right | pages over 95 % right |")
    print("|---|---|---|---|---|---|---|")
    for folder in options.folders:
        pages = sorted(f for f in folder.rglob("*.html") if f.stat().st_size > 2000)
        pages = [f for f in pages[:: max(1, len(pages) // (2 * options.most))] if _MARKED.search(f.read_bytes())]
        content = kept = read = right = good = 0
        for page in pages[: options.most]:
            data = page.read_bytes()
            truth, found = words(data), words(unmarked(data))
            both = (truth & found).total()
            content, kept = content + truth.total(), kept + both
            read, right = read + found.total(), right + both
            good += both >= 0.95 * found.total()
        if pages:
            number = min(len(pages), options.most)
            shares = f"{kept / max(1, content):.3f} | {read:,} | {right / max(1, read):.3f}"
            print(f"| {folder.name} | {number} | {content:,} | {shares} | {good} |")


if __name__ == "__main__":
    main()
