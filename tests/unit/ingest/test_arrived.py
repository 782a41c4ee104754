"""A document that was moved and edited at once: what cites it still leads somewhere."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.unit.ingest.support import Collection, counts, write


def _page(name: str, sections: int = 6) -> str:
    body = (f"## Step {n}\n\nThe operator of {name} turns lever number {n} and waits.\n" for n in range(sections))
    return f"# {name}\n\n" + "\n".join(body)


def _ended(docs: Collection, uri: str) -> list[str]:
    document = docs.documents()[uri]
    return [document.id, *(c.chunk.id for c in docs.snapshot().chunks(doc_id=document.id))]


def _led_to(docs: Collection, ids: list[str]) -> set[str | None]:
    """Return the paths of the documents that ended ids lead to; None for those that lead nowhere."""
    snapshot = docs.snapshot()
    paths = {d.id: d.path for d in snapshot.documents()}
    paths |= {c.chunk.id: path for i, path in paths.items() for c in snapshot.chunks(doc_id=i)}
    return {paths[r.successor] if r.successor else None for r in snapshot.retired(ids)}


@pytest.mark.parametrize("where", [{"guide/b.md": ""}, {"c.md": "# Other\n\nSomething else stands here.\n"}])
def test_old_ids_of_a_document_that_was_moved_and_edited_lead_to_the_new_one(
    tmp_path: Path, where: Mapping[str, str]
) -> None:
    """ "A renamed file keeps its vectors, its old ids point to the new ones": also when it was edited by the way, to a
    new path and over an older file."""
    (name, before) = next(iter(where.items()))
    docs = Collection(folder=write(tmp_path / "docs", {"a.md": _page("Crane")} | ({name: before} if before else {})))
    docs.sync()
    ended = _ended(docs, "docs/a.md")
    (docs.folder / "a.md").unlink()
    write(docs.folder, {name: _page("Crane").replace("number 3 and waits", "number 3, twice")})
    report = docs.sync()
    assert counts(report)["deleted"] == 1
    assert _led_to(docs, ended) == {name}


def test_a_move_embeds_only_what_was_edited(tmp_path: Path) -> None:
    """ "A renamed file keeps its vectors"."""
    docs = Collection(folder=write(tmp_path / "docs", {"a.md": _page("Crane", 40)}), cache=tmp_path / "cache.db")
    before = docs.sync().embedded
    (docs.folder / "a.md").unlink()
    write(docs.folder, {"b.md": _page("Crane", 40).replace("number 3 and waits", "number 3, twice")})
    assert 1 <= docs.sync().embedded <= max(2, before // 4)


def test_old_ids_lead_nowhere_when_nothing_that_arrived_holds_the_text(tmp_path: Path) -> None:
    docs = Collection(folder=write(tmp_path / "docs", {"a.md": _page("Crane")}))
    docs.sync()
    ended = _ended(docs, "docs/a.md")
    (docs.folder / "a.md").unlink()
    write(docs.folder, {"b.md": "# Pump\n\nThe pump is filled by hand before it is switched on for the day.\n"})
    docs.sync()
    assert _led_to(docs, ended) == {None}


def test_what_a_template_gives_all_pages_is_no_sign_of_a_move(tmp_path: Path) -> None:
    template = "\n".join(f"This is line {n} of the notice that stands on every page.\n" for n in range(20))
    docs = Collection(
        folder=write(tmp_path / "docs", {"a.md": f"# A\n\nThe crane is oiled each Monday.\n\n{template}"})
    )
    docs.sync()
    ended = _ended(docs, "docs/a.md")
    (docs.folder / "a.md").unlink()
    write(docs.folder, {f"{n}.md": f"# {n}\n\nPump {n} is another thing altogether.\n\n{template}" for n in "bc"})
    docs.sync()
    assert _led_to(docs, ended) == {None}


def test_another_root_is_another_place(tmp_path: Path) -> None:
    """A root is synced by itself: what vanished from one did not move to the other."""
    docs = Collection(folder=write(tmp_path / "docs", {"a.md": _page("Crane"), "z.md": "# Z\n\nStays.\n"}))
    docs.sync()
    ended = _ended(docs, "docs/a.md")
    (docs.folder / "a.md").unlink()
    other = write(tmp_path / "other", {"a.md": _page("Crane").replace("number 3 and waits", "number 3, twice")})
    docs.sync([docs.folder, other])
    assert _led_to(docs, ended) == {None}
