"""Where the collections of a study come from: stored ones, or scratch ones made from documents, one for each policy."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from withgrain.errors import UsageError
from withgrain.evaluate.study import Subject
from withgrain.ingest import FileRules, IngestSettings, ingest
from withgrain.types import Embedder, Progress, Tokenizer

if TYPE_CHECKING:
    from withgrain.chunk import Policy
    from withgrain.embed import Endpoint
    from withgrain.ingest import IngestReport

#: Where scratch collections of one folder share their vectors: equal texts are embedded once, whatever the policy.
CACHE_FILE = "embeddings.sqlite"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scratch:
    """How scratch collections are made.

    Attributes:
        documents: Folders and files.
        embedder: Makes the vectors; None for collections with words only.
        tokenizer: Whose tokens the policies count.
        rules: Which files count.
        place: Directory that keeps collections and vectors for the next time; None for a temporary one.
        domains: Path pattern and domain, as for an ingest.
        progress: Told how it goes on.
    """

    documents: tuple[Path, ...]
    embedder: Embedder | None
    tokenizer: Tokenizer
    rules: FileRules = field(default_factory=FileRules)
    place: Path | None = None
    domains: tuple[tuple[str, str], ...] = ()
    progress: Progress | None = None

    def folder(self) -> AbstractContextManager[str]:
        """Return the directory to work in, which is deleted afterwards when it is a temporary one."""
        return TemporaryDirectory(prefix="withgrain-eval-") if self.place is None else nullcontext(str(self.place))


def stored(path: Path, name: str, *, vectors: bool = True, endpoint: Endpoint | None = None) -> Subject:
    """Return the collection in a directory, to be asked with the embedder that made it.

    Args:
        path: The directory.
        name: How the report calls it.
        vectors: Whether its vectors may be used; without them no model is loaded.
        endpoint: The server of an ``openai:`` embedder; as the environment says when None.

    Raises:
        UsageError: There is no collection, or it is empty.
    """
    from withgrain.embed import load_embedder, spec_of
    from withgrain.store import open_store

    snapshot = open_store(path).snapshot()
    if snapshot is None:
        raise UsageError(
            f'The collection "{name}" is empty or does not exist. Fill it first: withgrain ingest PATH -c {name}'
        )
    embedder = None
    contract = snapshot.contract
    if vectors and contract.dims:
        embedder = load_embedder(spec_of(contract.embedder), endpoint=endpoint, dims=contract.dims)
    return Subject(name=name, snapshot=snapshot, embedder=embedder, path=path)


def made(policies: Sequence[Policy], scratch: Scratch, folder: Path) -> list[tuple[Subject, IngestReport]]:
    """Ingest the documents once for each policy; texts that were embedded before are not embedded again."""
    from withgrain.store import open_store

    results = []
    for policy in policies:
        kind = "words" if scratch.embedder is None else scratch.embedder.id
        path = folder / f"{policy.name}-{policy.fingerprint}-{kind}"
        settings = IngestSettings(
            policy=policy,
            tokenizer=scratch.tokenizer,
            embedder=scratch.embedder,
            topic_embedder=_topic_embedder(policy) if scratch.embedder is None else None,
            cache=folder / CACHE_FILE,
            rules=scratch.rules,
            domains=scratch.domains,
            progress=scratch.progress,
        )
        store = open_store(path)
        report = ingest(store, list(scratch.documents), settings)
        snapshot = store.snapshot()
        if snapshot is None:
            raise UsageError("There is no document of a known format to evaluate. Check --docs and --include.")
        results.append((Subject(name=policy.name, snapshot=snapshot, embedder=scratch.embedder, path=path), report))
    return results


def _topic_embedder(policy: Policy) -> Embedder | None:
    """Return what a policy that cuts at topics sees them with, where only words are compared; None for the others."""
    from withgrain.embed import load_embedder

    return load_embedder("minilm") if policy.topics else None
