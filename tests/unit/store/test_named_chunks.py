"""A filter that lists ids of chunks is answered without the engine, and gives what every other way gives."""

from __future__ import annotations

from pathlib import Path

from tests.unit.search.build import Doc, Text, bundles, contract
from withgrain.model import And, Change, Compare, Filter, Not, Or
from withgrain.store import memory_store, open_store
from withgrain.testing import HashEmbedder
from withgrain.types import Snapshot

EMBEDDER = HashEmbedder()
DOCS = [
    Doc(path=f"{n}.md", title=f"T{n}", labels=(f"part={n % 2}",), chunks=(Text(body=f"word w{n}"), Text(body="word")))
    for n in range(5)
]


def test_disk_and_memory_agree(tmp_path: Path) -> None:
    states: list[Snapshot] = []
    for store in (open_store(tmp_path / "kb"), memory_store()):
        with store.writer(contract(EMBEDDER)) as writer:
            writer.commit(Change(upsert=bundles(DOCS, EMBEDDER)))
            states.append(writer.snapshot())
    ids = sorted(states[1].facets("chunk_id", None))
    listed = Compare(field="chunk_id", operator="in", value=(*ids[:6], "nothing", "\ud800"))
    label = Compare(field="labels", operator="eq", value="part=1")
    wheres: list[Filter] = [
        listed,
        And(parts=(label, listed)),
        And(parts=(listed, And(parts=(label, Compare(field="chunk_id", operator="in", value=tuple(ids[3:])))))),
        Or(parts=(listed, label)),
        Not(part=listed),
        Compare(field="chunk_id", operator="in", value=("nothing",)),
    ]
    vector = EMBEDDER.embed_query("word w1")
    for where in wheres:
        disk, memory = ([i for i, _, _ in s.dense(vector, where, 99)] for s in states)
        assert sorted(disk) == sorted(memory)
        assert states[0].statistics(["word"], where).chunks == states[1].statistics(["word"], where).chunks
