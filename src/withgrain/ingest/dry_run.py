"""What an ingest would do: everything but embedding and writing."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from withgrain.errors import DocumentError
from withgrain.ingest.explaining import explain
from withgrain.ingest.plan import Action, Plan
from withgrain.ingest.prepare import Prepared, Recipe, WordsLost
from withgrain.ingest.preparing import Outcome, prepare_all
from withgrain.ingest.report import DryRun, PlannedAction
from withgrain.ingest.run import opened_cache
from withgrain.ingest.settings import IngestSettings
from withgrain.ingest.tally import Tally
from withgrain.types import Embedder, TokenEmbedder

if TYPE_CHECKING:
    from withgrain.embed import EmbeddingCache

#: Tokens that the bundled model embeds in a second of one core (about 20 texts of 217 tokens), for estimates.
TOKENS_PER_SECOND = 4_000


def rehearse(plan: Plan, recipe: Recipe, settings: IngestSettings, tally: Tally) -> DryRun:
    """Read and cut what changed, look up the cache, and say what would be done."""
    started = time.monotonic()
    work = [a for a in plan.of("add", "update", "rename") if not a.listing]
    actions: list[PlannedAction] = []
    place = settings.cache if settings.embedder and settings.cache and settings.cache.is_file() else None
    with opened_cache(place) as cache:
        for number, (action, outcome) in enumerate(prepare_all(work, recipe, settings)):
            if settings.progress is not None:
                settings.progress.update("chunk", number, len(work), action.uri)
            actions.append(_rehearse_one(action, outcome, settings, tally, cache))
    for action in plan.of("fail", "skip"):
        tally.left(action)
        actions.append(PlannedAction(action=action.name, uri=action.uri, reason=action.reason))
    for action in plan.of("delete"):
        tally.done(action)
        actions.append(PlannedAction(action=action.name, uri=action.uri))
    for action in plan.of("copy"):
        tally.done(action)
        if not action.settled:
            actions.append(PlannedAction(action=action.name, uri=action.uri, reason=action.reason))
    for action in plan.of("update"):
        if action.listing:
            tally.done(action)
            actions.append(PlannedAction(action=action.name, uri=action.uri, reason="only its list of copies changes"))
    if settings.lazy_with(tally.kept(plan) + sum(a.chunks for a in actions)):
        actions = [replace(a, tokens=0, leaves=0) for a in actions]
    tokens = sum(a.tokens for a in actions)
    return DryRun(
        actions=tuple(sorted(actions, key=lambda a: (a.uri, a.action))),
        tokens=tokens,
        leaves=sum(a.leaves for a in actions),
        seconds=_estimate(time.monotonic() - started, tokens, settings),
        refusal="" if settings.force else plan.refusal,
    )


def _rehearse_one(
    action: Action, outcome: Outcome, settings: IngestSettings, tally: Tally, cache: EmbeddingCache | None
) -> PlannedAction:
    if isinstance(outcome, DocumentError):
        if isinstance(outcome, WordsLost):
            tally.words_lost += outcome.words
        failed = Action(name="fail", uri=action.uri, known=action.known, reason=explain(outcome, action.uri))
        tally.left(failed)
        return PlannedAction(action="fail", uri=action.uri, reason=failed.reason)
    tally.done(action, outcome)
    texts = _to_embed(outcome, settings.embedder, cache)
    embedder = settings.embedder
    return PlannedAction(
        action=action.name,
        uri=action.uri,
        reason=action.known.uri if action.name == "rename" and action.known is not None else "",
        chunks=len(outcome.chunks),
        tokens=sum(embedder.tokenizer.count_many(texts)) if embedder else 0,
        leaves=len(texts),
    )


def _to_embed(prepared: Prepared, embedder: Embedder | None, cache: EmbeddingCache | None) -> list[str]:
    """Return the distinct leaf texts that are not in the cache."""
    texts = list(dict.fromkeys(leaf.text for leaf in prepared.leaves))
    if embedder is None or cache is None:
        return texts
    from withgrain.embed import known

    there = known(embedder, cache, texts, tokens=isinstance(embedder, TokenEmbedder))
    return [text for text in texts if text not in there]


def _estimate(cutting: float, tokens: int, settings: IngestSettings) -> float | None:
    """Return seconds: the cutting as it was just measured, and the embedding by the rate of the bundled model."""
    if settings.embedder is not None and settings.embedder.id != "minilm":
        return None
    return round(cutting + tokens / TOKENS_PER_SECOND, 1)
