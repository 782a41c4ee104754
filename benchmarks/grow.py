"""Make a large collection of a small one: its rows again and again, with other ids, paths, labels and noisy vectors.

    python -m benchmarks.grow --from COLLECTION --to FOLDER --chunks 1000000

As `benchmarks.search` grows collections, but column by column (Arrow) rather than record by record, appended to the
writer's own tables in one commit: a million chunks take some minutes of processor time. Every copy has as many leaves a
chunk as the original; a vector is the real one with noise (a cosine of about .95). The hashes of the rows are those of
the originals: such a collection is there to be searched, not to be synced.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from withgrain.store import open_store
from withgrain.store.snapshot import LanceSnapshot
from withgrain.store.writer import LanceWriter

NOISE = 0.33
#: One label of four a document, so that a filter leaves a quarter of them.
LABELS = 4
#: Copies that are appended together: each append is a file.
TOGETHER = 16
Tables = Mapping[str, pa.Table]


def rows_of(snapshot: LanceSnapshot) -> dict[str, pa.Table]:
    """Return all rows of a collection, documents without their texts."""
    tables = snapshot._reader.tables
    found = {n: tables[n].search().limit(None).to_arrow().combine_chunks() for n in ("documents", "chunks", "leaves")}
    documents = found["documents"]
    texts = pa.array([""] * len(documents), type=pa.string())
    found["documents"] = documents.set_column(documents.schema.get_field_index("text"), "text", texts)
    return found


def copied(table: pa.Table, copy: int, generator: np.random.Generator) -> pa.Table:
    """Return the rows of another copy."""
    prefix, folder = f"{copy:06x}", f"copy{copy}/"
    numbers = np.array([int(i[-4:], 16) for i in table.column("doc_id").to_pylist()])
    parts = (numbers + copy) % LABELS
    columns = {name: table.column(name).combine_chunks() for name in table.schema.names}
    for name in columns.keys() & {"doc_id", "chunk_id", "leaf_id", "parent_id"}:
        columns[name] = pc.replace_substring_regex(columns[name], "^[0-9a-f]{6}", prefix)
    if "vector" in columns:
        columns["vector"] = noisy(columns["vector"], generator)
    if "document" in columns:
        columns["document"] = pc.replace_substring_regex(columns["document"], "^", folder)
        names = pa.array([f"part={n}" for n in parts])
        columns["labels"] = pa.ListArray.from_arrays(np.arange(len(parts) + 1, dtype=np.int32), names)
    if "uri" in columns:
        columns["uri"] = pc.replace_substring_regex(columns["uri"], "^([^/]*/)", rf"\1{folder}")
    if "detail" in columns:
        detail = pc.replace_substring_regex(
            columns["detail"], r'"(id|parent_id|prev_id|next_id)":"[0-9a-f]{6}', rf'"\1":"{prefix}'
        )
        detail = pc.replace_substring(detail, '"path":"', f'"path":"{folder}')
        detail = pc.replace_substring_regex(detail, '"uri":"([^/"]*/)', rf'"uri":"\1{folder}')
        made = [pc.replace_substring(detail, '"labels":[]', f'"labels":["part={n}"]') for n in range(LABELS)]
        columns["detail"] = pc.choose(pa.array(parts), *made)
    return pa.table(columns, schema=table.schema)


def noisy(column: pa.FixedSizeListArray, generator: np.random.Generator) -> pa.FixedSizeListArray:
    """Return unit vectors near to those of a column."""
    matrix = column.flatten().to_numpy().reshape(len(column), -1)
    noise = generator.standard_normal(matrix.shape, dtype=np.float32)
    matrix = matrix + NOISE * noise / np.linalg.norm(noise, axis=1, keepdims=True)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    return pa.FixedSizeListArray.from_arrays(matrix.ravel(), column.type.list_size)


def grow(source: Path, place: Path, size: int) -> None:
    """Make a collection of at least so many chunks."""
    small = open_store(source).snapshot()
    if not isinstance(small, LanceSnapshot):
        sys.exit(f"{source}: there is no collection")
    rows, generator = rows_of(small), np.random.default_rng(size)
    copies = -(-size // len(rows["chunks"]))
    with LanceWriter(place, small.contract) as writer:
        with writer._settled():
            for start in range(1, copies + 1, TOGETHER):
                for name, table in rows.items():
                    made = [copied(table, n, generator) for n in range(start, min(start + TOGETHER, copies + 1))]
                    writer._tables[name].add(pa.concat_tables(made))
                print(
                    f"  {min(start + TOGETHER - 1, copies) * len(rows['chunks']):,} chunks", file=sys.stderr, flush=True
                )
            writer._publish(writer._generation, commits=1)
        writer.finish()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="source", type=Path, required=True)
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--chunks", type=int, default=1_000_000)
    given = parser.parse_args()
    grow(given.source, given.to, given.chunks)


if __name__ == "__main__":
    main()
