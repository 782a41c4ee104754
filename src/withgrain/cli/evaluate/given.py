"""Options that the commands of evaluation share, and the questions and collections that they name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from withgrain.config import Settings
from withgrain.errors import UsageError

if TYPE_CHECKING:
    from withgrain.chunk import Policy
    from withgrain.cli.talk import Talk
    from withgrain.evaluate import Problem, QuestionFile, Subject
    from withgrain.types import Progress

    MaybeProgress = Progress | None

Questions = Annotated[
    list[Path],
    typer.Argument(metavar="QUESTIONS", help="Question files: JSON lines, or CSV.", show_default=False),
]
Collections = Annotated[
    list[str] | None,
    typer.Option(
        "--collection",
        "-c",
        metavar="DIR",
        help="Collection to ask; repeatable, the first one is the baseline.",
        show_default=".withgrain",
    ),
]
Policies = Annotated[
    list[str] | None,
    typer.Option("--policy", "-p", metavar="NAME", help="Policy to try on the documents of --docs; repeatable."),
]
Docs = Annotated[
    list[Path] | None,
    typer.Option("--docs", metavar="PATH", help="Documents to cut under each policy; repeatable."),
]
ScratchPlace = Annotated[
    Path | None,
    typer.Option("--scratch", metavar="DIR", help="Keep the collections made for --policy, and their vectors, here."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What the options name.

    Attributes:
        collections: Stored collections.
        policies: Names of policies to try.
        docs: Documents to try them on.
        settings: The other settings.
        vectors: Whether vectors are needed at all.
        scratch: Where scratch collections are kept; None throws them away.
    """

    collections: tuple[str, ...]
    policies: tuple[str, ...]
    docs: tuple[Path, ...]
    settings: Settings
    vectors: bool
    scratch: Path | None = None


def question_file(paths: Sequence[Path]) -> QuestionFile:
    """Return the questions of the files.

    Raises:
        UsageError: There is none that can be used.
    """
    from withgrain.evaluate import read_questions

    found = read_questions(*paths)
    if not found.questions:
        why = "; ".join(str(p) for p in found.problems[:3])
        raise UsageError(f"There is no question to ask: {why}.")
    return found


@contextmanager
def subjects(
    chosen: Chosen, talk: Talk, progress: MaybeProgress
) -> Iterator[tuple[list[Subject], tuple[Problem, ...]]]:
    """Open the stored collections and make the scratch ones; yields them with the documents that failed.

    Raises:
        UsageError: Options that do not go together, or a collection that is not there.
    """
    from withgrain.cli.options import endpoint
    from withgrain.evaluate import Problem
    from withgrain.evaluate.subjects import made, stored

    _check(chosen)
    names = chosen.collections or (() if chosen.policies else (chosen.settings.collection,))
    server = endpoint(chosen.settings)
    found = [
        weighted(stored(Path(name), name, vectors=chosen.vectors, endpoint=server), chosen.settings) for name in names
    ]
    if not chosen.policies:
        yield found, ()
        return
    scratch = scratch_for(chosen, progress)
    with scratch.folder() as folder:
        problems = []
        for subject, report in made([policy_named(n, chosen.settings) for n in chosen.policies], scratch, Path(folder)):
            found.append(weighted(subject, chosen.settings))
            talk.detail(f"{subject.name}: {report.chunks:,} chunks, {report.embedded:,} embedded")
            problems += [Problem(file=f.uri, line=0, message=f.reason) for f in report.failures]
        yield found, tuple(dict.fromkeys(problems))


def scratch_for(chosen: Chosen, progress: MaybeProgress) -> ScratchOf:
    """Return how scratch collections are made under these options."""
    from withgrain.cli.options import endpoint
    from withgrain.embed import load_embedder
    from withgrain.evaluate.subjects import Scratch
    from withgrain.ingest import FileRules
    from withgrain.tokens import load_tokenizer

    settings = chosen.settings
    return Scratch(
        documents=chosen.docs,
        embedder=load_embedder(settings.embedder, endpoint=endpoint(settings)) if chosen.vectors else None,
        tokenizer=load_tokenizer(settings.tokenizer),
        rules=FileRules(include=settings.include, exclude=settings.exclude, max_bytes=settings.max_bytes),
        place=chosen.scratch,
        domains=settings.domains,
        progress=progress,
    )


if TYPE_CHECKING:
    from withgrain.evaluate.subjects import Scratch as ScratchOf


def weighted(subject: Subject, settings: Settings) -> Subject:
    """Return a collection that is searched with the weights of the settings, as `withgrain search` does."""
    from withgrain.search import Weights

    if not settings.search:
        return subject
    return replace(subject, weights=Weights.of(subject.embedder).having(settings.search))


def policy_named(name: str, settings: Settings) -> Policy:
    """Return a policy, scaled to ``max_tokens`` where that is set."""
    from withgrain.cli.options import chosen_policy

    return chosen_policy(replace(settings, policy=name))


def _check(chosen: Chosen) -> None:
    if chosen.policies and not chosen.docs:
        raise UsageError("--policy needs documents to cut: add --docs DIR.")
    if chosen.docs and not chosen.policies:
        raise UsageError("--docs needs at least one --policy to cut them with.")
    names = (*chosen.collections, *chosen.policies)
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice is not None:
        raise UsageError(f'"{twice}" is given twice; each collection and policy is compared once.')
    for path in chosen.docs:
        if not path.exists():
            raise UsageError(f"--docs: there is no file or folder {path}.")
