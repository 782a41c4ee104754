"""What belongs to a chunk without being like it: what shares its keys, and what it links to."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from withgrain.errors import UsageError
from withgrain.model import ChunkRecord, Citation, Compare, DocumentRecord, Filter, Not, all_of
from withgrain.search.bm25 import idf
from withgrain.search.citation import cite_chunk, several_roots, url_of
from withgrain.search.scoped import scoped
from withgrain.types import Snapshot

#: Fields whose values join one section to another: the same table key, endpoint, code, role or marker.
SHARED_FIELDS = ("keys", "api_endpoint", "codes", "roles", "environment", "flags", "markers")
#: Values looked up.
_VALUES = 40
#: A value in more chunks than this, and in more than a share of all, joins everything and so nothing. A key that joins
#: tables is common where it matters: rarer values count more, they do not count alone.
_FEW = 50
_COMMON = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """A related chunk.

    Attributes:
        chunk_id: The chunk.
        citation: Where it stands.
        score: Summed weight of what joins the two: the rarer a key, the more; a link counts most.
        shared: For each field, the values that both have.
        link: The link of the first chunk that leads here; empty when none does.
    """

    chunk_id: str
    citation: Citation
    score: float
    shared: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    link: str = ""


def related(
    snapshot: Snapshot, chunk_id: str, *, limit: int = 10, where: Filter | None = None, scope: Filter | None = None
) -> tuple[Related, ...]:
    """Return chunks that share keys with a chunk or that it links to, best first.

    The join path of a schema can be followed so: a section that names ``ACCOUNTKEY`` leads to the table that has it.

    Args:
        snapshot: The state.
        chunk_id: The chunk.
        limit: Most chunks to return.
        where: Only chunks inside this filter.
        scope: What the asker may see at all.

    Raises:
        UsageError: There is no such chunk, or ``limit`` is below 1.
    """
    if limit < 1:
        raise UsageError(f"limit is {limit}; ask for 1 or more.")
    inside = scoped(snapshot, scope)
    found = inside.chunks(ids=[chunk_id])
    if not found:
        raise UsageError(f'There is no chunk "{chunk_id}" in the collection. Take an id from a search result.')
    others = all_of(where, Not(part=Compare(field="chunk_id", operator="eq", value=chunk_id)))
    shared, scores = _by_shared_values(inside, found[0], others)
    links = _by_links(inside, found[0], others)
    top = max(scores.values(), default=0.0) + 1.0
    for other in links:
        scores[other] = scores.get(other, 0.0) + top
    order = sorted(scores, key=lambda i: (-round(scores[i], 9), i))[:limit]
    records = inside.chunks(ids=order)
    documents = {d.id: d for d in inside.documents([r.chunk.doc_id for r in records])}
    several = several_roots(inside)
    return tuple(
        Related(
            chunk_id=r.chunk.id,
            citation=cite_chunk(r, {}, url=url_of(documents.get(r.chunk.doc_id)), several_roots=several),
            score=scores[r.chunk.id],
            shared=shared.get(r.chunk.id, {}),
            link=links.get(r.chunk.id, ""),
        )
        for r in records
    )


def _by_shared_values(
    snapshot: Snapshot, record: ChunkRecord, others: Filter | None
) -> tuple[dict[str, dict[str, tuple[str, ...]]], dict[str, float]]:
    """Return, for each chunk that shares a value, what it shares and the summed weight of that."""
    facts = record.chunk.facts
    values = [(name, value) for name in SHARED_FIELDS for value in getattr(facts, name)][:_VALUES]
    chunks = snapshot.statistics((), None).chunks
    shared: dict[str, dict[str, tuple[str, ...]]] = {}
    scores: dict[str, float] = {}
    for name, value in values:
        where = all_of(others, Compare(field=name, operator="eq", value=value))
        having = snapshot.facets("chunk_id", where)
        if len(having) > max(_FEW, _COMMON * chunks):
            continue
        for other in having:
            own = shared.setdefault(other, {})
            own[name] = (*own.get(name, ()), value)
            scores[other] = scores.get(other, 0.0) + idf(chunks, len(having) + 1)
    return shared, scores


def _by_links(snapshot: Snapshot, record: ChunkRecord, others: Filter | None) -> dict[str, str]:
    """Return the first chunk of what each link leads to, with the link."""
    links = record.chunk.facts.links[:_VALUES]
    documents = snapshot.documents() if links else []
    found: dict[str, str] = {}
    for link in links:
        document = target(link, record, documents)
        if document is None:
            continue
        inside = all_of(others, Compare(field="doc_id", operator="eq", value=document.id))
        ids = snapshot.facets("chunk_id", inside)
        chunks = [r for r in snapshot.chunks(doc_id=document.id) if r.chunk.id in ids]
        chosen = _section(chunks, urlsplit(link).fragment)
        if chosen is not None:
            found.setdefault(chosen, link)
    return found


def target(link: str, record: ChunkRecord, documents: Iterable[DocumentRecord]) -> DocumentRecord | None:
    """Return the document that a link in a chunk leads to: by its address, or by a path relative to the chunk's own."""
    try:
        parts = urlsplit(link)
    except ValueError:
        return None
    if parts.scheme or parts.netloc:
        plain = parts._replace(fragment="").geturl().rstrip("/")
        return next((d for d in documents if (url_of(d) or "").rstrip("/") == plain), None)
    path = unquote(parts.path)
    if path:
        base = "" if path.startswith("/") else posixpath.dirname(record.path)
        path = posixpath.normpath(posixpath.join(base, path.lstrip("/") if path.startswith("/") else path))
    else:
        path = record.path
    names = {path, f"{path}.md", f"{path}/index.md", f"{path}/README.md"}
    return next((d for d in documents if d.root == record.root and d.path in names), None)


def _section(records: Sequence[ChunkRecord], fragment: str) -> str | None:
    """Return the chunk whose own heading has this anchor; the first chunk without one."""
    wanted = _slug(unquote(fragment))
    if wanted:
        for record in records:
            paths = (record.chunk.heading_path, *(s.path for s in record.chunk.sections))
            if any(path and _slug(path[-1]) == wanted for path in paths):
                return record.chunk.id
    return records[0].chunk.id if records else None


def _slug(heading: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in heading.casefold()).split())
