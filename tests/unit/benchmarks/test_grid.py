"""The grid's index in memory answers as the reference store does; defaults are chosen without looking."""

from __future__ import annotations

import importlib.util
import json
import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support import REPO

if not (REPO / "benchmarks" / "grid").is_dir() or importlib.util.find_spec("benchmarks") is None:
    pytest.skip("needs the repository; this run tests an installed wheel", allow_module_level=True)

from benchmarks.evaluation import main
from benchmarks.grid.cells import Cell, collection
from benchmarks.grid.contestants import in_vectors, own, variants
from benchmarks.grid.defaults import choose, difference
from benchmarks.grid.indexed import Indexed, indexed
from benchmarks.judge.source import Piece, Source
from benchmarks.peers.policies import chunked
from withgrain.chunk import POLICIES
from withgrain.model import Compare, Embedded, Filter, all_of
from withgrain.parse import parse
from withgrain.testing.embedders import HashEmbedder
from withgrain.testing.records import TERMS, bundles, contract
from withgrain.tokens import wordpiece

pytestmark = pytest.mark.needs_repo


@pytest.fixture(scope="module")
def both() -> Indexed:
    return indexed(bundles(12), contract())


@pytest.mark.parametrize("inside", [False, True])
def test_the_index_answers_as_the_reference_store(both: Indexed, inside: bool) -> None:
    """Candidates, statistics, phrases and vectors are the same, over all documents and inside one."""
    inner = both.inner
    doc = inner.documents()[3].id
    where: Filter | None = Compare(field="doc_id", operator="eq", value=doc) if inside else None
    for asked in (TERMS[:1], TERMS[2:6], ["nothing"], ["the", "user"]):
        one, other = both.statistics(asked, where), inner.statistics(asked, where)
        assert one.chunks == other.chunks and dict(one.frequencies) == dict(other.frequencies)
        assert math.isclose(one.average_length, other.average_length)
        mine, theirs = both.lexical(asked, where, 20), inner.lexical(asked, where, 20)
        assert [round(s, 9) for _, s in mine] == [round(s, 9) for _, s in theirs]
        assert {i for i, s in mine if s > theirs[-1][1] + 1e-9} == {i for i, s in theirs if s > theirs[-1][1] + 1e-9}
        assert both.phrase(asked, where, 100) == inner.phrase(asked, where, 100)
        some_ids = [i for i, _ in reversed(theirs)] or both._ids[:3]
        rows, others = both.candidates([*some_ids, "no such"], asked), inner.candidates(some_ids, asked)
        assert (rows.ids, rows.doc_ids, rows.totals) == (others.ids, others.doc_ids, others.totals)
        assert (rows.lengths, dict(rows.counts)) == (others.lengths, dict(others.counts))
        assert rows == others
    vector = (0.3, -1.0, 0.5, 0.2)
    mine_dense, theirs_dense = both.dense(vector, where, 9), inner.dense(vector, where, 9)
    assert [(c, leaf) for c, leaf, _ in mine_dense] == [(c, leaf) for c, leaf, _ in theirs_dense]
    some = Compare(field="chunk_id", operator="in", value=tuple(c for c, _, _ in theirs_dense[::2]))
    among = all_of(where, some)
    assert [h[:2] for h in both.dense(vector, among, 9)] == [h[:2] for h in inner.dense(vector, among, 9)]


def test_pieces_of_a_peer_become_chunks_at_their_place() -> None:
    """A piece without offsets is found by its text; one without headings gets those of its section."""

    class Peer:
        def cut(self, source: Source) -> list[object]:
            return []

        def pieces(self, source: Source) -> list[Piece]:
            return [
                Piece(text="one", body="one"),
                Piece(text="B > two", body="two", path=("A", "B")),
                Piece(text="x", body="x"),
            ]

    document = parse(b"# A\n\none\n\n## B\n\ntwo\n", uri="a.md")
    first, second = chunked(document, Peer(), wordpiece().count).chunks
    assert (first.body, first.heading_path, first.embed_text, first.lines) == ("one", ("A",), "one", (3, 3))
    assert (second.heading_path, second.embed_text) == (("A", "B"), "A > B\ntwo")


def test_variants_have_names_of_their_own() -> None:
    """Names and keys tell every candidate from every other, so that no result is taken for another's."""
    every = [*variants(), *in_vectors()]
    names, keys = [v.name for v in every], [v.key for v in every]
    assert len(set(names)) == len(names) and names[0] == "structure_aware"
    assert len(set(keys)) == len(keys)
    assert len({v.indexed for v in in_vectors() if v.weights}) == 1


class Coded(HashEmbedder):
    """Has token vectors, too."""

    def embed_with_tokens(self, texts: Sequence[str]) -> list[Embedded]:
        return [Embedded(vector, b"code") for vector in self.embed_documents(texts)]

    def token_scores(self, question: str, codes: Sequence[Sequence[bytes]]) -> list[float]:
        return [0.0] * len(codes)


def test_the_grid_has_the_token_codes_that_collections_keep() -> None:
    """It measures what the product does: late interaction is part of the default."""
    document = parse(b"# A\n\none two\n\n## B\n\nthree\n", uri="a.md")
    found = collection([document], own(POLICIES["structure_aware"]), Coded())
    ids = [r.chunk.id for d in found.documents() for r in found.chunks(doc_id=d.id)]
    assert set(found.token_codes(ids)) == set(ids)


def test_one_command_from_nothing_to_the_page(tmp_path: Path) -> None:
    """Cells are made, kept and written into a page; a second run takes them as they are and writes the same page."""
    page, work = tmp_path / "page.md", tmp_path / "work"
    given = ["--sets", "handbook", "--contestants", "structure_aware;fixed", "--sample", "6", "--only", "lexical,page"]
    places = ["--work", str(work), "--page", str(page)]
    assert main([*given, *places]) == 0
    first, made = page.read_text(encoding="utf-8"), {p: p.stat().st_mtime_ns for p in work.rglob("*.json")}
    assert "| **structure_aware** |" in first and "| fixed |" in first
    assert main([*given, *places]) == 0
    assert page.read_text(encoding="utf-8") == first
    assert {p: p.stat().st_mtime_ns for p in work.rglob("*.json")} == made and len(made) == 2


def test_a_result_of_other_code_is_taken_over_only_where_it_would_come_out_the_same(tmp_path: Path) -> None:
    """The same chunks and the same answers to a tenth of the questions: taken over; else made again."""
    given = ["--sets", "handbook", "--contestants", "heading", "--sample", "4", "--only", "lexical"]
    assert main([*given, "--work", str(tmp_path)]) == 0
    (path,) = tmp_path.rglob("*.json")
    first = json.loads(path.read_text())
    probe, marked = next(iter(first["answers"])), {**first["facts"], "code": "other", "mark": 1}
    for answers, index, taken in (
        (first["answers"], marked["index"], True),
        (first["answers"], "other", False),
        ({**first["answers"], probe: {"R@8k": 0.5}}, marked["index"], False),
    ):
        path.write_text(json.dumps({**first, "answers": answers, "facts": {**marked, "index": index}}))
        assert main([*given, "--work", str(tmp_path)]) == 0
        again = json.loads(path.read_text())
        assert again["answers"] == first["answers"] and again["facts"]["code"] == first["facts"]["code"]
        assert ("mark" in again["facts"]) is taken


def cell(values: dict[str, float]) -> Cell:
    return Cell(
        answers={q: {"R@8k": v} for q, v in values.items()},
        curves={},
        types=dict.fromkeys(values, "fact"),
        documents={q: f"doc {q}" for q in values},
    )


def test_a_candidate_that_is_better_everywhere_is_chosen_in_every_fold() -> None:
    bad, good = {f"q{n}": 0.2 for n in range(40)}, {f"q{n}": 0.6 for n in range(40)}
    found = choose({"default": {"a": cell(bad)}, "other": {"a": cell(good)}}, "default")
    assert {f.chosen for f in found.folds} == {"other"}
    assert found.gain.mean == pytest.approx(0.4)


def test_each_set_counts_alike_in_a_difference() -> None:
    many, few = {f"q{n}": 0.5 for n in range(30)}, {f"p{n}": 0.5 for n in range(10)}
    better = dict.fromkeys(few, 0.7)
    sets = {"default": {"a": cell(many), "b": cell(few)}, "other": {"a": cell(many), "b": cell(better)}}
    assert difference(sets, "other", "default").mean == pytest.approx(0.1)


def test_equal_candidates_leave_the_default() -> None:
    same = {"a": cell({f"q{n}": 0.5 for n in range(20)})}
    found = choose({"x": same, "default": same}, "default")
    assert {f.chosen for f in found.folds} == {"default"} and found.gain.mean == 0.0
