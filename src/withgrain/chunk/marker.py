"""A marker for a section that no author has marked: from the path of its document and from its headings.

``okta/users.md`` › Suspend a user gives ``@@OKTA:SUSPEND_USER``. It is metadata: filters and authors see it, no
embedded text does.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from pathlib import PurePosixPath

from withgrain.signals.words import word_set

#: Words of a section's name, at most; of a domain, too.
MOST_WORDS = 5
_WORD = re.compile(r"[A-Za-z0-9]+")
_LITTLE = word_set(
    "a an and are at by do does for from how i in is it my of on or our the this to was what when with you"
)
#: Folders that say what kind of documents they hold, not what the documents are about.
_GENERIC = word_set(
    "api apis book compliance concept concepts content contents contract contracts corpus doc docs documentation en "
    "faq faqs guide guides handbook help howto incident incidents kb legal manual markdown md notes page pages "
    "policies policy postmortems procedures ref reference references runbook runbooks schema schemas section sop sops "
    "source src text txt wiki"
)


def infer_marker(path: str, title: str, heading_path: tuple[str, ...], domain: str = "") -> str:
    """Return the marker of a section; empty where neither path nor headings have a word to name it by.

    Args:
        path: Relative path of the document.
        title: Its title.
        heading_path: Headings of the section.
        domain: Known from front matter or a path rule; else the innermost telling folder of the path, else its name.
    """
    section = _name(heading_path[-1]) if heading_path else ""
    named = _name(domain) or _domain(path)
    section = section or _name(title) or named
    return f"@@{named or section}:{section}" if section and not (named or section)[0].isdigit() else ""


@lru_cache(maxsize=64)
def _domain(path: str) -> str:
    parts = PurePosixPath(path.replace("__", "/")).parts
    for folder in reversed(parts[:-1]):
        name = _name(folder)
        if name and name.lower() not in _GENERIC and not name[0].isdigit():
            return name
    name = _name(PurePosixPath(parts[-1]).stem) if parts else ""
    return name if name and not name[0].isdigit() else "DOC" if name else ""


@lru_cache(maxsize=4096)
def _name(text: str) -> str:
    """Return the first telling words of a text in capitals, joined by underscores."""
    plain = unicodedata.normalize("NFKD", text[:500]).encode("ascii", "ignore").decode("ascii")
    words = _WORD.findall(plain)
    telling = [w for w in words if w.lower() not in _LITTLE] or words
    return "_".join(telling[:MOST_WORDS]).upper()[:80]
