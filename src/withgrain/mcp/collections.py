"""The collections that a server was started with, and one consistent view of each for every call."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from withgrain.errors import ConfigError, UsageError
from withgrain.mcp.outline import headings, parsed
from withgrain.mcp.sanitise import label
from withgrain.model import Contract, DocumentRecord, Filter, stored_path

if TYPE_CHECKING:
    from withgrain.app import Library
    from withgrain.app.newest import Newest
    from withgrain.embed import Endpoint
    from withgrain.types import Embedder, Snapshot, Store, Tokenizer, Writer

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9._-]+")


def named(arguments: Sequence[str]) -> dict[str, Path]:
    """Return the directories of ``DIR`` and ``NAME=DIR`` arguments by name; a plain one has its directory's name.

    Raises:
        UsageError: A name that cannot be used, two equal names, or no directory there.
    """
    found: dict[str, Path] = {}
    for argument in arguments:
        name, sign, place = argument.partition("=")
        if not sign or Path(argument).exists():
            name, place = _own_name(Path(argument)), argument
        if not _NAME.fullmatch(name):
            raise UsageError(f'"{name}" cannot name a collection: use up to 64 letters, digits, ".", "_" or "-".')
        if name in found:
            raise UsageError(f'Two collections are named "{name}". Name them: -c NAME=DIR.')
        if not Path(place).is_dir():
            raise UsageError(f'There is no collection "{place}". Make it first: withgrain ingest PATH -c {place}')
        found[name] = Path(place)
    return found


def _own_name(path: Path) -> str:
    return _NOT_IN_NAME.sub("-", path.resolve().name).strip("._-")[:64] or "collection"


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One state of one collection; nothing that is committed later changes it.

    Attributes:
        name: Name of the collection.
        snapshot: The state.
        library: Searches that state.
        tokenizer: Counts the tokens of answers.
        owners: Documents of sections by id, as far as they were looked up in this state.
    """

    name: str
    snapshot: Snapshot
    library: Library
    tokenizer: Tokenizer
    owners: dict[str, str]

    def document(self, asked: str) -> DocumentRecord | None:
        """Return the document with this path, uri or id, with its text; None when there is none."""
        path = stored_path(asked)
        for known in self.snapshot.documents():
            if asked == known.id or path in known.names:
                return self.snapshot.document(known.id)
        return None

    def owner_of_section(self, id: str) -> DocumentRecord | None:
        """Return the document that has a section with this id, with its text; None when none has.

        A section without text of its own, that holds only others, is looked for document by document; what was read is
        remembered as long as the state is held.
        """
        inside = self.snapshot.sections(id)
        if inside:
            return self.snapshot.document(inside[0].chunk.doc_id)
        read = set(self.owners.values())
        for known in self.snapshot.documents():
            if id in self.owners:
                break
            record = self.snapshot.document(known.id) if known.id not in read else None
            if record is not None:
                self.owners.update((heading.id, record.id) for heading in headings(parsed(record)))
        return self.snapshot.document(self.owners[id]) if id in self.owners else None

    def nearest_paths(self, asked: str) -> list[str]:
        """Return up to three paths that look like ``asked``."""
        wanted = asked[:300].casefold()
        paths = {d.path.casefold(): d.path for d in self.snapshot.documents()}
        by_name = {Path(folded).name: path for folded, path in paths.items()}
        near = [paths[n] for n in get_close_matches(wanted, paths, n=3, cutoff=0.6)]
        near += [by_name[n] for n in get_close_matches(Path(wanted).name, by_name, n=3, cutoff=0.7)]
        return list(dict.fromkeys(near))[:3]


class States:
    """The collections on disk: opened when first asked, each newest state kept until a newer one is committed.

    Shared by everyone whom one server serves; knows no scope and hands nothing out but to `Collections`.
    """

    def __init__(
        self,
        places: Mapping[str, Path],
        *,
        embedder: str = "minilm",
        endpoint: Endpoint | None = None,
        lazy: int | None = None,
        weights: Mapping[str, object] | None = None,
    ) -> None:
        """Nothing is opened yet.

        Args:
            places: Directories by name, in the order of answers.
            embedder: ``none`` searches by words only.
            endpoint: The server of an ``openai:`` embedder; as the environment says when None.
            lazy: For how many candidates a search makes vectors that are missing; as `withgrain.app.open`.
            weights: Numbers of the ranking that are to be other than usual; a client cannot choose them.
        """
        self.places = {name: place.absolute() for name, place in places.items()}
        self.lock = RLock()
        self._embedder = embedder
        self._endpoint = endpoint
        self.lazy = lazy
        self.weights = weights
        self._stores: dict[str, Store] = {}
        self._held: dict[str, Newest] = {}
        self._embedders: dict[str, Embedder | None] = {}
        self._tokenizer: Tokenizer | None = None

    def newest(self, name: str) -> Snapshot | None:
        """Return the held state, which remembers what it has read, or the newest one when it has moved on."""
        from withgrain.app.newest import Newest
        from withgrain.store import open_store

        if name not in self._stores:
            self._stores[name] = open_store(self.places[name])
        return self._held.setdefault(name, Newest()).of(self._stores[name])

    def forget(self) -> None:
        """Let go of every state; the next call opens the newest ones. For when stored files have gone."""
        self._held.clear()
        self._stores.clear()

    def embedder_of(self, contract: Contract) -> Embedder | None:
        """Return what embeds questions for a collection; None where it is searched by words only."""
        from withgrain.embed import load_embedder, spec_of

        spec = spec_of(contract.embedder)
        if self._embedder == "none" or not contract.dims:
            return None
        if spec not in self._embedders:
            try:
                self._embedders[spec] = load_embedder(spec, endpoint=self._endpoint, dims=contract.dims)
            except ConfigError:  # not one of ours: the search says that it goes by words only
                self._embedders[spec] = None
        return self._embedders[spec]

    def tokenizer(self) -> Tokenizer:
        """Return what counts the tokens of answers."""
        from withgrain.tokens import load_tokenizer

        if self._tokenizer is None:
            self._tokenizer = load_tokenizer("wordpiece")
        return self._tokenizer


class Collections:
    """The collections as one reader may see them: some of them by name, each inside a scope."""

    def __init__(self, states: States, *, names: Sequence[str] = (), scope: Filter | None = None) -> None:
        """``names``: those that the reader may see, all when empty. ``scope``: nothing outside it is ever shown."""
        self._states = states
        self._scope = scope
        self._names = tuple(name for name in states.places if not names or name in names)
        self._views: dict[str, View] = {}
        self._raw: dict[str, Snapshot] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the collections."""
        return self._names

    @property
    def lock(self) -> RLock:
        """Held during a call: the memory of a state is not made for several at once."""
        return self._states.lock

    def views(self, name: str = "") -> tuple[View, ...]:
        """Return the newest state of one collection, or of all when ``name`` is empty.

        Raises:
            UsageError: There is no such collection, or nothing was ingested into it.
        """
        if name and name not in self._names:
            near = get_close_matches(name, self._names, n=1)
            hint = f' Did you mean "{near[0]}"?' if near else ""
            raise UsageError(f'There is no collection "{label(name, 60)}".{hint} There is: {", ".join(self._names)}.')
        return tuple(self._view(n) for n in ([name] if name else self._names))

    def forget(self) -> None:
        """Let go of every state; the next call opens the newest ones."""
        self._views.clear()
        self._raw.clear()
        self._states.forget()

    def without_places(self, message: str) -> str:
        """Return an error message with the names of collections instead of where they are on this machine."""
        for name, place in self._states.places.items():
            shown = f"collection {name}" if name in self._names else "a collection"
            for spelled in sorted({str(place), str(place.resolve())}, key=len, reverse=True):
                message = re.sub(rf"(?<![\w./-]){re.escape(spelled)}(?![\w-])", shown, message)
        return message

    def _view(self, name: str) -> View:
        from withgrain.app import Library
        from withgrain.search.scoped import scoped

        raw = self._states.newest(name)
        if raw is None:
            self._views.pop(name, None)
            others = ", ".join(other for other in self.names if other != name)
            hint = f" There is: {others}." if others else ""
            raise UsageError(f'Nothing was ingested into the collection "{name}" yet, or it was removed.{hint}')
        if self._raw.get(name) is not raw:
            self._raw[name] = raw
            snapshot = scoped(raw, self._scope)
            embedder = self._states.embedder_of(raw.contract)
            place, pinned = self._states.places[name], _Pinned(snapshot)
            library = Library(
                place,
                embedder=embedder or "none",
                store=pinned,
                lazy=self._states.lazy,
                weights=self._states.weights,
            )
            self._views[name] = View(
                name=name, snapshot=snapshot, library=library, tokenizer=self._states.tokenizer(), owners={}
            )
        return self._views[name]


class _Pinned:
    """A store that knows one state, so that all of one call reads the same."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def contract(self) -> Contract:
        return self._snapshot.contract

    def snapshot(self) -> Snapshot:
        return self._snapshot

    def writer(self, contract: Contract) -> Writer:
        raise UsageError("The server is read-only.")
