"""All bytes of a file are of one moment."""

from __future__ import annotations

import os
from io import BufferedReader
from pathlib import Path

import pytest

from withgrain.errors import DocumentError
from withgrain.ingest.reading import RETRIES, hash_file, read_file
from withgrain.model import sha256_hex


def test_reads_bytes_and_time(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_bytes(b"\xff\x00x")
    os.utime(file, ns=(0, 1_700_000_000_999_999_999))
    content = read_file(file, 10)
    assert content.data == b"\xff\x00x"
    assert content.modified == "2023-11-14T22:13:20Z"


def test_hash_is_that_of_the_bytes(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_bytes(b"abc" * 100_000)
    assert hash_file(file) == sha256_hex(b"abc" * 100_000)


def test_file_that_changes_once_is_read_again(tmp_path: Path) -> None:
    """ "a file that changes while it is read is re-read up to 3 times"."""
    file = tmp_path / "a.md"
    file.write_bytes(b"old")
    tries = []

    def read(opened: BufferedReader, size: int) -> bytes:
        if not tries:
            file.write_bytes(b"new text")
        tries.append(1)
        return opened.read(size)

    assert read_file(file, 100, read=read).data == b"new text"
    assert len(tries) == 2


def test_file_that_always_changes_fails_with_a_reason(tmp_path: Path) -> None:
    """ "… then a failure with reason"."""
    file = tmp_path / "a.md"
    file.write_bytes(b"x")
    tries = []

    def read(opened: BufferedReader, size: int) -> bytes:
        tries.append(1)
        with file.open("ab") as other:
            other.write(b"y")
        return opened.read(size)

    with pytest.raises(DocumentError, match="changed each of the 4 times") as caught:
        read_file(file, 100, read=read)
    assert caught.value.kind == "changing"
    assert len(tries) == 1 + RETRIES


def test_file_that_grew_past_the_limit_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_bytes(b"x" * 11)
    with pytest.raises(DocumentError, match="larger than the limit"):
        read_file(file, 10)


def test_missing_file_is_a_document_error(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="cannot be read: No such file"):
        read_file(tmp_path / "gone.md", 10)


def test_pipe_is_refused_and_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    with pytest.raises(DocumentError, match="not a regular file"):
        read_file(tmp_path / "pipe.md", 10)


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, 200_000])
def test_every_byte_is_hashed(tmp_path: Path, size: int) -> None:
    """Unchanged files are known by their bytes alone: all of them count, however the file is read."""
    file = tmp_path / "a.md"
    file.write_bytes(bytes(n % 251 for n in range(size)))
    assert hash_file(file) == sha256_hex(file.read_bytes())


@pytest.mark.skipif(not Path("/proc/version").is_file(), reason="needs a file that does not say how long it is")
def test_a_file_that_does_not_say_its_length_is_hashed_whole() -> None:
    """Files of some file systems have the size 0 and bytes all the same."""
    file = Path("/proc/version")
    assert file.stat().st_size == 0
    assert hash_file(file) == sha256_hex(file.read_bytes())
