"""Rows in a file without a name that the system maps into memory, and takes back when it needs the room.

For what a process asks for again and again and its memory does not hold. The file is there for this process alone and
goes with it, however that ends.
"""

from __future__ import annotations

import mmap
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Positions = np.ndarray[Any, np.dtype[np.int64]]

#: A file is made where the disk has so many times its size left.
_FREE = 2
#: Bytes that are written together; batches that are larger when they come stay as they are.
_TOGETHER = 128 << 20


def unnamed(folder: Path, size: int) -> IO[bytes] | None:
    """Return a new file without a name, in a folder or where temporary files go; None where there is no room.

    Args:
        folder: Tried first.
        size: Bytes that it shall hold.
    """
    for place in (folder, Path(tempfile.gettempdir())):
        with suppress(OSError):
            if shutil.disk_usage(place).free > _FREE * size:
                return tempfile.TemporaryFile(dir=place)  # closed by who asked for it
    return None


class _Written:
    """Rows on their way into a file, some megabytes together: what is read later comes from few batches."""

    def __init__(self, file: IO[bytes], columns: Sequence[str]) -> None:
        self._file, self._columns = file, list(columns)
        self._writer: pa.RecordBatchFileWriter | None = None
        self._waiting: list[pa.RecordBatch] = []
        self._size = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Write the columns of a batch, or keep them for later."""
        own = batch.select([name for name in self._columns if name in batch.schema.names])
        self._waiting.append(own)
        self._size += own.nbytes
        if self._size >= _TOGETHER:
            self._write()

    def mapped(self) -> list[pa.RecordBatch]:
        """Write what is left, and return all as it stands in the file."""
        import pyarrow as pa

        if self._waiting:
            self._write()
        if self._writer is None:
            return []
        self._writer.close()
        self._file.flush()
        reader = pa.ipc.open_file(pa.BufferReader(mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)))
        return [reader.get_batch(n) for n in range(reader.num_record_batches)]

    def _write(self) -> None:
        import pyarrow as pa

        table = pa.Table.from_batches(self._waiting).combine_chunks()
        self._writer = self._writer or pa.ipc.new_file(self._file, table.schema)
        self._writer.write_table(table)
        self._waiting, self._size = [], 0


class Mapped:
    """Columns of rows by position."""

    def __init__(self, batches: Sequence[pa.RecordBatch]) -> None:
        import numpy as np

        self._batches = batches
        self._ends = np.cumsum([len(batch) for batch in self._batches])

    @classmethod
    def made(
        cls, read: Callable[[], Iterator[pa.RecordBatch]], folder: Path, size: int, groups: Sequence[Sequence[str]]
    ) -> list[Mapped] | None:
        """Write columns of rows into a file for each group, and map them; None where there is no room, or no row.

        Args:
            read: Reads the rows with their ``_rowid``, which must ascend; else there is no file.
            folder: Where the files are made.
            size: Bytes of the rows, about.
            groups: Columns that are read together; a column may be in several.
        """
        files = [unnamed(folder, size) for _ in groups]
        with ExitStack() as opened, suppress(OSError):
            writing = [
                _Written(opened.enter_context(f), g) for f, g in zip(files, groups, strict=True) if f is not None
            ]
            last = -1
            for batch in read() if len(writing) == len(groups) else ():
                ids = batch.column("_rowid").to_numpy()
                if len(ids) and (ids[0] <= last or not bool((ids[1:] > ids[:-1]).all())):
                    return None
                last = int(ids[-1]) if len(ids) else last
                for one in writing:
                    one.add(batch)
            if last >= 0:
                return [cls(one.mapped()) for one in writing]
        return None

    def take(self, positions: Positions, columns: Sequence[str]) -> pa.Table:
        """Return columns of the rows at some positions, in their order."""
        import numpy as np
        import pyarrow as pa

        if not len(positions):
            return pa.Table.from_batches([self._batches[0].slice(0, 0)]).select(columns)
        own = np.searchsorted(self._ends, positions, side="right")
        order = np.argsort(own, kind="stable")
        parts, begins = np.unique(own[order], return_index=True)
        taken = []
        for part, some in zip(parts.tolist(), np.split(order, begins[1:]), strict=True):
            batch = self._batches[part]
            taken.append(batch.select(columns).take(positions[some] - (self._ends[part] - len(batch))))
        back = np.empty(len(order), dtype=np.int64)
        back[order] = np.arange(len(order))
        return pa.Table.from_batches(taken).combine_chunks().take(back)
