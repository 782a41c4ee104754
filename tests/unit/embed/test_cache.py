"""Vectors on disk: found again, never mixed up, never lost by an interruption."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from withgrain.embed import EmbeddingCache, embed_cached, fingerprint
from withgrain.embed.cached import BATCH
from withgrain.errors import IntegrityError, Unavailable, UsageError
from withgrain.testing.embedders import HashEmbedder


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[EmbeddingCache]:
    with EmbeddingCache(tmp_path / "vectors.sqlite") as opened:
        yield opened


def test_returns_what_was_put_in_order(cache: EmbeddingCache) -> None:
    """``get_many`` answers in the order asked, None where there is nothing."""
    cache.put_many("a", ["one", "two"], [(1.0, 0.5), (0.0, -2.0)])
    assert cache.get_many("a", ["two", "three", "one", "two"]) == [(0.0, -2.0), None, (1.0, 0.5), (0.0, -2.0)]
    assert cache.get_many("a", []) == []
    assert cache.count() == 2


@given(
    st.lists(
        st.tuples(st.text(), st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), max_size=5)),
        unique_by=lambda pair: pair[0],
        max_size=8,
    )
)
def test_single_precision_comes_back_exactly(pairs: list[tuple[str, list[float]]]) -> None:
    """A vector in single precision, as every model makes them, comes back bit for bit."""
    with EmbeddingCache(Path(":memory:")) as memory:
        memory.put_many("f", [text for text, _ in pairs], [vector for _, vector in pairs])
        assert memory.get_many("f", [text for text, _ in pairs]) == [tuple(vector) for _, vector in pairs]


def test_embedders_do_not_share_vectors(cache: EmbeddingCache) -> None:
    """The key is (embedder fingerprint, exact text); no two pairs are confused."""
    cache.put_many("a", ["bc"], [(1.0,)])
    assert cache.get_many("b", ["bc"]) == [None]
    assert cache.get_many("ab", ["c"]) == [None]
    assert cache.get_many("a", ["bc ", "BC"]) == [None, None]


def test_replaces(cache: EmbeddingCache) -> None:
    """A second put replaces the first."""
    cache.put_many("a", ["x"], [(1.0,)])
    cache.put_many("a", ["x"], [(2.0,)])
    assert cache.get_many("a", ["x"]) == [(2.0,)]
    assert cache.count() == 1


def test_more_keys_than_one_query_may_have(cache: EmbeddingCache) -> None:
    """Reads go in bounded batches."""
    texts = [f"text {n}" for n in range(2600)]
    cache.put_many("a", texts[::2], [(float(n),) for n in range(0, 2600, 2)])
    found = cache.get_many("a", texts)
    assert [v[0] if v else None for v in found] == [float(n) if n % 2 == 0 else None for n in range(2600)]


def test_forgets(cache: EmbeddingCache) -> None:
    """``delete_many`` removes the vectors of a text."""
    cache.put_many("a", ["x", "y"], [(1.0,), (2.0,)])
    cache.delete_many("a", ["x", "never there"])
    assert cache.get_many("a", ["x", "y"]) == [None, (2.0,)]


def test_stores_no_text(tmp_path: Path) -> None:
    """The file holds hashes and numbers."""
    with EmbeddingCache(tmp_path / "v.sqlite") as opened:
        opened.put_many("a", ["a secret sentence"], [(1.0,)])
    data = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"secret" not in data


def test_wrong_number_of_vectors(cache: EmbeddingCache) -> None:
    """As many vectors as texts, else nothing is written."""
    with pytest.raises(UsageError, match="2 texts with 1 vectors"):
        cache.put_many("a", ["x", "y"], [(1.0,)])
    assert cache.count() == 0


def test_damaged_vector_counts_as_missing(cache: EmbeddingCache) -> None:
    """A vector whose checksum does not match is made again."""
    cache.put_many("a", ["x", "y"], [(1.0, 2.0), (3.0, 4.0)])
    with sqlite3.connect(cache.path) as other:
        other.execute("UPDATE vectors SET vector = zeroblob(8) WHERE rowid = 1")
    other.close()
    assert cache.get_many("a", ["x", "y"]) == [None, (3.0, 4.0)]


def test_no_cache_file_is_an_integrity_error(tmp_path: Path) -> None:
    """A file that is no database says what to do."""
    path = tmp_path / "v.sqlite"
    path.write_bytes(b"this is not a database, it is a text that is long enough to be taken for one" * 30)
    with pytest.raises(IntegrityError, match="Delete the file"):
        EmbeddingCache(path)


def test_place_that_cannot_be_written(tmp_path: Path) -> None:
    """A directory in the way is an error of place."""
    (tmp_path / "v.sqlite").mkdir()
    with pytest.raises(Unavailable, match="cannot be used"):
        EmbeddingCache(tmp_path / "v.sqlite")
    (tmp_path / "file").write_text("x")
    with pytest.raises(Unavailable, match="cannot be used"):
        EmbeddingCache(tmp_path / "file" / "v.sqlite")


def test_closed_cache_is_unavailable(tmp_path: Path) -> None:
    """A closed cache raises no foreign error."""
    opened = EmbeddingCache(tmp_path / "v.sqlite")
    opened.close()
    opened.close()
    with pytest.raises(Unavailable):
        opened.get_many("a", ["x"])


def test_threads_share_one_object(cache: EmbeddingCache) -> None:
    """Writers and readers in threads do not disturb each other."""
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for n in range(20):
                cache.put_many("a", [f"{number}-{n}"], [(float(n),)])
                assert cache.get_many("a", [f"{number}-{n}"]) == [(float(n),)]
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert cache.count() == 80


def _write_many(path: Path, name: str) -> None:
    with EmbeddingCache(path) as opened:
        for n in range(50):
            opened.put_many(name, [str(n)], [(float(n),)])


def test_processes_write_and_read_the_same_file(tmp_path: Path) -> None:
    """Two processes that write and one that reads: no error, nothing lost."""
    path = tmp_path / "v.sqlite"
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write_many, args=(path, name)) for name in "ab"]
    with EmbeddingCache(path) as reader:
        for writer in writers:
            writer.start()
        while any(writer.is_alive() for writer in writers):
            found = reader.get_many("a", [str(n) for n in range(50)])
            assert all(vector == (float(n),) for n, vector in enumerate(found) if vector)
            time.sleep(0.01)
        for writer in writers:
            writer.join()
            assert writer.exitcode == 0
        assert None not in reader.get_many("a", [str(n) for n in range(50)])
        assert reader.count() == 100


_ENDLESS = """
import sys
from pathlib import Path
from withgrain.embed import EmbeddingCache
cache = EmbeddingCache(Path(sys.argv[1]))
for n in range(10**6):
    cache.put_many("a", [f"{n}-{m}" for m in range(8)], [(float(n), float(m)) for m in range(8)])
    print(n, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_killed_writer_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    """``kill -9`` while it writes: every acknowledged batch is there, whole, and no batch is there in part."""
    path = tmp_path / "v.sqlite"
    with subprocess.Popen([sys.executable, "-c", _ENDLESS, str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(25):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        acknowledged = 25 + len(process.stdout.readlines())
    with EmbeddingCache(path) as opened:
        for n in range(acknowledged):
            assert opened.get_many("a", [f"{n}-{m}" for m in range(8)]) == [(float(n), float(m)) for m in range(8)]
        assert opened.count() % 8 == 0


def test_embeds_each_distinct_text_once_in_order(cache: EmbeddingCache) -> None:
    """Duplicates inside the request are embedded once, and the order is that of the request."""
    embedder = HashEmbedder()
    texts = ["b", "a", "b", "c", "a"]
    vectors, made = embed_cached(embedder, cache, texts)
    assert made == 3
    assert embedder.embedded == ["b", "a", "c"]
    assert vectors == [pytest.approx(vector, abs=1e-6) for vector in HashEmbedder().embed_documents(texts)]
    assert embed_cached(HashEmbedder(), cache, texts) == (vectors, 0)
    assert embed_cached(HashEmbedder(), None, texts)[0] == vectors


def test_hits_are_not_embedded(cache: EmbeddingCache) -> None:
    """A second run embeds only what is new."""
    embedder = HashEmbedder()
    embed_cached(embedder, cache, ["a", "b"])
    again, made = embed_cached(embedder, cache, ["a", "c", "b"])
    assert made == 1
    assert embedder.embedded == ["a", "b", "c"]
    assert again[0] == cache.get_many(fingerprint(embedder), ["a"])[0]


def test_works_without_a_cache() -> None:
    """None as cache: duplicates are still embedded once."""
    embedder = HashEmbedder()
    vectors, made = embed_cached(embedder, None, ["a", "a"])
    assert made == 1
    assert vectors[0] == vectors[1]
    assert embed_cached(embedder, None, []) == ([], 0)


def test_another_revision_is_another_space(cache: EmbeddingCache) -> None:
    """Vectors of another revision are not taken."""
    embed_cached(HashEmbedder(32), cache, ["a"])
    assert embed_cached(HashEmbedder(64), cache, ["a"])[1] == 1


def test_progress_counts_what_is_really_embedded(cache: EmbeddingCache) -> None:
    """Progress tells (embedded so far, to embed); cached texts do not count."""
    embedder = HashEmbedder()
    embed_cached(embedder, cache, ["known"])
    told: list[tuple[int, int]] = []
    texts = ["known", *[f"text {n}" for n in range(BATCH + 5)]]
    embed_cached(embedder, cache, texts, progress=lambda done, total: told.append((done, total)))
    assert told == [(BATCH, BATCH + 5), (BATCH + 5, BATCH + 5)]
    told.clear()
    embed_cached(embedder, cache, texts, progress=lambda done, total: told.append((done, total)))
    assert told == []


def test_interrupted_run_keeps_what_it_made(cache: EmbeddingCache) -> None:
    """Interrupted in the progress callback: every batch so far is kept, the next run goes on from there."""
    embedder = HashEmbedder()
    texts = [f"text {n}" for n in range(4 * BATCH)]

    def interrupt(done: int, total: int) -> None:
        if done >= 2 * BATCH:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        embed_cached(embedder, cache, texts, progress=interrupt)
    assert cache.count() == 2 * BATCH
    vectors, made = embed_cached(embedder, cache, texts)
    assert made == 2 * BATCH
    assert embedder.embedded == texts
    assert len(vectors) == len(texts)


def test_text_over_the_window_is_refused_and_earlier_batches_stay(cache: EmbeddingCache) -> None:
    """Nothing is truncated; what was made before the refusal is kept."""
    texts = [*[f"text {n}" for n in range(BATCH)], "word " * 500]
    with pytest.raises(UsageError, match="tokens"):
        embed_cached(HashEmbedder(), cache, texts)
    assert cache.count() == BATCH


class _Broken(HashEmbedder):
    def embed_documents(self, texts: object) -> list[tuple[float, ...]]:
        return [(1.0,)]


def test_embedder_that_breaks_its_promise_is_found(cache: EmbeddingCache) -> None:
    """Another number of vectors, or of dimensions, is never stored."""
    for texts in (["a"], ["a", "b"]):
        with pytest.raises(IntegrityError, match="nothing of this batch was kept"):
            embed_cached(_Broken(), cache, texts)
    assert cache.count() == 0


def test_full_disk_is_an_error_of_place_and_loses_nothing(cache: EmbeddingCache) -> None:
    """No space: the error says so, nothing of the batch is stored, what was there stays and can be read."""
    cache.put_many("a", ["x"], [(1.0,) * 384])
    (pages,) = cache._connection.execute("PRAGMA page_count").fetchone()
    cache._connection.execute(f"PRAGMA max_page_count={pages + 5}")
    with pytest.raises(Unavailable, match="full"):
        cache.put_many("a", [str(n) for n in range(200)], [(2.0,) * 384] * 200)
    assert cache.count() == 1
    assert cache.get_many("a", ["x", "0"]) == [(1.0,) * 384, None]
    cache._connection.execute("PRAGMA max_page_count=100000")
    cache.put_many("a", ["y"], [(3.0,)])
    assert cache.get_many("a", ["y"]) == [(3.0,)]


def test_a_reader_is_not_locked_out_by_a_writer(cache: EmbeddingCache) -> None:
    """While another connection is inside a write, reading answers at once from the last state."""
    cache.put_many("a", ["x"], [(1.0,)])
    other = sqlite3.connect(cache.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    other.execute("DELETE FROM vectors")
    started = time.perf_counter()
    assert cache.get_many("a", ["x"]) == [(1.0,)]
    assert time.perf_counter() - started < 5
    other.execute("ROLLBACK")
    other.close()
