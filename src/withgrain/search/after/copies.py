"""Fold copies: the same section of the same title in several documents is one hit that names the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from withgrain.model import DocumentRecord, Hit, content_key


def folded(hits: Sequence[Hit], documents: Mapping[str, DocumentRecord | None]) -> list[Hit]:
    """Return the hits without copies of better ones; uris of the copies are in ``Hit.copies``.

    A copy has the same title, heading path and words. Equal bodies under different headings are different texts.
    """
    named = Counter((hit.chunk.title, *hit.chunk.heading_path) for hit in hits)
    alike = {hit.body for hit in hits if named[hit.chunk.title, *hit.chunk.heading_path] > 1}
    keys = {body: content_key(body) for body in alike}
    kept: dict[tuple[str, ...], Hit] = {}
    for hit in hits:
        document = documents.get(hit.chunk.doc_id)
        own = document.copies if document else ()
        name = (hit.chunk.title, *hit.chunk.heading_path)
        key = (*name, keys[hit.body] if named[name] > 1 else "")
        best = kept.get(key)
        if best is None or best.chunk.doc_id == hit.chunk.doc_id:
            kept[key if best is None else (*key, hit.chunk.id)] = replace(hit, copies=own) if own else hit
        else:
            names = (*best.copies, *((document.uri,) if document else ()), *own)
            kept[key] = replace(best, copies=tuple(dict.fromkeys(names)))
    return list(kept.values())
