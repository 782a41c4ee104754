"""Documents that a question names by their path or file name: ``okta/reset.md``, ``reset.md``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from withgrain.model import Compare, Filter, all_of, stored_path
from withgrain.types import Snapshot

#: Files that are looked up; pasted text may name hundreds.
_MOST = 8
#: Documents of one name, the first by their uris: every folder may have an index.md.
_DOCUMENTS = 500
_QUOTED_OR_TOKEN = re.compile(r"\"([^\"\n]{1,300})\"|`([^`\n]{1,300})`|\S{1,300}")
_AROUND = "()[]<>{}\"'`|,;!?*:."
#: What a link or a message has behind the path: "reset.md#L12", "reset.md:12".
_BEHIND = re.compile(r"[#:?].*")
_LIKE_A_FILE = re.compile(r"[^/]\.[A-Za-z]\w{0,9}\Z")


def files_in(text: str) -> tuple[str, ...]:
    """Return what looks like the path or the name of a file that a parser reads, distinct and in order."""
    found: dict[str, None] = {}
    for match in _QUOTED_OR_TOKEN.finditer(text):
        token = match[1] or match[2] or match[0].strip(_AROUND).removesuffix("'s")
        name = stored_path(_BEHIND.sub("", token.strip()).replace("\\", "/")).lstrip("/").rstrip(_AROUND)
        if _LIKE_A_FILE.search(name) and name.lower().endswith(_suffixes()):
            found[name] = None
    return tuple(found)[:_MOST]


def _suffixes() -> tuple[str, ...]:
    from withgrain.parse import formats  # parsers are loaded where a question names something like a file

    return tuple(suffix for one in formats() for suffix in one.suffixes)


def chunks_of(
    snapshot: Snapshot, files: Sequence[str], terms: Sequence[str], where: Filter | None, limit: int
) -> dict[str, list[str]]:
    """Return, for each file that is there, chunks of all documents with that path, or end of a path.

    Args:
        snapshot: The state to search.
        files: Paths or file names, also with the name of a root in front.
        terms: Terms of the question: where a document has too many chunks, those that have these come first.
        where: The filter; nothing outside it is returned.
        limit: Most chunks a file.
    """
    found: dict[str, list[str]] = {}
    for file in files:
        named = snapshot.documents_called(file)[:_DOCUMENTS]
        if not named:
            continue
        inside = all_of(where, Compare(field="doc_id", operator="in", value=tuple(named)))
        ids = dict.fromkeys(i for i, _ in snapshot.lexical(terms, inside, limit))
        if len(ids) < limit:
            ids.update(dict.fromkeys(snapshot.facets("chunk_id", inside)))
        if ids:
            found[file] = list(ids)[:limit]
    return found
