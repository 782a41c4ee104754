"""Rows in a file without a name that the system maps into memory, and takes back when it needs the room.

For what a process asks for again and again and its memory does not hold. The file is there for this process alone and
goes with it, however that ends.
"""

from __future__ import annotations

import mmap
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Positions = np.ndarray[Any, np.dtype[np.int64]]

#: A file is made where the disk has so many times its size left.
_FREE = 2


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


class Mapped:
    """Rows by position."""

    def __init__(self, buffer: pa.Buffer) -> None:
        import numpy as np
        import pyarrow as pa

        reader = pa.ipc.open_file(pa.BufferReader(buffer))
        self._batches = [reader.get_batch(n) for n in range(reader.num_record_batches)]
        self._ends = np.cumsum([len(batch) for batch in self._batches])

    @classmethod
    def made(cls, read: Callable[[], Iterator[pa.RecordBatch]], folder: Path, size: int) -> Mapped | None:
        """Write rows into a file and map it; None where there is no room for it, or no row.

        Args:
            read: Reads the rows with their ``_rowid``, which must ascend; else there is no file.
            folder: Where the file is made.
            size: Bytes of the rows, about.
        """
        import pyarrow as pa

        file = unnamed(folder, size)
        if file is None:
            return None
        with file, suppress(OSError):
            last, writer = -1, None
            for batch in read():
                ids = batch.column("_rowid").to_numpy()
                if len(ids) and (ids[0] <= last or not bool((ids[1:] > ids[:-1]).all())):
                    return None
                last = int(ids[-1]) if len(ids) else last
                own = batch.drop_columns(["_rowid"])
                writer = writer or pa.ipc.new_file(file, own.schema)
                writer.write_batch(own)
            if writer is not None:
                writer.close()
                file.flush()
                return cls(pa.py_buffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))
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
