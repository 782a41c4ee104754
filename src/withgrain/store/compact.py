"""When a collection is tidied, and how: the live rows move to a new generation, the old one goes with its last reader.

The engine's own clean-up removes versions by age and cannot spare the ones that a kept head or a reader in another
process still needs. A generation is a directory: nothing in it is removed while a head or a reader names it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from withgrain.store import engine
from withgrain.store.failures import guarded
from withgrain.store.head import Head

if TYPE_CHECKING:
    from lancedb.table import Table

#: Garbage that is never worth a rewrite, in bytes.
SLACK_BYTES = 16 << 20
#: A generation takes this many commits (or one per thousand rows): each leaves small files behind.
MOST_COMMITS = 64
#: Rows that the text index may lack (or one of fifty): they are scanned, with the same answers.
MOST_UNCOVERED = 500
#: From so many rows on, ids are indexed too.
INDEXED_FROM = 5000

_ID_INDEXES = {"chunks": ("chunk_id", "doc_id"), "leaves": ("chunk_id", "doc_id"), "documents": ("doc_id",)}


def needs_compaction(head: Head, directory: Path) -> bool:
    """Return whether the generation holds more garbage than live rows, or too many small files."""
    rows = head.rows
    if head.commits > max(MOST_COMMITS, rows // 1000):
        return True
    if not head.base_rows:
        return False
    live = head.base_bytes * max(1.0, rows / head.base_rows)
    return engine.size(directory) > 2 * live + SLACK_BYTES


def compact(path: Path, head: Head) -> str:
    """Copy the live rows of a state to a new generation and return its name. No head names it yet."""
    name = engine.create_generation(path, head.contract.dims)
    sources = engine.open_tables(path, head)
    with engine.removed_on_failure(path / name), guarded(path, "compacting"):
        database = engine.connect(path / name)
        for table, source in sources.items():
            if head.counts[table]:
                database.open_table(table).add(source.search().limit(None).to_batches(1024))
    return name


def uncovered(tables: Mapping[str, Table]) -> int:
    """Return how many chunks the text index does not cover."""
    statistics = tables["chunks"].index_stats("terms_idx")
    return int(statistics.num_unindexed_rows) if statistics is not None else int(tables["chunks"].count_rows())


def needs_indexes(tables: Mapping[str, Table], rows: int) -> bool:
    """Return whether so many chunks are uncovered that scanning them costs more than it should."""
    return uncovered(tables) > max(MOST_UNCOVERED, rows // 50)


def build_indexes(tables: Mapping[str, Table]) -> None:
    """Build the text index over every chunk, and indexes of the ids where a table is large."""
    from lancedb.index import BTree

    tables["chunks"].create_index("terms", config=engine.text_index(), replace=True)
    for name, columns in _ID_INDEXES.items():
        if name in tables and tables[name].count_rows() >= INDEXED_FROM:
            for column in columns:
                tables[name].create_index(column, config=BTree(), replace=True)
