"""The numbers of ranking, as data: a value to name, to store with a policy, and to compare in an evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from difflib import get_close_matches
from typing import Any, Literal

from withgrain.errors import UsageError
from withgrain.types import Embedder

Fusion = Literal["zscore", "rrf"]

#: Larger numbers mean nothing more, and sums of them have no number.
_MOST = 1_000_000
_WORDS: dict[type, str] = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How the channels are scored and put together. The defaults were chosen on development questions.

    Attributes:
        lexical: Weight of BM25 over chunks.
        dense: Weight of the cosine of the best leaf.
        document: Weight of BM25 over documents.
        synonyms: How much other words for an operation or entity of the question count beside its own, 0 to 1.
        fusion: ``zscore`` adds weighted standard scores; ``rrf`` adds weighted reciprocal ranks.
        late: Weight, among the first candidates, of the nearness of tokens beside the score of all channels; where the
            collection keeps token vectors.
        late_candidates: How many candidates are the first ones.
        exact: Whether chunks that have the query's identifiers literally come first.
        candidates: How many chunks each channel may propose.
        k1: BM25: how fast repetition of a term stops to count.
        b: BM25: how much length counts, 0 to 1.
        rrf_constant: The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009: 60).
    """

    lexical: float = 1.0
    dense: float = 1.0
    document: float = 0.25
    synonyms: float = 0.0
    fusion: Fusion = "zscore"
    late: float = 1.0
    late_candidates: int = 30
    exact: bool = True
    candidates: int = 300
    k1: float = 1.2
    b: float = 0.75
    rrf_constant: int = 60

    @classmethod
    def of(cls, embedder: Embedder | None) -> Weights:
        """Return the weights for an embedder: one whose vectors count less has an attribute ``dense_weight``."""
        return cls(dense=getattr(embedder, "dense_weight", 1.0))

    def having(self, values: Mapping[str, object]) -> Weights:
        """Return the weights with some of them changed, by name, as they come from JSON or TOML.

        Raises:
            UsageError: A name that no weight has (with the nearest one), or a value of the wrong type or range.
        """
        changed: dict[str, Any] = {}
        for name, value in values.items():
            own = getattr(self, name) if name in _names() else None
            if own is None:
                near = get_close_matches(str(name), _names(), n=1)
                hint = f'Did you mean "{near[0]}"?' if near else f"There are: {', '.join(_names())}."
                raise UsageError(f'There is no search weight "{str(name)[:80]}". {hint}')
            given = type(value)
            if given is not type(own) and not (given is int and type(own) is float):
                shown = _shown(value) if isinstance(value, int | float) else repr(value)[:80]
                raise UsageError(f'The search weight "{name}" is {shown}; it must be {_WORDS[type(own)]}.')
            changed[name] = value
        return replace(self, **changed)

    def changes(self, default: Weights) -> dict[str, Any]:
        """Return what is other than in ``default``, by name: what `having` makes these weights of it with."""
        own, others = asdict(self), asdict(default)
        return {name: value for name, value in own.items() if value != others[name]}

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing.

        Raises:
            UsageError: A weight is negative or no number, or another value is out of its range.
        """
        for name in ("lexical", "dense", "document", "synonyms", "late", "k1"):
            value = getattr(self, name)
            if not 0 <= value <= _MOST:
                raise UsageError(f'The search weight "{name}" is {_shown(value)}; it must be from 0 to {_MOST:,}.')
        if not 0 <= self.b <= 1:
            raise UsageError(f'The search weight "b" is {_shown(self.b)}; it must be from 0 to 1.')
        for name in ("candidates", "late_candidates", "rrf_constant"):
            value = getattr(self, name)
            if not 1 <= value <= _MOST:
                raise UsageError(f'The search weight "{name}" is {_shown(value)}; it must be from 1 to {_MOST:,}.')
        if self.fusion not in ("zscore", "rrf"):
            raise UsageError(f'The fusion is "{self.fusion}"; use "zscore" or "rrf".')


def _names() -> tuple[str, ...]:
    return tuple(one.name for one in fields(Weights))


def _shown(value: float) -> str:
    """Return a number for a message; one of thousands of digits cannot be printed."""
    return "beyond measure" if abs(value) >= 1e30 else f"{value}"
