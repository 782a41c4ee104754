"""What a change means for the tables: which rows are new, which are replaced, which go."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from withgrain.model import Bundle, Change, CommitResult
from withgrain.store.retired import alive, retiring
from withgrain.store.rows import IDS, OWNED, Row, chunk_row, document_row, leaf_row, retired_row

#: Hash of each stored row of some documents: table -> document -> row id -> hash.
Stored = Mapping[str, Mapping[str, Mapping[str, bytes]]]


@dataclass(slots=True, kw_only=True)
class TablePlan:
    """What happens to one table.

    Attributes:
        add: Rows to append.
        remove: Ids of rows to delete: replaced ones and those that are gone.
        documents: Ids of documents whose rows all go.
        gone: Number of rows that are no longer there afterwards.
    """

    add: list[Row] = field(default_factory=list)
    remove: list[str] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    gone: int = 0

    def __bool__(self) -> bool:
        """Return whether the table changes."""
        return bool(self.add or self.remove or self.documents)


def make_plan(change: Change, stored: Stored, tables: Iterable[str]) -> dict[str, TablePlan]:
    """Compare a change with the stored rows of its documents."""
    plans = {name: TablePlan() for name in OWNED if name in tables}
    upserted = {b.document.id for b in change.upsert}
    for doc_id in dict.fromkeys(change.delete):
        if doc_id in stored["documents"] and doc_id not in upserted:
            for name, plan in plans.items():
                plan.documents.append(doc_id)
                plan.gone += len(stored[name].get(doc_id, ()))
    for bundle in change.upsert:
        for name, rows in _rows(bundle).items():
            if name in plans:
                _compare(plans[name], rows, stored[name].get(bundle.document.id, {}), IDS[name])
    return plans


def retired_plan(change: Change, known: Collection[str], hashes: Mapping[str, bytes]) -> TablePlan:
    """Compare the ids that a change ends, and those that it brings back, with the retired ones.

    Args:
        change: The change.
        known: All retired ids.
        hashes: Hash of the stored row of those among them that the change retires again.
    """
    records = retiring(change)
    rows = [row for row in map(retired_row, records.values()) if hashes.get(row["old_id"]) != row["hash"]]
    back = {i for i in alive(change) if i in known}
    return TablePlan(add=rows, remove=[*(row["old_id"] for row in rows if row["old_id"] in known), *sorted(back)])


def _rows(bundle: Bundle) -> dict[str, Sequence[Row]]:
    return {
        "documents": [document_row(bundle.document)],
        "chunks": [chunk_row(c) for c in bundle.chunks],
        "leaves": [leaf_row(leaf) for leaf in bundle.leaves],
    }


def _compare(plan: TablePlan, rows: Sequence[Row], stored: Mapping[str, bytes], key: str) -> None:
    fresh = {row[key] for row in rows}
    gone = [i for i in stored if i not in fresh]
    changed = [row for row in rows if stored.get(row[key]) != row["hash"]]
    plan.add.extend(changed)
    plan.remove.extend(row[key] for row in changed if row[key] in stored)
    plan.remove.extend(gone)
    plan.gone += len(gone)


def result(plans: Mapping[str, TablePlan], version: int) -> CommitResult:
    """Return the counts of a plan."""
    documents, chunks, leaves = (plans.get(name, TablePlan()) for name in ("documents", "chunks", "leaves"))
    return CommitResult(
        version=version,
        documents_written=len(documents.add),
        documents_removed=documents.gone,
        chunks_written=len(chunks.add),
        chunks_removed=chunks.gone,
        leaves_written=len(leaves.add),
        leaves_removed=leaves.gone,
    )
