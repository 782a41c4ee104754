"""A baseline: what a collection was worth when it was pinned, and over which documents and questions."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from withgrain.errors import UsageError
from withgrain.evaluate.bootstrap import Estimate
from withgrain.evaluate.study import Outcome
from withgrain.model import sha256_hex
from withgrain.types import Snapshot

SCHEMA = 1
_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """What is asked, of what, and how: the part of a baseline that a person decides.

    Attributes:
        questions: Question files, relative to the baseline's folder.
        collection: Stored collection, relative to that folder; empty when the documents are ingested for the gate.
        documents: Folders and files to ingest, relative to that folder.
        policy: Policy to cut them with.
        mode: Mode of the search.
    """

    questions: tuple[str, ...]
    collection: str = ""
    documents: tuple[str, ...] = ()
    policy: str = ""
    mode: str = "hybrid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """A pinned state.

    Attributes:
        pinned: What is asked, of what, and how.
        corpus: Path and SHA-256 of every document.
        floors: For each metric the value below which the gate is closed, whatever the noise.
        answers: The metrics of every pinned question.
        asked: Hash of each pinned question, to see whether it was edited.
        history: Why floors were lowered, oldest first.
    """

    pinned: Pinned
    corpus: Mapping[str, str]
    floors: Mapping[str, float]
    answers: Mapping[str, Mapping[str, float]]
    asked: Mapping[str, str]
    history: tuple[Mapping[str, Any], ...] = field(default=())

    @property
    def corpus_hash(self) -> str:
        """One hash over all documents."""
        return corpus_hash(self.corpus)

    def values(self, metric: str) -> dict[str, float]:
        """Return one metric by the id of the question, where it is defined."""
        return {key: values[metric] for key, values in self.answers.items() if metric in values}


def corpus_of(snapshot: Snapshot) -> dict[str, str]:
    """Return path and SHA-256 of every document of a collection."""
    return {d.path: d.sha256 for d in sorted(snapshot.documents(), key=lambda d: d.path)}


def corpus_hash(corpus: Mapping[str, str]) -> str:
    """Return one hash over paths and contents."""
    return sha256_hex("\n".join(f"{path}\0{digest}" for path, digest in sorted(corpus.items())))


def baseline(
    pinned: Pinned,
    corpus: Mapping[str, str],
    outcome: Outcome,
    metrics: Sequence[str],
    history: Sequence[Mapping[str, Any]] = (),
) -> Baseline:
    """Pin what a collection is worth now.

    The floor of a metric is the lower end of its 95 % interval. Where all questions have the same value it is 3 / n
    lower, since so large a share of other questions may differ without one of n showing it (the rule of three).
    """
    overall = outcome.evaluation.overall()
    return Baseline(
        pinned=pinned,
        corpus=corpus,
        floors={m: _floor(overall[m]) for m in metrics if m in overall},
        answers={
            a.question.id: {m: rounded(a.metrics[m]) for m in metrics if m in a.metrics}
            for a in outcome.evaluation.answers
        },
        asked={a.question.id: question_hash(a.question) for a in outcome.evaluation.answers},
        history=tuple(history),
    )


def rounded(value: float) -> float:
    """Return a value as a baseline holds it: values that are compared with it must be rounded as well."""
    return round(value, _DIGITS)


def _floor(value: Estimate) -> float:
    low = value.low if value.low < value.high else value.low - 3 / value.count
    return max(0.0, math.floor(1000 * low) / 1000)


def question_hash(question: Any) -> str:
    """Return a hash of what a question asks and of the evidence that it names; the line it stands on does not count."""
    shape = asdict(question)
    return sha256_hex(json.dumps({k: v for k, v in shape.items() if k not in ("line", "file")}, sort_keys=True))[:16]


def read_baseline(path: Path) -> Baseline:
    """Read a baseline.

    Raises:
        UsageError: It is not there, or no baseline.
    """
    try:
        shape = json.loads(path.read_text(encoding="utf-8"))
        if shape["schema"] != SCHEMA:
            raise UsageError(f"{path}: this baseline has schema {shape['schema']!r}; this version reads {SCHEMA}.")
        pinned = shape["pinned"]
        return Baseline(
            pinned=Pinned(
                questions=tuple(pinned["questions"]),
                collection=str(pinned.get("collection") or ""),
                documents=tuple(pinned.get("documents") or ()),
                policy=str(pinned.get("policy") or ""),
                mode=str(pinned["mode"]),
            ),
            corpus=dict(shape["corpus"]["documents"]),
            floors=_floors(shape["floors"], shape["answers"]),
            answers={k: {m: float(x) for m, x in v.items()} for k, v in shape["answers"].items()},
            asked=dict(shape["asked"]),
            history=tuple(shape.get("history") or ()),
        )
    except OSError as error:
        raise UsageError(f"{path}: the baseline cannot be read ({error.strerror}). Make one with --pin.") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        missing = f"{error} is missing" if isinstance(error, KeyError) else error
        raise UsageError(
            f"{path}: this is not a baseline ({missing}). Take back what was edited, or pin another file."
        ) from error


def _floors(floors: Mapping[str, Any], answers: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Return the floors, one for every pinned metric: one that is gone, or misspelt, would be none.

    Raises:
        ValueError: A floor is missing, is no number, or is of no pinned metric.
    """
    pinned = {metric for values in answers.values() for metric in values}
    if pinned ^ floors.keys():
        odd = sorted(pinned ^ floors.keys())[0]
        raise ValueError(f'"{odd}" has a floor but no answers' if odd in floors else f'the floor of "{odd}" is missing')
    found = {metric: float(floor) for metric, floor in floors.items()}
    if not all(0 <= floor <= 1 for floor in found.values()):
        raise ValueError("a floor is a number between 0 and 1")
    return found


def write_baseline(path: Path, value: Baseline) -> None:
    """Write a baseline, one line for each question and document, so that a change can be reviewed."""
    shape = {
        "schema": SCHEMA,
        "pinned": asdict(value.pinned),
        "floors": dict(value.floors),
        "history": list(value.history),
        "corpus": {"sha256": value.corpus_hash, "documents": dict(value.corpus)},
        "asked": dict(value.asked),
        "answers": {key: dict(values) for key, values in value.answers.items()},
    }
    path.write_text(_lines(shape) + "\n", encoding="utf-8")


def _lines(shape: Mapping[str, Any]) -> str:
    """Return JSON with two levels of indentation; what lies deeper stands on one line."""
    parts = []
    for key, value in shape.items():
        if isinstance(value, dict) and value:
            inner = ",\n".join(f"    {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in value.items())
            parts.append(f"  {json.dumps(key)}: {{\n{inner}\n  }}")
        else:
            parts.append(f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n" + ",\n".join(parts) + "\n}"


def relative(path: Path, folder: Path) -> str:
    """Return a path as a baseline in ``folder`` names it."""
    return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
