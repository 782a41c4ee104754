"""What a state of a store must hold and answer, by a plain reading of the bundles that were committed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

from withgrain.model import And, Bundle, Change, ChunkRecord, Compare, Filter, Not, Or
from withgrain.testing.records import TERMS, contract
from withgrain.types import Snapshot, Store

#: Filters with their meaning, written down a second time in Python.
FILTERS: tuple[tuple[Filter | None, Callable[[ChunkRecord], bool]], ...] = (
    (None, lambda c: True),
    (Compare(field="class", operator="eq", value="runbook"), lambda c: c.doc_class == "runbook"),
    (Compare(field="class", operator="prefix", value="api "), lambda c: c.doc_class.startswith("api ")),
    (Compare(field="document", operator="contains", value="00"), lambda c: "00" in c.path),
    (Compare(field="labels", operator="eq", value="it's=mine"), lambda c: "it's=mine" in c.labels),
    (Compare(field="labels", operator="ne", value="team=sre"), lambda c: "team=sre" not in c.labels),
    (Compare(field="modified", operator="ge", value="2025"), lambda c: c.modified is not None and c.modified >= "2025"),
    (
        Not(part=Compare(field="modified", operator="ge", value="2025")),
        lambda c: c.modified is None or c.modified < "2025",
    ),
    (Compare(field="quality", operator="gt", value=49.5), lambda c: c.chunk.quality > 49.5),
    (
        And(
            parts=(
                Compare(field="api_method", operator="in", value=("POST", "PUT")),
                Or(
                    parts=(
                        Compare(field="kind", operator="ne", value="normal"),
                        Compare(field="tokens", operator="le", value=1000),
                    )
                ),
            )
        ),
        lambda c: "POST" in c.chunk.facts.api_method and (c.chunk.kind != "normal" or c.chunk.tokens is not None),
    ),
    (Or(parts=()), lambda c: False),
    *(
        (Compare(field="domain", operator="eq", value=v), lambda c: c.domain.lower() == "okta")
        for v in ("OKTA", "okta")
    ),
    (Compare(field="domain", operator="in", value=("oktA", "")), lambda c: c.domain.lower() in ("okta", "")),
    (Compare(field="domain", operator="ne", value="okta"), lambda c: c.domain.lower() != "okta"),
    (Compare(field="domain", operator="prefix", value="oK"), lambda c: c.domain.lower().startswith("ok")),
    (Compare(field="domain", operator="contains", value="kT"), lambda c: "kt" in c.domain.lower()),
    (Compare(field="api_method", operator="eq", value="post"), lambda c: "POST" in c.chunk.facts.api_method),
    (Compare(field="labels", operator="eq", value="Team=SRE"), lambda c: False),
    (Compare(field="labels", operator="contains", value="team="), lambda c: False),
    (Compare(field="labels", operator="prefix", value="team="), lambda c: any(v[:5] == "team=" for v in c.labels)),
    (
        Compare(field="heading_path", operator="contains", value="E"),
        lambda c: any("e" in heading.lower() for heading in c.chunk.heading_path),
    ),
    (Compare(field="page", operator="ge", value=2), lambda c: any(page >= 2 for page in c.chunk.pages)),
    (Compare(field="page", operator="le", value=2), lambda c: any(page <= 2 for page in c.chunk.pages)),
    (Not(part=Compare(field="page", operator="gt", value=0)), lambda c: not c.chunk.pages),
    (Compare(field="page", operator="eq", value=2), lambda c: 2 in c.chunk.pages),
    (Compare(field="title", operator="eq", value="' OR 1=1 --"), lambda c: False),
)


def commit(store: Store, upsert: Sequence[Bundle] = (), delete: Sequence[str] = (), *, finish: bool = False) -> None:
    """Commit one change under the contract of the tests."""
    with store.writer(contract()) as writer:
        writer.commit(Change(upsert=tuple(upsert), delete=tuple(delete)))
        if finish:
            writer.finish()


def state(snapshot: Snapshot | None) -> dict[str, Bundle]:
    """Read a whole state back, as bundles by document id."""
    found: dict[str, Bundle] = {}
    for short in snapshot.documents() if snapshot else []:
        document = snapshot.document(short.id) if snapshot else None
        assert snapshot is not None and document is not None, f"document {short.id} is listed but cannot be read"
        chunks = snapshot.chunks(doc_id=short.id)
        leaves = snapshot.leaves([c.chunk.id for c in chunks])
        found[short.id] = Bundle(document=document, chunks=tuple(chunks), leaves=tuple(leaves))
    return found


def assert_state(snapshot: Snapshot | None, wanted: Sequence[Bundle]) -> None:
    """A state is exactly these bundles; the order of a chunk's leaves is free."""
    assert snapshot is not None
    found = state(snapshot)
    assert {i: _sorted(b) for i, b in found.items()} == {b.document.id: _sorted(b) for b in wanted}
    assert snapshot.count() == {
        "documents": len(wanted),
        "chunks": sum(len(b.chunks) for b in wanted),
        "leaves": sum(len(b.leaves) for b in wanted),
        "vectors": sum(bool(leaf.vector) for b in wanted for leaf in b.leaves),
    }


def assert_answers(snapshot: Snapshot, wanted: Sequence[Bundle]) -> None:
    """Every question has the answer that a plain reading of the bundles gives, under every filter."""
    for where, holds in FILTERS:
        inside = [c for b in wanted for c in b.chunks if holds(c)]
        _assert_lexical(snapshot, where, inside)
        _assert_phrases(snapshot, where, inside)
        _assert_statistics(snapshot, where, inside)
        _assert_facets(snapshot, where, inside)
        _assert_dense(snapshot, where, inside, wanted)
    _assert_candidates(snapshot, [c for b in wanted for c in b.chunks])
    _assert_sections(snapshot, [c for b in wanted for c in b.chunks])
    _assert_document_vectors(snapshot, wanted)
    assert snapshot.roots() == tuple(sorted({b.document.root for b in wanted}))
    some = [b.document.id for b in wanted[::2]]
    assert [d.id for d in snapshot.documents([*some, "nobody"])] == [d.id for d in snapshot.documents() if d.id in some]
    assert snapshot.languages() == tuple(sorted({b.document.language for b in wanted} - {""}))


def _sorted(found: Bundle) -> Bundle:
    return Bundle(
        document=found.document, chunks=found.chunks, leaves=tuple(sorted(found.leaves, key=lambda leaf: leaf.id))
    )


def _assert_lexical(snapshot: Snapshot, where: Filter | None, inside: Sequence[ChunkRecord]) -> None:
    for asked in ([TERMS[3]], ["statuskey=1", "/api/v1/users/{userid}/lifecycle/suspend"], ["it's", "文档", "nothing"]):
        wanted = {c.chunk.id for c in inside if set(asked) & set(c.terms.split())}
        found = snapshot.lexical(asked, where, 10_000)
        assert {i for i, _ in found} == wanted, (asked, where)
        assert len(found) == len(wanted)
        scores = [score for _, score in found]
        assert scores == sorted(scores, reverse=True) and all(s > 0 for s in scores)
        assert len(snapshot.lexical(asked, where, 3)) == min(3, len(wanted))


def _assert_phrases(snapshot: Snapshot, where: Filter | None, inside: Sequence[ChunkRecord]) -> None:
    for asked in (["the", "user"], ["user", "the"], ["the", "the"], ["statuskey=1"], ["the", "nothing"]):
        wanted = {c.chunk.id for c in inside if f" {' '.join(asked)} " in f" {c.terms} "}
        found = snapshot.phrase(asked, where, 10_000)
        assert set(found) == wanted and len(found) == len(wanted), (asked, where)
        assert len(snapshot.phrase(asked, where, 2)) == min(2, len(wanted))
    assert snapshot.phrase([], where, 10) == []


def _assert_statistics(snapshot: Snapshot, where: Filter | None, inside: Sequence[ChunkRecord]) -> None:
    asked = [*TERMS, "nothing", "the"]
    found = snapshot.statistics(asked, where)
    lengths = [len(c.terms.split()) for c in inside]
    assert found.chunks == len(inside)
    assert math.isclose(found.average_length, sum(lengths) / len(lengths) if lengths else 0.0)
    assert dict(found.frequencies) == {t: sum(t in c.terms.split() for c in inside) for t in asked}, where


def _assert_facets(snapshot: Snapshot, where: Filter | None, inside: Sequence[ChunkRecord]) -> None:
    values: dict[str, Callable[[ChunkRecord], Sequence[str]]] = {
        "class": lambda c: (c.doc_class,),
        "domain": lambda c: (c.domain,) if c.domain else (),
        "api_method": lambda c: c.chunk.facts.api_method,
        "labels": lambda c: c.labels,
        "modified": lambda c: (c.modified,) if c.modified else (),
        "ordinal": lambda c: (str(c.chunk.ordinal),),
    }
    for field, value in values.items():
        counts = Counter(v for c in inside for v in set(value(c)))
        if field in ("class", "domain"):  # one value in any case, as most chunks spell it
            alike = {v: [w for w in counts if w.lower() == v.lower()] for v in counts}
            best = {v: min(some, key=lambda w: (-counts[w], w)) for v, some in alike.items()}
            counts = Counter({best[v]: sum(counts[w] for w in some) for v, some in alike.items()})
        assert snapshot.facets(field, where) == counts, (field, where)


def _assert_candidates(snapshot: Snapshot, chunks: Sequence[ChunkRecord]) -> None:
    asked = [TERMS[3], "the", "statuskey=1", "文档", "nothing", ""]
    found = snapshot.candidates(["nobody", *(c.chunk.id for c in chunks[::-1])], asked)
    assert [c.chunk_id for c in found] == [c.chunk.id for c in chunks[::-1]]
    for light, record in zip(found, chunks[::-1], strict=True):
        chunk, words = record.chunk, record.terms.split()
        assert dict(light.counts) == {t: words.count(t) for t in asked if t in words}
        assert light.length == len(words)
        assert light.identifiers == chunk.facts.identifiers()
        for name in ("doc_id", "title", "heading_path", "kind", "quality", "ordinal", "total", "parent_id"):
            assert getattr(light, name) == getattr(chunk, name), name
    facts = [c.chunk.facts.identifiers() for c in chunks[::-1]]
    wanted = ["nothing", *dict.fromkeys(i for some in facts for i in some)]
    assert found.stating(wanted) == {i: [n for n, some in enumerate(facts) if i in some] for i in wanted}
    assert snapshot.texts(["nobody", *(c.chunk.id for c in chunks)]) == {
        c.chunk.id: "\n".join((c.chunk.body, *c.chunk.heading_path, c.chunk.title, *c.chunk.facts.markers))
        for c in chunks
    }
    assert all(not c.counts for c in snapshot.candidates([c.chunk.id for c in chunks[:2]]))


def _assert_sections(snapshot: Snapshot, chunks: Sequence[ChunkRecord]) -> None:
    parents = {c.chunk.parent_id for c in chunks if c.chunk.parent_id}
    for parent in sorted(parents)[:5]:
        wanted = [c for c in chunks if c.chunk.parent_id == parent]
        assert snapshot.sections(parent) == sorted(wanted, key=lambda c: c.chunk.ordinal)
    assert snapshot.sections("nobody") == [] and snapshot.sections("' OR 1=1 --") == []


def _assert_document_vectors(snapshot: Snapshot, wanted: Sequence[Bundle]) -> None:
    means: dict[str, list[float]] = {}
    for b in wanted:
        rows = [(max(1, leaf.tokens), leaf.vector) for leaf in b.leaves if leaf.vector]
        if rows:
            means[b.document.id] = [math.fsum(n * v[i] for n, v in rows) for i in range(len(rows[0][1]))]
    found = snapshot.document_vectors()
    assert found.keys() == means.keys()
    for doc_id, vector in found.items():
        assert math.isclose(math.hypot(*vector), 1, abs_tol=1e-5)
        assert math.isclose(_cosine(vector, means[doc_id]), 1, abs_tol=1e-5)
    some = sorted(means)[:2]
    assert snapshot.document_vectors([*some, "nobody"]).keys() == set(some)
    query = (0.3, -1.0, 0.5, 0.2)
    near = snapshot.similar_documents(query, 3)
    assert [s for _, s in near] == sorted((s for _, s in near), reverse=True) and len(near) == min(3, len(means))
    best = sorted((_cosine(query, v) for v in means.values()), reverse=True)[:3]
    for (doc_id, score), expected in zip(near, best, strict=True):
        assert math.isclose(score, expected, abs_tol=1e-5)
        assert math.isclose(score, _cosine(query, means[doc_id]), abs_tol=1e-5)


def _assert_dense(
    snapshot: Snapshot, where: Filter | None, inside: Sequence[ChunkRecord], wanted: Sequence[Bundle]
) -> None:
    query = (0.3, -1.0, 0.5, 0.2)
    ids = {c.chunk.id for c in inside}
    best: dict[str, float] = {}
    scores: dict[str, float] = {}
    for leaf in (leaf for b in wanted for leaf in b.leaves if leaf.vector and leaf.chunk_id in ids):
        scores[leaf.id] = _cosine(query, leaf.vector)
        best[leaf.chunk_id] = max(scores[leaf.id], best.get(leaf.chunk_id, -2.0))
    order = sorted(best.values(), reverse=True)
    for limit in (3, 10_000):
        found = snapshot.dense(query, where, limit)
        assert len(found) == min(limit, len(best)) and len({c for c, _, _ in found}) == len(found)
        for (chunk, leaf_id, score), expected in zip(found, order[:limit], strict=True):
            assert math.isclose(score, expected, abs_tol=1e-5)
            assert math.isclose(score, best[chunk], abs_tol=1e-5)
            assert math.isclose(score, scores[leaf_id], abs_tol=1e-5)


def _cosine(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True)) / (math.hypot(*a) * math.hypot(*b))
