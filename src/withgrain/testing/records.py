"""Documents, chunks and leaves made from a seed: the same on every run, with every field filled somewhere."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from random import Random

from withgrain.model import (
    Boundary,
    Bundle,
    Chunk,
    ChunkRecord,
    Contract,
    DocumentRecord,
    Facts,
    LeafRecord,
    Part,
    RetiredRecord,
    SectionRef,
    Source,
    Span,
    chunk_id,
    document_id,
    leaf_id,
    section_id,
    sha256_hex,
)

#: Terms as an analyser makes them: words and whole identifiers, in any script. The first ones are frequent.
TERMS = (
    *("the", "user", "reset", "account", "key", "rotat", "group", "polici", "token", "session"),
    *("statuskey=1", "statuskey=7", "/api/v1/users/{userid}/lifecycle/suspend", "@@okta:users", "role_admin"),
    *(
        "--metrics-tls-cert-file",
        "it's",
        '"quoted"',
        "100%",
        "a_b",
        "back\\slash",
        "ünïcode",
        "文档",
        "naïve",
        "x" * 90,
    ),
)


def contract(*, dims: int = 4, policy: str = "structure_aware@test") -> Contract:
    """Return a contract for tests."""
    embedder = "hash@1" if dims else "none"
    return Contract(
        parser="1",
        chunker="1",
        policy=policy,
        tokenizer="words@1",
        detectors="1",
        embedder=embedder,
        dims=dims,
        normalised=True,
    )


def bundle(
    uri: str, texts: Sequence[str], *, dims: int = 4, seed: int = 0, root: str = "root", doc_class: str = "runbook"
) -> Bundle:
    """Return a document with one chunk a text; the terms of a chunk are the words of its text.

    Args:
        uri: Path of the document under ``root``.
        texts: Bodies, in order.
        dims: Length of the vectors; 0 for no leaves.
        seed: Of the vectors and of the fields that the texts do not determine.
        root: Name of the root.
        doc_class: Class of the document.
    """
    random = Random(f"{seed}/{uri}")
    source = Source(root=root, uri=f"{root}/{uri}", media_type="text/markdown", sha256=sha256_hex("\n".join(texts)))
    text = "\n".join(texts)
    doc_id = document_id(source.uri)
    modified = random.choice([None, "2024-05-01T00:00:00Z", "2025-01-31T12:30:00Z"])
    labels = random.choice([(), ("team=identity",), ("team=sre", "it's=mine")])
    chunks: list[ChunkRecord] = []
    start = 0
    for ordinal, body in enumerate(texts):
        span = Span(start=start, end=start + len(body))
        chunk = _chunk(random, doc_id, ordinal, len(texts), body, span, title=f"Title of {uri}")
        start = span.end + 1
        chunks.append(
            ChunkRecord(
                chunk=chunk,
                path=source.path,
                root=root,
                doc_class=doc_class,
                domain=random.choice(["", "OKTA", "K8S", "okta"]),
                labels=labels,
                modified=modified,
                terms=" ".join(body.split()),
                source_span=random.choice([None, span]),
            )
        )
    document = DocumentRecord(
        id=doc_id,
        root=root,
        uri=source.uri,
        path=source.path,
        title=f"Title of {uri}",
        sha256=source.sha256,
        modified=modified,
        media_type=source.media_type,
        doc_class=doc_class,
        domain=random.choice(["", "OKTA"]),
        labels=labels,
        contract="0123456789abcdef",
        stale=random.choice(["", "parse failed"]),
        chunks=len(texts),
        words_lost=random.randrange(2),
        text=text,
        removed=tuple(sorted(random.randrange(len(text) + 1) for _ in range(random.randrange(4)))),
        rendered=random.random() < 0.5,
        copies=random.choice([(), (f"{root}/copy of {uri}",)]),
        language=random.choice(["", "en", "de"]),
        meta={"title": "Ü", "tags": ["a", 'b"'], "nested": {"n": 1, "x": None, "y": [1.5, True]}},
    )
    leaves = [leaf for c in chunks for leaf in _leaves(random, c.chunk, dims)] if dims else []
    return Bundle(document=document, chunks=tuple(chunks), leaves=tuple(leaves))


def retired(old: str, successor: str | None, *, path: str = "old.md", span: Span | None = None) -> RetiredRecord:
    """Return a record of an id that ended: ``moved`` when there is a successor, else ``gone``."""
    return RetiredRecord(
        id=old, doc_id="d" * 32, path=path, span=span, successor=successor, reason="moved" if successor else "gone"
    )


def bundles(count: int, *, seed: int = 0, dims: int = 4, chunks: int = 5, words: int = 12) -> list[Bundle]:
    """Return documents with up to ``chunks`` chunks of ``words`` random `TERMS`, frequent ones more often."""
    random = Random(seed)
    weights = [1 / (n + 1) for n in range(len(TERMS))]
    found = []
    for n in range(count):
        texts = [" ".join(random.choices(TERMS, weights, k=words)) for _ in range(random.randint(1, chunks))]
        doc_class = random.choice(["runbook", "policy", "api reference"])
        found.append(bundle(f"docs/{n:04d}.md", texts, dims=dims, seed=seed, doc_class=doc_class))
    return found


def _chunk(random: Random, doc_id: str, ordinal: int, total: int, body: str, span: Span, *, title: str) -> Chunk:
    path = ("Guide", random.choice(["Reset", "It's here", "Überblick"]))
    facts = Facts(
        markers=random.choice([(), ("@@OKTA:USERS",)]),
        api_method=random.choice([(), ("GET",), ("GET", "POST")]),
        api_endpoint=random.choice([(), ("/api/v1/users/{userId}",)]),
        keys=random.choice([(), ("statuskey=1",), ("statuskey=1", "statuskey=7")]),
        links=("https://example.org/a?b=c",),
    )
    return Chunk(
        id=chunk_id(doc_id, path, body, ordinal),
        doc_id=doc_id,
        ordinal=ordinal,
        total=total,
        span=random.choice([span, span, None]),
        body=body,
        title=title,
        heading_path=path,
        sections=random.choice(
            [(), (SectionRef(path=path, span=span), SectionRef(path=(*path, "x"), span=span, page=2, anchor="x"))]
        ),
        parts=random.choice(
            [(), (Part(role="path", text="Guide › Reset"), Part(role="fence_close", text="```", position="after"))]
        ),
        kind=random.choice(["normal", "atomic_fact"]),
        block_kinds=random.choice([("paragraph",), ("list", "code")]),
        facts=facts,
        quality=random.randrange(101),
        tokens=random.choice([None, len(body.split())]),
        pages=random.choice([(), (1, 2)]),
        page_starts=(7,) if ordinal % 2 else (),
        lines=random.choice([None, (3, 7)]),
        anchor=random.choice([None, "reset"]),
        origin=random.choice([None, "Sheet1!A2:D9"]),
        parent_id=random.choice([None, section_id(doc_id, path, 0), section_id(doc_id, path, 1)]),
        prev_id=random.choice([None, "a" * 32]),
        next_id=random.choice([None, "b" * 32]),
        boundary=Boundary(start="section", end="block", oversize=random.choice([None, "code"])),
    )


def _leaves(random: Random, chunk: Chunk, dims: int) -> list[LeafRecord]:
    found = []
    for nth in range(random.randint(1, 3)):
        vector = array("f", [random.gauss(0, 1) for _ in range(dims)])  # 32-bit, as a collection keeps them
        span = Span(start=nth, end=nth + 3) if random.random() < 0.8 else None
        found.append(
            LeafRecord(
                id=leaf_id(chunk.id, chunk.body, nth),
                chunk_id=chunk.id,
                doc_id=chunk.doc_id,
                span=span,
                vector=tuple(vector) if random.random() < 0.9 else (),
                tokens=random.randrange(40),
                token_codes=random.randbytes(random.randrange(3)),
            )
        )
    return found
