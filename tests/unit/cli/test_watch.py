"""``ingest --watch``: sync now and after every change; what cannot be done now may be done after the next change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from withgrain.cli import ingest as command
from withgrain.cli.talk import Talk
from withgrain.errors import Unavailable, UsageError


@pytest.fixture(autouse=True)
def three_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    def changes(_: Callable[[], Any]) -> Iterator[None]:
        yield from (None, None, None)

    monkeypatch.setattr("withgrain.ingest.watch.changes", changes)


def _run(*outcomes: Exception | None) -> int:
    done: list[int] = []

    def sync() -> Any:
        done.append(1)
        error = outcomes[len(done) - 1]
        if error is not None:
            raise error

    command._watch(Talk(), lambda: (), sync)
    return len(done)


def test_it_syncs_after_every_change(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(None, None, None) == 3
    assert capsys.readouterr().err.count("Watching for changes; Ctrl-C ends.") == 3


def test_what_fails_later_is_told_and_tried_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(None, Unavailable("Locked for now."), None) == 3
    assert "error: Locked for now." in capsys.readouterr().err


def test_what_fails_at_once_ends_it() -> None:
    with pytest.raises(UsageError):
        _run(UsageError("No such folder."))


def test_progress_shows_chunks_and_rate() -> None:
    """ "Progress on a terminal: documents, chunks, rate, time left"."""
    from rich.progress import Progress

    from withgrain.cli.talk import _Stages

    ticks = iter(range(1_000))
    bars = Progress(get_time=lambda: float(next(ticks)), disable=True)
    stages = _Stages(bars)
    for done in range(5):
        stages.update("chunk", 10 * done, 100)
        stages.update("made", 70 * done, 0)
    stages.update("chunk", 50, 100)
    assert bars.tasks[0].fields["note"].startswith("280 chunks ")
    assert bars.tasks[0].fields["note"].endswith(("/s", "/min"))
