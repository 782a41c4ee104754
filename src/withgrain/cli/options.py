"""Options that several commands share, and the settings that they resolve to."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import fields, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from withgrain import config
from withgrain.config import Resolved, Settings
from withgrain.errors import UsageError

if TYPE_CHECKING:
    from withgrain.chunk import Policy
    from withgrain.embed import Endpoint
    from withgrain.types import Embedder as EmbedderObject


#: No honest weights are longer, not even beside all that ``tune --json`` prints with them.
_LONGEST_WEIGHTS = 1024 * 1024


class VectorsName(StrEnum):
    """When vectors are made."""

    auto = "auto"
    eager = "eager"
    lazy = "lazy"


Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing on stderr but errors.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Say more on stderr; show tracebacks.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, one versioned shape.")]
Collection = Annotated[
    str | None,
    typer.Option("--collection", "-c", metavar="DIR", help="Directory of the collection.", show_default=".withgrain"),
]
AsOf = Annotated[
    str | None,
    typer.Option(
        "--as-of",
        metavar="VERSION|TIME",
        help="Read a kept older state: a number of `collection history`, or a time.",
    ),
]
PolicyName = Annotated[
    str | None, typer.Option("--policy", "-p", metavar="NAME", help="How to cut.", show_default="structure_aware")
]
MaxTokens = Annotated[
    int | None,
    typer.Option("--max-tokens", min=1, metavar="N", help="Largest chunk, in tokens.", show_default="by policy"),
]
TokenizerSpec = Annotated[
    str | None,
    typer.Option(
        "--tokenizer",
        metavar="SPEC",
        help="Whose tokens count: words, wordpiece, cl100k_base, o200k_base, a tokenizer.json or module:function.",
        show_default="wordpiece",
    ),
]
Embedder = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        metavar="NAME",
        help="minilm, static (fast, coarser), none (words only), openai:MODEL (a server), or one of another package.",
        show_default="minilm",
    ),
]
Vectors = Annotated[
    VectorsName | None,
    typer.Option(
        "--vectors",
        help="eager: ingest makes them; lazy: ingest stores words, a search makes those of its first candidates; auto: "
        "eager, but lazy for minilm in a collection of more than 20,000 chunks.",
        show_default="auto",
    ),
]
Include = Annotated[
    list[str] | None,
    typer.Option("--include", metavar="PATTERN", help="Only files that match (as in .gitignore); repeatable."),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option("--exclude", metavar="PATTERN", help="No files that match (as in .gitignore); repeatable."),
]
Scope = Annotated[
    list[str] | None,
    typer.Option(
        "--scope",
        metavar="EXPRESSION",
        help="Nothing outside this filter can be seen (tenant=a means that label); repeatable (all must hold).",
    ),
]
Label = Annotated[
    list[str] | None,
    typer.Option("--label", metavar="KEY=VALUE", help="Label of every document of this run; repeatable."),
]


def settings(**flags: object) -> Settings:
    """Return the settings of this run; a flag that is None or an empty list was not given.

    Raises:
        ConfigError: A configuration file or variable is wrong.
        UsageError: A label is not of the form key=value.
    """
    return resolve(**flags).settings


def resolve(**flags: object) -> Resolved:
    """Return the settings of this run with their origins; see `settings`."""
    given = {name: value for name, value in flags.items() if value is not None and value != []}
    if "" in given.values():
        name = next(name for name, value in given.items() if value == "")
        raise UsageError(f"--{name} is empty. Give it a value, or leave it out.")
    labels = given.get("labels")
    if isinstance(labels, list):
        try:
            given["labels"] = config.pairs(labels)
        except ValueError:
            raise UsageError(f"--label {' '.join(labels)}: a label is written key=value.") from None
    for name in ("include", "exclude"):
        patterns = given.get(name)
        if isinstance(patterns, list):
            given[name] = tuple(patterns)
    return config.load(given)


def chosen_policy(chosen: Settings) -> Policy:
    """Return the policy of the settings, with the user's detectors and scaled to ``max_tokens`` where these are set."""
    from withgrain.chunk import POLICIES, policy

    named = policy(chosen.policy, POLICIES | {name: one.policy for name, one in chosen.policies.items()})
    if chosen.signals is not None:
        named = replace(named, signals=chosen.signals)
    return named if chosen.max_tokens is None else named.with_maximum(chosen.max_tokens)


def endpoint(chosen: Settings) -> Endpoint:
    """Return the server of an ``openai:`` embedder, as the settings describe it."""
    from withgrain.embed import Endpoint

    return Endpoint(**{f.name: getattr(chosen, f"openai_{f.name}") for f in fields(Endpoint)})


def lazy(chosen: Settings) -> int | None:
    """Return for how many candidates a search makes missing vectors; None where the size of the collection decides."""
    return {"lazy": chosen.lazy_candidates, "eager": 0}.get(chosen.vectors)


def weights(chosen: Settings, given: str | None = None, fusion: str | None = None) -> dict[str, object] | None:
    """Return the weights of a search by name: those of the settings, then those of the flags; None for the usual ones.

    Args:
        chosen: The settings.
        given: JSON, or a file of it: an object of weights, or what ``tune --json`` printed, which has one.
        fusion: How channels are put together.

    Raises:
        UsageError: There is no such file, or no such object in it.
    """
    found = {**chosen.search, **(_read_weights(given) if given is not None else {})}
    return (found | ({"fusion": fusion} if fusion else {})) or None


def _read_weights(given: str) -> dict[str, object]:
    text, name = given, "--weights"
    if not given.lstrip().startswith("{"):
        name = f"--weights {given[:200]}"
        try:
            with Path(given).open(encoding="utf-8") as file:
                text = file.read(_LONGEST_WEIGHTS + 1)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is no text"
            raise UsageError(f"{name}: the file cannot be read: {reason}. Give a file, or JSON in braces.") from None
    try:
        value = json.loads(text) if len(text) <= _LONGEST_WEIGHTS else None
    except (ValueError, RecursionError):
        raise UsageError(f'{name}: this is no JSON. Write for example: {{"fusion": "rrf"}}.') from None
    if isinstance(value, dict) and "weights" in value:
        value = value["weights"]
    if not isinstance(value, dict):
        raise UsageError(f'{name}: an object of weights must stand there. Write for example: {{"fusion": "rrf"}}.')
    return value


def embedder(chosen: Settings) -> str | EmbedderObject:
    """Return what a policy that cuts at topics sees them with; a server is set up only where one is asked."""
    if not chosen.embedder.startswith("openai:") or not chosen_policy(chosen).topics:
        return chosen.embedder
    from withgrain.embed import load_embedder

    return load_embedder(chosen.embedder, endpoint=endpoint(chosen)) or chosen.embedder


def labels(chosen: Settings) -> tuple[str, ...]:
    """Return the labels as ``key=value``."""
    return tuple(f"{key}={value}" for key, value in chosen.labels)


def described(command: Callable[..., None]) -> str:
    """Return the help of a command: its docstring, each paragraph on one line, brackets not taken for markup."""
    paragraphs = (inspect.getdoc(command) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs).replace("[", "\\[")


def examples(*lines: str) -> str:
    """Return an epilog that shows commands to type."""
    return "\n\n".join(("Examples:", *(f"  {line}".replace("[", "\\[") for line in lines)))
