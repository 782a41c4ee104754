"""``withgrain tune``: search for better settings on half of the questions, and report on the other half."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from withgrain.cli import options
from withgrain.cli.evaluate import given
from withgrain.cli.screen import Screen, write_json
from withgrain.cli.search import Mode
from withgrain.cli.talk import Talk, one_line
from withgrain.errors import UsageError

if TYPE_CHECKING:
    from withgrain.evaluate import Subject
    from withgrain.evaluate.tuning import Tuned

EPILOG = options.examples(
    "withgrain tune questions.jsonl -c kb", "withgrain tune questions.jsonl --docs docs/ --mode lexical --json"
)


def tune(
    ctx: typer.Context,
    questions: given.Questions,
    collection: options.Collection = None,
    docs: given.Docs = None,
    policy: options.PolicyName = None,
    mode: Annotated[Mode, typer.Option("--mode", "-m", help="Which channels answer.")] = Mode.hybrid,
    metric: Annotated[str, typer.Option("--metric", metavar="NAME", help="What to improve.")] = "R@8k",
    embedder: options.Embedder = None,
    scratch: given.ScratchPlace = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Search for better settings on one half of the questions; believe only what the other half says.

    With -c, the weights of the search are varied over a collection as it is; with --docs also policies and sizes. The
    answer may be to keep the default.
    """
    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    if collection and docs:
        raise UsageError("Give either --collection or --docs.")
    from withgrain.evaluate.tuning import tune as search_settings

    file = given.question_file(questions)
    chosen = given.Chosen(
        collections=(collection,) if collection else (),
        policies=(),
        docs=tuple(docs or ()),
        settings=options.settings(policy=policy, embedder=embedder),
        vectors=mode is not Mode.lexical,
        scratch=scratch,
    )
    with talk.progress() as progress, _settings(chosen, talk, progress) as subjects:
        found = search_settings(subjects, file.questions, mode=mode.value, metric=metric, progress=progress)
    if as_json:
        write_json(_shape(found, metric))
    else:
        _show(Screen(), found, metric)
    for problem in file.problems:
        talk.error(one_line(f"left out: {problem}"))
    raise typer.Exit(4 if file.problems else 0)


COMMAND = tune


@contextmanager
def _settings(chosen: given.Chosen, talk: Talk, progress: given.MaybeProgress) -> Iterator[dict[str, Subject]]:
    """Yield every setting to try by name, the default first."""
    from withgrain.evaluate.subjects import made
    from withgrain.evaluate.tuning import policy_candidates

    if not chosen.docs:
        with given.subjects(chosen, talk, progress) as (subjects, _):
            yield _varied(subjects[0])
        return
    scratch = given.scratch_for(chosen, progress)
    default = given.policy_named(chosen.settings.policy, chosen.settings)
    others = policy_candidates(default)
    with scratch.folder() as folder:
        found = [
            given.weighted(subject, chosen.settings)
            for subject, _ in made([default, *others.values()], scratch, Path(folder))
        ]
        named = dict(zip(("the default", *others), found, strict=True))
        yield named | {n: s for n, s in _varied(found[0]).items() if n != "the default"}


def _varied(subject: Subject) -> dict[str, Subject]:
    from withgrain.evaluate.tuning import weight_candidates
    from withgrain.search import Weights

    usual = subject.weights or Weights.of(subject.embedder)
    weights = weight_candidates(vectors=subject.embedder is not None, default=usual)
    return {"the default": subject} | {name: replace(subject, weights=w) for name, w in weights.items()}


def _shape(found: Tuned, metric: str) -> dict[str, Any]:
    from withgrain.evaluate import shapes

    return {
        "schema": shapes.SCHEMA,
        "metric": metric,
        "keep_default": found.keep_default,
        "chosen": found.chosen,
        "weights": asdict(found.weights),
        "changes": dict(found.changes),
        "searched": found.searched,
        "reported": found.reported,
        "trials": [{"name": t.name, "mean": round(t.mean, 6)} for t in found.trials],
        "comparison": shapes.comparison(found.comparison) if found.comparison else None,
        "sentence": str(found),
    }


def _show(screen: Screen, found: Tuned, metric: str) -> None:
    screen.line(str(found), style="bold")
    screen.line()
    if found.changes and not found.keep_default:
        screen.line("To use these weights write into withgrain.toml:")
        for line in ("[search]", *(f"{name} = {json.dumps(value)}" for name, value in found.changes.items())):
            screen.line(f"    {line}")
        screen.line(f"or, for one search, add: --weights '{json.dumps(found.changes)}'")
        screen.line()
    trials = sorted(found.trials, key=lambda t: -t.mean)
    rows = [(t.name, f"{t.mean:.3f}") for t in trials]
    screen.table((f"tried on {found.searched} questions", metric), rows)
    screen.line()
    screen.line(
        f"The figures above chose the setting, so they flatter it; only the {found.reported} other questions count.",
        style="dim",
    )
