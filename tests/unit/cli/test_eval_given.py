"""Which questions and collections the options of evaluation name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from withgrain.cli.evaluate.given import Chosen, question_file, subjects
from withgrain.cli.talk import Talk
from withgrain.config import Settings
from withgrain.errors import UsageError


def chosen(
    collections: Sequence[str] = (),
    policies: Sequence[str] = (),
    docs: Sequence[Path] = (),
    settings: Settings | None = None,
) -> Chosen:
    return Chosen(
        collections=tuple(collections),
        policies=tuple(policies),
        docs=tuple(docs),
        settings=settings or Settings(),
        vectors=False,
    )


@pytest.mark.parametrize(
    ("given", "what"),
    [
        (chosen(policies=["fixed"]), "add --docs"),
        (chosen(docs=[Path()]), "at least one --policy"),
        (chosen(["a", "a"]), "given twice"),
        (chosen(["fixed"], ["fixed"], [Path()]), "given twice"),
        (chosen(policies=["fixed"], docs=[Path("absent-folder")]), "no file or folder absent-folder"),
        (chosen(["absent"]), "is empty or does not exist"),
        (chosen(settings=Settings(collection="absent")), "is empty or does not exist"),
    ],
)
def test_options_that_cannot_be_used_are_usage_errors(given: Chosen, what: str) -> None:
    with pytest.raises(UsageError, match=what), subjects(given, Talk(), None):
        pass


def test_policies_become_scratch_collections_that_are_thrown_away(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Keys\n\nKept for 90 days.\n", encoding="utf-8")
    given = chosen(policies=["fixed", "structure_aware"], docs=[tmp_path])
    with subjects(given, Talk(), None) as (found, problems):
        places = [s.path for s in found]
        assert [s.name for s in found] == ["fixed", "structure_aware"] and problems == ()
        assert all(p is not None and p.is_dir() for p in places)
    assert not any(p is not None and p.exists() for p in places)


def test_files_without_a_question_are_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text("not json\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"There is no question to ask: .*q\.jsonl:1"):
        question_file([tmp_path / "q.jsonl"])
