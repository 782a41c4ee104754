"""Asking a collection: search, get, cite, pack, related. What `Library` offers to readers.

Every method opens the state before it loads what answers: that there is no collection is said at once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, get_args

from withgrain.errors import ContractMismatch, UsageError
from withgrain.model import Contract, Filter, Results

if TYPE_CHECKING:
    from withgrain.app.content import Around, Content
    from withgrain.search import After, Pack, Quote, Weights
    from withgrain.search.lazy import Lazy
    from withgrain.search.related import Related
    from withgrain.search.why import WhyNot
    from withgrain.types import Embedder, Snapshot, Tokenizer

Mode = Literal["hybrid", "lexical", "dense"]
Conditions = str | Sequence[str] | Filter | None
#: All numbers of a ranking, or some of them by name; None for the usual ones.
GivenWeights: TypeAlias = "Weights | Mapping[str, object] | None"

_ID = re.compile(r"[0-9a-f]{32}")
#: Hits that `Asking.pack` fills a budget with.
PACKED_HITS = 50


class _Opened(Protocol):
    """What the methods below need: a state to ask, and the embedder of its vectors."""

    def snapshot(self) -> Snapshot: ...

    def _embedder_of(self, contract: Contract) -> tuple[Embedder | None, str]: ...

    def _lazy_for(self, embedder: Embedder | None) -> Lazy | None: ...

    def _weights_for(self, embedder: Embedder | None, given: GivenWeights) -> Weights | None: ...

    def search(
        self, query: str, *, k: int, mode: Mode, filter: Conditions, after: After | None, weights: GivenWeights
    ) -> Results: ...

    def pack(  # as below
        self,
        query: str,
        *,
        max_tokens: int,
        k: int,
        mode: Mode,
        filter: Conditions,
        after: After | None,
        tokenizer: str | Tokenizer,
        weights: GivenWeights,
    ) -> Pack: ...


class Asking:
    """The reading half of `withgrain.app.Library`."""

    def search(
        self: _Opened,
        query: str,
        *,
        k: int = 10,
        mode: Mode = "hybrid",
        filter: Conditions = None,
        after: After | None = None,
        weights: GivenWeights = None,
    ) -> Results:
        """Return the best sections for a question, ranked and cited.

        Args:
            query: The question; may hold identifiers, quoted phrases and filters.
            k: How many hits at most.
            mode: ``hybrid`` | ``lexical`` | ``dense``; ``hybrid`` becomes ``lexical``, with a notice in the trace, when
                there are no vectors or no model to ask them with.
            filter: Conditions such as ``"domain=okta"``, or a `Filter`; all must hold.
            after: Reranking, expansion, collapsing, diversity; see `withgrain.search.After`.
            weights: The numbers of the ranking (`withgrain.search.Weights`), or those that are to be other than usual,
                by name: ``{"fusion": "rrf"}``.

        Raises:
            UsageError: Nothing was ingested yet, or the question, a filter or a weight cannot be used.
            ContractMismatch: ``dense`` with another embedder than the collection's.
        """
        snapshot = self.snapshot()
        from withgrain.search import search

        used, embedder, notice = usable(self, snapshot, mode)
        results = search(
            snapshot,
            query,
            k=k,
            mode=used,
            where=conditions(filter),
            embedder=embedder,
            after=after,
            weights=self._weights_for(embedder, weights),
            lazy=self._lazy_for(embedder),
        )
        if not notice:
            return results
        notices = [*results.trace.get("notices", ()), f"{notice} Searched by words only."]
        return replace(results, trace={**results.trace, "notices": notices})

    def pack(
        self: _Opened,
        query: str,
        *,
        max_tokens: int,
        k: int = PACKED_HITS,
        mode: Mode = "hybrid",
        filter: Conditions = None,
        after: After | None = None,
        tokenizer: str | Tokenizer = "wordpiece",
        weights: GivenWeights = None,
    ) -> Pack:
        """Return the best context for a question within a budget of tokens, cited; see `withgrain.search.pack`.

        Args:
            query: As `search`.
            max_tokens: The budget.
            k: How many hits the budget is filled with at most.
            mode: As `search`.
            filter: As `search`.
            after: As `search`.
            tokenizer: Whose tokens count.
            weights: As `search`.

        Raises:
            UsageError: As `search`, or a negative budget.
        """
        from withgrain.app.given import tokenizer_of
        from withgrain.search import pack

        found = self.search(query, k=k, mode=mode, filter=filter, after=after, weights=weights)
        return pack(found, max_tokens=max_tokens, tokenizer=tokenizer_of(tokenizer))

    def get(self: _Opened, id: str, *, around: Around = "none") -> Content:
        """Return a chunk, section or document by its id, or a place by its path; see `withgrain.app.content.get`.

        Raises:
            UsageError: Nothing has this id or path, or nothing was ingested yet.
        """
        snapshot = self.snapshot()
        from withgrain.app.content import get

        return get(snapshot, id, around=around)

    def cite(self: _Opened, quote: str, *, limit: int = 10) -> tuple[Quote, ...]:
        """Return where a quote stands, or the nearest text with the differences; see `withgrain.search.cite`.

        Raises:
            UsageError: The quote has no word or is too long, or nothing was ingested yet.
        """
        snapshot = self.snapshot()
        from withgrain.search import cite

        return cite(snapshot, quote, limit=limit)

    def related(self: _Opened, id: str, *, limit: int = 10, filter: Conditions = None) -> tuple[Related, ...]:
        """Return chunks that share keys with a chunk, or that it links to; see `withgrain.search.related`.

        Args:
            id: Id of a chunk, or what `get` takes for one: an id that it had, a place such as ``reset.md#4.2``.
            limit: Most chunks to return.
            filter: Conditions; all must hold.

        Raises:
            UsageError: There is no such chunk, or several, or nothing was ingested yet.
        """
        snapshot = self.snapshot()
        from withgrain.app.content import get
        from withgrain.search.related import related

        chunks = get(snapshot, id).chunks
        if len(chunks) != 1:
            some = ", ".join(c.id for c in chunks[:3])
            raise UsageError(f'"{id}" is {len(chunks)} chunks. Ask for what is related to one of them: {some}.')
        return related(snapshot, chunks[0].id, limit=limit, where=conditions(filter))

    def like(self: _Opened, example: str, *, k: int = 10, filter: Conditions = None) -> Results:
        """Return the chunks that are most like an example, ranked and cited; the example itself is left out.

        Args:
            example: The id of a chunk or document, the path of a document in the collection, a file, or a text.
            k: How many hits at most.
            filter: Conditions; all must hold.

        Raises:
            UsageError: The example is empty, or an id or a path that nothing has, or nothing was ingested yet.
            DocumentError: The file cannot be parsed.
        """
        snapshot = self.snapshot()
        from withgrain.app.content import get
        from withgrain.search.like import example_from, example_of, more_like

        if not example.strip():
            raise UsageError("There is no example: give an id, a file or a text.")
        found = example_of(snapshot, example)
        text = _text_of(example) if found is None else ""
        if text == example and _is_name(example):  # neither in the collection nor a file: an old id, or a misspelt path
            found = example_of(snapshot, get(snapshot, example).id)
        if found is None:
            _, embedder, _ = usable(self, snapshot, "hybrid")
            found = example_from(text, embedder)
        return more_like(snapshot, found, asked=example, k=k, where=conditions(filter))

    def why_not(
        self: _Opened,
        query: str,
        id: str,
        *,
        k: int = 10,
        mode: Mode = "hybrid",
        filter: Conditions = None,
        after: After | None = None,
        weights: GivenWeights = None,
        max_tokens: int | None = None,
        tokenizer: str | Tokenizer = "wordpiece",
    ) -> WhyNot:
        """Return why a section is not among the first ``k`` hits of a question; see `withgrain.search.why`.

        Args:
            query: As `search`.
            id: Id of a chunk, section or document, or a place such as ``reset.md#4.2``: of several chunks the best is
                explained.
            k: As `search`.
            mode: As `search`.
            filter: As `search`.
            after: As `search`.
            weights: As `search`.
            max_tokens: Explain a context of so many tokens, as `pack` makes it of ``k`` hits; None explains the hits.
            tokenizer: As `pack`.

        Raises:
            UsageError: As `search`, or a negative budget.
        """
        snapshot = self.snapshot()
        from withgrain.search.why import WhyNot, in_context, why_not

        used, embedder, _ = usable(self, snapshot, mode)
        try:
            chunks = _chunks_of(snapshot, id)
        except UsageError as error:
            return WhyNot(chunk_id=id, stage="unknown", advice=(str(error),))
        why = why_not(
            snapshot,
            query,
            chunks,
            k=k,
            mode=used,
            where=conditions(filter),
            embedder=embedder,
            after=after,
            weights=self._weights_for(embedder, weights),
            lazy=self._lazy_for(embedder),
        )
        if max_tokens is None:
            return why
        packed = self.pack(
            query,
            max_tokens=max_tokens,
            k=k,
            mode=mode,
            filter=filter,
            after=after,
            tokenizer=tokenizer,
            weights=weights,
        )
        return in_context(why, packed, max_tokens)


def _chunks_of(snapshot: Snapshot, id: str) -> tuple[str, ...]:
    """Return the ids of the chunks that an id or a place means; a retired id is itself.

    Raises:
        UsageError: Nothing has this id or path.
    """
    from withgrain.app.content import get

    if snapshot.chunks(ids=[id]) or snapshot.retired([id]):
        return (id,)
    return tuple(chunk.id for chunk in get(snapshot, id).chunks) or (id,)


def _text_of(example: str) -> str:
    """Return the text of a file of this name, else the example itself."""
    from withgrain.app.chunking import read

    with suppress(OSError, ValueError):  # a name too long, or with a NUL
        if Path(example).is_file():
            return read(Path(example)).text
    return example


def _is_name(example: str) -> bool:
    """Return whether an example can only be an id or the path of a document, and no text."""
    from withgrain.parse.registry import format_for

    return bool(_ID.fullmatch(example)) or (len(example.split()) == 1 and format_for(example) is not None)


def conditions(given: Conditions) -> Filter | None:
    """Return one filter of texts or a filter."""
    from withgrain.search import parse_filter

    texts = [given] if isinstance(given, str) else given
    return parse_filter(texts) if isinstance(texts, Sequence) else texts


def bound(scope: Conditions) -> Filter | None:
    """Return the filter of a scope; None only when none is given: an empty one would show everything.

    Raises:
        UsageError: The scope is empty or cannot be read.
    """
    if scope is None:
        return None
    from withgrain.search.filters import read_scope

    return read_scope(scope)


def usable(library: _Opened, snapshot: Snapshot, mode: Mode) -> tuple[Mode, Embedder | None, str]:
    """Return the mode that can be served, the embedder for it, and why it is another mode than asked for.

    Raises:
        UsageError: There is no such mode.
        ContractMismatch: ``dense``, and the library has another embedder than the collection.
    """
    if mode not in get_args(Mode):
        raise UsageError(f'The mode is "{mode}"; use one of: {", ".join(get_args(Mode))}.')
    if mode == "lexical" or not snapshot.contract.dims:
        return mode, None, ""
    embedder, notice = library._embedder_of(snapshot.contract)
    if notice and mode == "dense":
        raise ContractMismatch(f"{notice} Use the embedder that it was made with, or mode lexical.")
    return ("lexical" if notice else mode), embedder, notice
