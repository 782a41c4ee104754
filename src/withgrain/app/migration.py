"""Write a whole collection anew under other settings or a newer withgrain, beside the old state, and swap.

A document is made from its file when that is at hand and unchanged, else from the canonical text that the collection
keeps. A document whose text a parser made (HTML, PDF …) and whose file is not at hand keeps its rows as they are; it is
marked, so that the next ingest of its folder makes it anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from withgrain.app.defaults import CACHE_FILE
from withgrain.app.given import policy_of, tokenizer_of
from withgrain.errors import ConfigError, DocumentError, UsageError
from withgrain.ingest import MAX_BYTES, make_contract
from withgrain.ingest.isolated import isolated_parse
from withgrain.ingest.places import known_places
from withgrain.ingest.prepare import Prepared, Recipe, SourceFacts, prepare, prepare_document
from withgrain.ingest.preparing import is_plain_text
from withgrain.ingest.reading import read_file
from withgrain.ingest.records import Placement
from withgrain.ingest.run import opened_cache
from withgrain.model import (
    Bundle,
    Change,
    ChunkRecord,
    Contract,
    DocumentRecord,
    Embedded,
    LeafRecord,
    RetiredRecord,
    sha256_hex,
)
from withgrain.types import Embedder, Progress, Snapshot, TokenEmbedder, Tokenizer

if TYPE_CHECKING:
    from withgrain.chunk import Policy
    from withgrain.embed import EmbeddingCache, Endpoint

#: Documents that are committed together.
_GROUP = 32

_Loaded = TypeVar("_Loaded")
Origin = Literal["file", "text", "rows"]


@dataclass(slots=True, kw_only=True)
class Migration:
    """What a migration did, or would do.

    Attributes:
        differences: Fields of the contract that change, each with (old, new).
        documents: Uris by what they were made from: their ``file``, the kept ``text``, or the old ``rows``.
        chunks: Number of chunks.
        embedded: Texts that were embedded; the others came from the cache or kept their vectors.
        retired: Number of ids that changed.
        version: The new state; None when nothing was written.
    """

    differences: Mapping[str, tuple[object, object]]
    documents: dict[Origin, list[str]] = field(default_factory=lambda: {"file": [], "text": [], "rows": []})
    chunks: int = 0
    embedded: int = 0
    retired: int = 0
    version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    old: Snapshot
    contract: Contract
    recipe: Recipe
    embedder: Embedder | None
    cache: EmbeddingCache | None
    places: Mapping[str, Path]


def migrate(
    path: str | Path,
    *,
    policy: str | Policy | None = None,
    embedder: str | Embedder | None = None,
    tokenizer: str | Tokenizer | None = None,
    endpoint: Endpoint | None = None,
    force: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Migration:
    """Rebuild a collection under this withgrain and these settings. Readers see the old state until it is done.

    Args:
        path: The collection.
        policy: How to cut; the collection's own when None.
        embedder: Makes the vectors; the collection's own when None.
        tokenizer: Counts tokens; the collection's own when None.
        endpoint: The server of an ``openai:`` embedder; as the environment says when None.
        force: Rebuild even when nothing differs: that mends damaged rows.
        dry_run: Say what differs and write nothing.
        progress: Told how it goes on.

    Raises:
        UsageError: There is no collection.
        ConfigError: The collection's own policy, embedder or tokenizer cannot be loaded by its name; give one.
        CollectionLocked: Another process writes.
        Unavailable: No space.
        DocumentError: A document cannot be made anew. The old state stands.
    """
    from withgrain.app.collection import opened

    store = opened(path)
    stored = store.contract()
    if stored is None:
        raise UsageError(f'The collection "{path}" is empty: there is nothing to rebuild.')
    chosen_policy, chosen_tokenizer, model = _settings(stored, policy, embedder, tokenizer, endpoint)
    contract = make_contract(chosen_policy, chosen_tokenizer, model)
    report = Migration(differences=stored.differences(contract))
    if dry_run or not (report.differences or force):
        return report
    recipe = Recipe(
        policy=chosen_policy,
        tokenizer=chosen_tokenizer,
        placement=Placement(contract=contract.fingerprint),
        leaf_tokenizer=model.tokenizer if model else None,
        window=model.window if model else 0,
    )
    with store.rebuild(contract) as writer, opened_cache(Path(path) / CACHE_FILE if model else None) as cache:
        old = writer.old()
        assert old is not None
        places = known_places(Path(path))
        plan = _Plan(old=old, contract=contract, recipe=recipe, embedder=model, cache=cache, places=places)
        for change in _changes(plan, report, progress):
            writer.commit(change)
        writer.swap()
        report.version = writer.snapshot().version
    return report


def _settings(
    stored: Contract,
    policy: str | Policy | None,
    embedder: str | Embedder | None,
    tokenizer: str | Tokenizer | None,
    endpoint: Endpoint | None,
) -> tuple[Policy, Tokenizer, Embedder | None]:
    from withgrain.embed import load_embedder, spec_of

    model = embedder if embedder is not None else spec_of(stored.embedder)
    dims = stored.dims if model == spec_of(stored.embedder) else 0
    counted = tokenizer if tokenizer is not None else _tokenizer_name(stored.tokenizer)
    return (
        _named("policy", lambda: policy_of(policy if policy is not None else stored.policy.partition("@")[0])),
        _named("tokenizer", lambda: tokenizer_of(counted)),
        _named(
            "embedder", lambda: load_embedder(model, endpoint=endpoint, dims=dims) if isinstance(model, str) else model
        ),
    )


def _tokenizer_name(stored: str) -> str:
    name = stored.rpartition("@")[0]
    return {"minilm-wordpiece": "wordpiece"}.get(name, name.removeprefix("bpe:"))


def _named(what: str, load: Callable[[], _Loaded]) -> _Loaded:
    try:
        return load()
    except (ConfigError, UsageError) as error:
        raise ConfigError(f"{error} The collection names it; give another one with --{what} ({what}=).") from error


def _changes(plan: _Plan, report: Migration, progress: Progress | None) -> Iterator[Change]:
    older = plan.old.all_retired()  # first: an id that lives again with the documents is no longer retired
    for start in range(0, len(older), 10_000):
        yield Change(retire=tuple(older[start : start + 10_000]))
    documents = plan.old.documents()
    for start in range(0, len(documents), _GROUP):
        bundles: list[Bundle] = []
        retired: list[RetiredRecord] = []
        for number, short in enumerate(documents[start : start + _GROUP], start):
            if progress is not None:
                progress.update("chunk", number, len(documents), short.uri)
            before = plan.old.chunks(doc_id=short.id)
            bundle = _bundle(plan, short.id, before, report)
            gone = _retired(short, before, bundle.chunks)
            bundles.append(bundle)
            retired += gone
            report.chunks += len(bundle.chunks)
            report.retired += len(gone)
        yield Change(upsert=tuple(bundles), retire=tuple(retired))
    if progress is not None:
        progress.update("chunk", len(documents), len(documents))


def _bundle(plan: _Plan, doc_id: str, before: Sequence[ChunkRecord], report: Migration) -> Bundle:
    record = plan.old.document(doc_id)
    assert record is not None
    leaves = plan.old.leaves([c.chunk.id for c in before])
    origin, prepared = _prepared(plan, record)
    report.documents[origin].append(record.uri)
    if prepared is None:
        return Bundle(document=record, chunks=tuple(before), leaves=_kept_leaves(plan, leaves))
    labels, domain = record.labels, record.domain
    document = replace(
        prepared.document, labels=labels, domain=domain or prepared.document.domain, copies=record.copies
    )
    chunks = tuple(replace(c, labels=labels, domain=c.domain or document.domain) for c in prepared.chunks)
    known = _known(plan, leaves)
    made = _vectors(plan, [leaf.text for leaf in prepared.leaves if leaf.id not in known], report)
    ones = [known.get(leaf.id) or made[leaf.text] for leaf in prepared.leaves]
    counts = _counts(plan, [leaf.text for leaf in prepared.leaves])
    rows = tuple(
        LeafRecord(
            id=leaf.id,
            chunk_id=leaf.chunk_id,
            doc_id=document.id,
            span=leaf.span,
            vector=one.vector,
            tokens=count,
            token_codes=one.token_codes,
        )
        for leaf, one, count in zip(prepared.leaves, ones, counts, strict=True)
    )
    return Bundle(document=document, chunks=chunks, leaves=rows)


def _known(plan: _Plan, leaves: Sequence[LeafRecord]) -> dict[str, Embedded]:
    """Return what can stay of the old leaves, by id; an older version kept no token codes: then both are made anew."""
    if plan.contract.embedder != plan.old.contract.embedder:
        return {}
    tokens = isinstance(plan.embedder, TokenEmbedder)
    return {
        leaf.id: Embedded(leaf.vector, leaf.token_codes)
        for leaf in leaves
        if leaf.vector and (leaf.token_codes or not tokens)
    }


def _prepared(plan: _Plan, record: DocumentRecord) -> tuple[Origin, Prepared | None]:
    """Make a document anew from its file, or from the kept text; None when neither is possible."""
    data = _file(plan, record)
    facts = SourceFacts(root=record.root, uri=record.uri, modified=record.modified)
    if data is not None:
        if is_plain_text(record.path):
            return "file", prepare(data, facts, plan.recipe)
        parsed = isolated_parse(data, uri=record.uri, root=record.root, modified=record.modified)
        return "file", prepare_document(parsed, plan.recipe)
    if record.rendered:
        return "rows", None
    from withgrain.parse import parse

    text = record.text.encode("utf-8", "surrogatepass")
    document = parse(text, uri=record.uri, root=record.root, media_type=record.media_type, modified=record.modified)
    if document.text != record.text:
        return "rows", None
    source = replace(document.source, sha256=record.sha256)
    return "text", prepare_document(replace(document, source=source, removed=record.removed), plan.recipe)


def _file(plan: _Plan, record: DocumentRecord) -> bytes | None:
    """Return the bytes of the file, when it is where it was and unchanged."""
    folder = plan.places.get(record.root)
    if folder is None:
        return None
    try:
        data = read_file(folder / record.path, MAX_BYTES).data
    except (DocumentError, OSError, ValueError):
        return None
    return data if sha256_hex(data) == record.sha256 else None


def _kept_leaves(plan: _Plan, leaves: Sequence[LeafRecord]) -> tuple[LeafRecord, ...]:
    """Return the old leaves; under another embedder without their vectors, which the next ingest makes."""
    if not plan.contract.dims:
        return ()
    same = plan.contract.embedder == plan.old.contract.embedder
    return tuple(leaves) if same else tuple(replace(leaf, vector=(), token_codes=b"") for leaf in leaves)


def _vectors(plan: _Plan, texts: list[str], report: Migration) -> dict[str, Embedded]:
    if plan.embedder is None or not texts:
        return {}
    from withgrain.embed import embed_with_tokens

    vectors, embedded = embed_with_tokens(plan.embedder, plan.cache, texts)
    report.embedded += embedded
    return dict(zip(texts, vectors, strict=True))


def _counts(plan: _Plan, texts: list[str]) -> list[int]:
    return plan.embedder.tokenizer.count_many(texts) if plan.embedder else [0] * len(texts)


def _retired(short: DocumentRecord, before: Sequence[ChunkRecord], after: Sequence[ChunkRecord]) -> list[RetiredRecord]:
    """Return where the chunks whose ids changed went: to the new chunk that has most of their text."""
    there = {c.chunk.id for c in after}
    return [
        RetiredRecord(
            id=c.chunk.id,
            doc_id=short.id,
            path=short.path,
            span=c.chunk.span,
            successor=_successor(c, after),
            reason="changed",
        )
        for c in before
        if c.chunk.id not in there
    ]


def _successor(old: ChunkRecord, after: Sequence[ChunkRecord]) -> str | None:
    span = old.chunk.span
    if span is None:
        return None
    shared = [
        (min(span.end, c.chunk.span.end) - max(span.start, c.chunk.span.start), -c.chunk.ordinal, c.chunk.id)
        for c in after
        if c.chunk.span is not None
    ]
    best = max(shared, default=(0, 0, ""))
    return best[2] if best[0] > 0 else None
