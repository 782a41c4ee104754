"""`get`: a chunk, section or document by its id, or a place by its path, to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote

from withgrain.app.address import Address, number_of, page_at, path_of, read_addresses, section_at, sections_at
from withgrain.errors import UsageError
from withgrain.model import Chunk, ChunkRecord, Citation, DocumentRecord, RetiredRecord, Span, document_id

if TYPE_CHECKING:
    from withgrain.types import Snapshot

Kind = Literal["chunk", "section", "document"]
Around = Literal["none", "neighbours", "section", "document"]
_AROUND = ("none", "neighbours", "section", "document")


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What `Library.get` found: a chunk, a section or a whole document, with its citation.

    Attributes:
        id: Of what was found: asked for, it gives the same. For a retired id its successor; root, path and part
            where an address names chunks that are no section by themselves.
        kind: What the id names.
        text: What to read: a chunk's display text; the verbatim text of a section or document.
        span: Where it stands in the canonical text; None for a generated summary.
        chunks: The chunk, or the chunks of the section or document in order.
        citation: Where it stands.
        modified: Modification time of the document.
        stale: Why the stored version is older than the file; empty when current.
        previous: Id of the chunk before it, None at the start.
        next: Id of the chunk behind it, None at the end.
        section: Id of the section of the first chunk.
        retired: Why another id stands here than the asked one; empty when it is that one.
    """

    id: str
    kind: Kind
    text: str
    span: Span | None
    chunks: tuple[Chunk, ...]
    citation: Citation
    modified: str | None = None
    stale: str = ""
    previous: str | None = None
    next: str | None = None
    section: str | None = None
    retired: str = ""


def get(snapshot: Snapshot, asked: str, *, around: Around = "none") -> Content:
    """Return what has this id, or stands at this place.

    Args:
        snapshot: The state.
        asked: Id of a chunk, document or section; or the path of a document, with ``#L12-L18`` (lines), ``#a-heading``
            or ``#4.2`` (a clause) behind it for a part. An id that was retired leads to its successor, the path of a
            document that was moved to where it stands now.
        around: ``neighbours`` adds the chunks before and behind, ``section`` the section, ``document`` everything.

    Raises:
        UsageError: Nothing has it; names the nearest paths, or says what became of a retired id or path.
    """
    if around not in _AROUND:
        raise UsageError(f'around is "{around}"; use one of: {", ".join(_AROUND)}.')
    addresses = read_addresses(asked)
    found = _by_id(snapshot, asked) or _by_address(snapshot, addresses) or _successor(snapshot, asked, addresses)
    return found if around == "none" else _widened(snapshot, found, around)


def _by_id(snapshot: Snapshot, id: str) -> Content | None:
    records = snapshot.chunks(ids=[id])
    if records:
        return _made(snapshot, id, "chunk", records)
    document = snapshot.document(id)
    if document is not None:
        return _made(snapshot, id, "document", snapshot.chunks(doc_id=id), document)
    inside = snapshot.sections(id)
    return _made(snapshot, id, "section", inside) if inside else None


def _by_address(snapshot: Snapshot, addresses: Sequence[Address]) -> Content | None:
    """Return the document at a path or the part of it that the fragment names; the first address that has a document.

    Raises:
        UsageError: Several roots have the path, or the document has no such part.
    """
    called: dict[str, list[DocumentRecord]] = {}
    for record in snapshot.documents():
        for name in record.names:
            called.setdefault(name, []).append(record)
    address = next((a for a in addresses if a.path in called), None)
    if address is None:
        return None
    wanted = address.path
    found = [d for d in called[wanted] if d.uri == wanted] or called[wanted]
    if len(found) > 1:
        names = ", ".join(d.uri for d in found[:5])
        raise UsageError(f'"{wanted}" is the path of {len(found)} documents. Write the root, too: {names}.')
    return _part(snapshot, snapshot.document(found[0].id) or found[0], address.fragment)


def _part(snapshot: Snapshot, document: DocumentRecord, fragment: str) -> Content:
    """Return a document, or the part of it that a fragment names.

    Raises:
        UsageError: The document has no such part.
    """
    records = snapshot.chunks(doc_id=document.id)
    if not fragment:
        return _made(snapshot, document.id, "document", records, document)
    inside = sections_at(records, fragment)
    if not inside:
        known = dict.fromkeys(r.chunk.heading_path[-1] for r in records if r.chunk.heading_path)
        near = get_close_matches(fragment, known, n=3, cutoff=0.3) or list(known)[:5]
        hint = f" It has: {'; '.join(near)}." if near else ""
        raise UsageError(f'"{document.path}" has no part "{fragment[:80]}".{hint}')
    if len(inside) == 1:
        return _made(snapshot, inside[0].chunk.id, "chunk", inside, document, fragment)
    section = inside[0].chunk.parent_id
    whole = section is not None and [r.chunk.id for r in inside] == [r.chunk.id for r in snapshot.sections(section)]
    # No section has exactly these chunks: then the place itself is what gives them again.
    id = section if whole and section is not None else f"{document.uri}#{fragment}"
    return _made(snapshot, id, "section", inside, document, fragment)


def _successor(snapshot: Snapshot, asked: str, addresses: Sequence[Address]) -> Content:
    """Return what took the place of a retired id, or of a document that was moved.

    Raises:
        UsageError: The text is gone, or nothing ever had this id or path.
    """
    retired = snapshot.retired([asked])
    if retired:
        last = retired[0]
        found = _by_id(snapshot, last.successor) if last.successor else None
        if found is None:
            raise UsageError(f'"{asked}" is {last.reason}: {_was(last)}. Search again.')
        return replace(found, retired=f"{last.reason}: {_was(last)}, it is now {found.id}")
    moved = _moved(snapshot, addresses)
    if moved is not None:
        return moved
    paths = {d.path.casefold(): d.path for d in snapshot.documents()}
    wanted = unquote(asked.partition("#")[0][:300]).casefold()
    near = [paths[n] for n in get_close_matches(wanted, paths, n=3, cutoff=0.5)]
    hint = f" Did you mean {' or '.join(near)}?" if near else " Take an id or a path from a search result."
    raise UsageError(f'Nothing in the collection has the id or path "{asked[:200]}".{hint}')


def _moved(snapshot: Snapshot, addresses: Sequence[Address]) -> Content | None:
    """Return the document, or the part of it, that stood at an address once; None where none ever did.

    Raises:
        UsageError: The document is gone, or has no such part any more.
    """
    roots = snapshot.roots()
    uris = [(a, uri) for a in addresses for uri in (a.path, *(f"{root}/{a.path}" for root in roots))]
    former = {r.id: r for r in snapshot.retired([document_id(uri) for _, uri in uris])}
    for address, uri in uris:
        record = former.get(document_id(uri))
        if record is None:
            continue
        document = snapshot.document(record.successor) if record.successor else None
        if document is None:
            raise UsageError(f'"{address.path[:200]}" is {record.reason}: {_was(record)}. Search again.')
        found = _part(snapshot, document, address.fragment)
        return replace(found, retired=f"{record.reason}: {_was(record)}, it is now {document.path}")
    return None


def _was(record: RetiredRecord) -> str:
    place = f", characters {record.span.start}-{record.span.end}" if record.span else ""
    return f"it stood in {record.path}{place}"


def _widened(snapshot: Snapshot, found: Content, around: Around) -> Content:
    if found.kind == "document" or not found.chunks:
        return found
    first, last = found.chunks[0], found.chunks[-1]
    if around == "document":
        wide = _by_id(snapshot, first.doc_id)
    elif around == "section":
        wide = _by_id(snapshot, first.parent_id) if first.parent_id else None
    else:
        ids = [i for i in (first.prev_id, *(c.id for c in found.chunks), last.next_id) if i]
        wide = _made(snapshot, found.id, "section", snapshot.chunks(ids=ids))
        wide = replace(wide, kind=found.kind, citation=found.citation)
    return replace(wide, retired=found.retired) if wide is not None else found


def _made(
    snapshot: Snapshot,
    id: str,
    kind: Kind,
    records: Sequence[ChunkRecord],
    document: DocumentRecord | None = None,
    fragment: str = "",
) -> Content:
    document = document or snapshot.document(records[0].chunk.doc_id)
    if document is None:
        raise UsageError(f'The document of "{id}" is no longer in the collection. Search again.')
    chunks = tuple(r.chunk for r in records)
    spans = [c.span for c in chunks if c.span is not None]
    span = Span(start=min(s.start for s in spans), end=max(s.end for s in spans)) if spans else None
    if kind == "document" and document.text:
        span = Span(start=0, end=len(document.text))
    if kind == "chunk":
        text = chunks[0].display_text
    elif document.text:
        text = span.of(document.text) if span else ""
    else:  # a document that is only partly inside a scope: what is inside
        text = "\n\n".join(c.body for c in chunks)
    return Content(
        id=id,
        kind=kind,
        text=text,
        span=span,
        chunks=chunks,
        citation=_citation(snapshot, kind, records, document, fragment),
        modified=document.modified,
        stale=document.stale,
        previous=chunks[0].prev_id if chunks else None,
        next=chunks[-1].next_id if chunks else None,
        section=chunks[0].parent_id if chunks and kind != "document" else None,
    )


def _citation(
    snapshot: Snapshot, kind: Kind, records: Sequence[ChunkRecord], document: DocumentRecord, fragment: str
) -> Citation:
    """Return where some chunks stand, or the part of them that the fragment of an address names."""
    from withgrain.search.citation import cite_chunk, clause, deep_link, page_range, several_roots, url_of

    several = several_roots(snapshot)
    root = document.root if several else ""
    path = f"{root}/{document.path}" if root else document.path
    if kind == "document" or not records:
        return Citation(
            document=document.path,
            title=document.title,
            root=root,
            url=url_of(document),
            link=deep_link(path, None, None),
        )
    named = section_at(records[0], fragment) if kind == "chunk" else None
    first = cite_chunk(records[0], {}, leaf=named, url=url_of(document), several_roots=several)
    page = page_at(fragment) or first.page
    if kind == "chunk":
        return replace(first, page=page, link=deep_link(path, first.lines, page, first.anchor))
    ends = [r.chunk.lines for r in records if r.chunk.lines is not None]
    lines = (ends[0][0], max(last for _, last in ends)) if ends else None
    common = path_of(records, fragment)
    return replace(
        first,
        heading_path=common,
        clause=clause(common, "") or number_of(common, fragment),
        lines=lines,
        page=page,
        pages=page_range(page for r in records for page in r.chunk.pages),
        link=deep_link(path, lines, page, first.anchor),
    )
