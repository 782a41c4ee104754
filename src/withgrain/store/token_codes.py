"""The token codes of leaves: in memory for a collection of usual size; of another one, those that are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS = ("chunk_id", "token_codes")
#: Leaves whose codes are kept: at about 1 kB each, some 512 MB.
_KEPT = 500_000
#: Questions before which codes are read one by one: who asks once does not wait for all of them.
_ASKED_BEFORE = 1


class TokenCodes:
    """The codes of one state.

    Args:
        read: Reads `COLUMNS` of all leaves.
        some: Reads those of the leaves of some chunks.
        leaves: How many leaves there are.
    """

    def __init__(
        self,
        read: Callable[[], Iterator[pa.RecordBatch]],
        some: Callable[[Sequence[str]], Iterable[pa.Table]],
        leaves: int,
    ) -> None:
        self._read, self._some = read, some
        self._keep = 0 < leaves <= _KEPT
        self._asked = 0
        self._making = Lock()
        self._rows: dict[str, list[int]] = {}
        self._kept: pa.ChunkedArray | None = None

    def of(self, chunk_ids: Sequence[str]) -> dict[str, list[bytes]]:
        """Return the codes of the leaves of some chunks; a chunk with a leaf that has none is left out."""
        found = self._found(chunk_ids)
        return {chunk_id: codes for chunk_id, codes in found.items() if codes and all(codes)}

    def _found(self, chunk_ids: Sequence[str]) -> dict[str, list[bytes]]:
        kept = self._at_hand() if self._asked >= _ASKED_BEFORE else None
        self._asked += 1
        if kept is not None:
            return {i: [kept[n].as_py() or b"" for n in self._rows[i]] for i in chunk_ids if i in self._rows}
        found: dict[str, list[bytes]] = {}
        for table in self._some(chunk_ids):
            for chunk_id, codes in zip(*(table.column(name).to_pylist() for name in COLUMNS), strict=True):
                found.setdefault(chunk_id, []).append(codes or b"")
        return found

    def _at_hand(self) -> pa.ChunkedArray | None:
        if self._kept is None and self._keep:
            with self._making:
                if self._kept is None:
                    self._kept = self._all()
        return self._kept

    def _all(self) -> pa.ChunkedArray:
        import pyarrow as pa

        parts, rows = [], dict[str, list[int]]()
        size = 0
        for batch in self._read():
            for n, chunk_id in enumerate(batch.column("chunk_id").to_pylist(), size):
                rows.setdefault(chunk_id, []).append(n)
            parts.append(batch.column("token_codes").cast(pa.large_binary()))
            size += len(batch)
        self._rows = rows
        return pa.chunked_array(parts, type=pa.large_binary()).combine_chunks()
