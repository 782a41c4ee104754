"""One cell: a data set cut by one contestant, indexed in memory, and asked. Results are kept as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from glob import escape as glob_escape
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.grid.contestants import Contestant
from benchmarks.grid.indexed import Indexed, indexed
from withgrain.chunk import Chunked, LeafShape
from withgrain.embed import EmbeddingCache, embed_with_tokens
from withgrain.evaluate import EvalQuestion, evaluate, load_questions
from withgrain.ingest import make_contract
from withgrain.ingest.records import Placement, make_records
from withgrain.model import Bundle, Document, Leaf, LeafRecord, document_id
from withgrain.parse import media_type_for, parse
from withgrain.search import Mode, Weights
from withgrain.tokens import wordpiece
from withgrain.types import Embedder, Snapshot

ROOT = Path(__file__).resolve().parents[2]
#: A result of other code is taken over when every so many-th question is answered as before.
CONFIRMED_BY = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """A corpus with questions; ``scoped`` = questions with a document scope are asked inside it."""

    name: str
    corpus: Path
    questions: Path
    scoped: bool = True
    suffixes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """The result of one cell.

    Attributes:
        answers: Metrics by question.
        curves: Recall within each budget, by question.
        types: Type of each question.
        documents: Document of each question.
        facts: Chunks, tokens, problems; for one that is kept also the hashes of the code that made it and of what was
            searched, the size of the sample, and seconds of processor time.
    """

    answers: Mapping[str, Mapping[str, float]]
    curves: Mapping[str, Sequence[float]]
    types: Mapping[str, str]
    documents: Mapping[str, str]
    facts: Mapping[str, Any] = field(default_factory=dict)

    def values(self, metric: str) -> dict[str, float]:
        """Return one metric by question, where it is defined."""
        return {i: m[metric] for i, m in self.answers.items() if metric in m}


def data_sets(shared: Path) -> list[DataSet]:
    """Return the development sets, and the handbook of the examples."""
    corpus, place = shared / "corpus", shared
    examples = ROOT / "examples"
    return [
        DataSet(name="techops", corpus=corpus / "techops", questions=place / "techops.dev.questions.jsonl"),
        DataSet(name="tatqa", corpus=corpus / "tatqa", questions=place / "tatqa.dev.questions.jsonl", scoped=False),
        DataSet(name="chroma", corpus=corpus / "chroma", questions=place / "chroma.questions.jsonl"),
        DataSet(name="cuad", corpus=corpus / "cuad", questions=place / "cuad.dev.questions.jsonl"),
        DataSet(
            name="chunklab",
            corpus=corpus / "chunklab",
            questions=place / "chunklab.questions.jsonl",
            suffixes=(".md",),
        ),
        DataSet(name="handbook", corpus=examples / "handbook", questions=examples / "questions.jsonl"),
    ]


@cache
def code_hash() -> str:
    """Return a hash of the code that results depend on."""
    found = sha256()
    for package in ("parse", "tokens", "signals", "chunk", "search", "evaluate"):
        for path in sorted((ROOT / "src" / "withgrain" / package).rglob("*.py")):
            if "report" not in path.parts:
                found.update(path.read_bytes())
    return found.hexdigest()[:12]


class Corpora:
    """Documents and questions of the data sets, each parsed once in a run."""

    def __init__(self) -> None:
        self._documents: dict[str, list[Document]] = {}

    def documents(self, data_set: DataSet) -> list[Document]:
        """Return the parsed documents."""
        if data_set.name not in self._documents:
            files = sorted(p for p in data_set.corpus.rglob("*") if p.is_file() and media_type_for(p.name))
            chosen = [p for p in files if not data_set.suffixes or p.suffix in data_set.suffixes]
            root = data_set.corpus.name
            self._documents[data_set.name] = [
                parse(p.read_bytes(), uri=f"{root}/{p.relative_to(data_set.corpus).as_posix()}", root=root)
                for p in chosen
            ]
        return self._documents[data_set.name]

    def questions(self, data_set: DataSet) -> tuple[EvalQuestion, ...]:
        """Return the questions whose documents are there."""
        names = {Path(d.source.path).stem for d in self.documents(data_set)}
        found = load_questions(data_set.questions)
        return tuple(q for q in found if Path(q.doc_id).stem in names)


def collection(
    documents: Sequence[Document],
    contestant: Contestant,
    embedder: Embedder | None = None,
    vectors: EmbeddingCache | None = None,
) -> Indexed:
    """Return a collection in memory, with the vectors and token codes that the embedder gives."""
    from withgrain.chunk import POLICIES

    bundles, cut = [], contestant.make()
    for document in documents:
        found = cut(document)
        record, chunks = make_records(document, found, Placement())
        rows: list[LeafRecord] = []
        if embedder is not None:
            units = leaves_of(document, found, embedder, contestant.shape)
            made, _ = embed_with_tokens(embedder, vectors, [u.text for u in units])
            rows = [
                LeafRecord(
                    id=u.id,
                    chunk_id=u.chunk_id,
                    doc_id=record.id,
                    span=u.span,
                    vector=one.vector,
                    token_codes=one.token_codes,
                )
                for u, one in zip(units, made, strict=True)
            ]
        bundles.append(Bundle(document=record, chunks=chunks, leaves=tuple(rows)))
    return indexed(bundles, make_contract(POLICIES["structure_aware"], wordpiece(), embedder))


def leaves_of(document: Document, found: Chunked, embedder: Embedder, shape: LeafShape) -> list[Leaf]:
    """Return the leaves of all chunks of a document."""
    from withgrain.chunk import leaves

    return [leaf for c in found.chunks for leaf in leaves(document, c, embedder.tokenizer, embedder.window, shape)]


def digest(snapshot: Indexed) -> str:
    """Return a hash of all that a search can find: chunks with their places and texts, and the names of leaves."""
    inner, found = snapshot.inner, sha256()
    for document in inner.documents():
        records = inner.chunks(doc_id=document.id)
        named = [leaf.id for leaf in inner.leaves([r.chunk.id for r in records])]
        rows = [(r.chunk.id, str(r.chunk.span), r.terms, r.chunk.display_text) for r in records]
        found.update(json.dumps((document.id, rows, named)).encode())
    return found.hexdigest()[:16]


def confirmed(
    last: Cell | None, index: str, again: Callable[[Sequence[EvalQuestion]], Cell], asked: Sequence[EvalQuestion]
) -> bool:
    """Return whether a result of other code would come out the same.

    What is searched has to be the same, to the letter, and so have all metrics of every tenth question.

    Args:
        last: The result.
        index: The hash of what is searched now.
        again: Asks some questions.
        asked: All questions.
    """
    if last.facts.get("index") != index:
        return False
    some = again(asked[::CONFIRMED_BY]).answers
    return bool(some) and all(last.answers.get(question) == metrics for question, metrics in some.items())


def ask(
    snapshot: Indexed,
    data_set: DataSet,
    questions: Sequence[EvalQuestion],
    *,
    mode: Mode = "lexical",
    embedder: Embedder | None = None,
    weights: Weights | None = None,
) -> Cell:
    """Ask a collection, and return the cell."""
    inner: Snapshot = snapshot  # type: ignore[assignment]
    found = evaluate(inner, questions, embedder, mode=mode, scoped=data_set.scoped, weights=weights)
    chunks = [r.chunk for d in inner.documents() for r in inner.chunks(doc_id=d.id)]
    facts = {
        "chunks": len(chunks),
        "tokens": sum(c.tokens or 0 for c in chunks),
        "vectors": inner.count()["leaves"],
        "problems": [str(p) for p in found.problems],
    }
    return Cell(
        answers={a.question.id: {k: round(v, 6) for k, v in a.metrics.items()} for a in found.answers},
        curves={a.question.id: [round(v, 6) for v in a.curve] for a in found.answers},
        types={a.question.id: a.question.type for a in found.answers},
        documents={a.question.id: document_id(a.question.doc_id) for a in found.answers},
        facts=facts,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The results on disk.

    Attributes:
        place: Directory.
        sample: Questions of a set: results of another sample do not count.
        any_code: Whether results of other code, and of other samples, count as well.
    """

    place: Path
    sample: int = 0
    any_code: bool = False

    def get(self, data_set: str, contestant: Contestant, kind: str) -> Cell | None:
        """Return a result that was kept; None when there is none that counts."""
        cell = self.last(data_set, contestant, kind)
        now = {"code": code_hash(), "sample": self.sample}
        counts = cell is not None and (self.any_code or all(cell.facts.get(k) == v for k, v in now.items()))
        return cell if counts else None

    def last(self, data_set: str, contestant: Contestant, kind: str) -> Cell | None:
        """Return the result that was kept last, whatever code made it."""
        path = self._path(data_set, contestant, kind)
        if self.any_code and not path.is_file():  # under other code the same name may have had another key
            pattern = f"{glob_escape(contestant.name)}-{'[0-9a-f]' * 8}.json"
            path = max(path.parent.glob(pattern), key=lambda p: p.stat().st_mtime, default=path)
        if not path.is_file():
            return None
        return Cell(**json.loads(path.read_text(encoding="utf-8")))

    def put(self, data_set: str, contestant: Contestant, kind: str, cell: Cell) -> None:
        """Keep a result as one of today's code."""
        path = self._path(data_set, contestant, kind)
        path.parent.mkdir(parents=True, exist_ok=True)
        shape = {name: getattr(cell, name) for name in Cell.__slots__}
        shape["facts"] = {**cell.facts, "code": code_hash(), "sample": self.sample}
        waiting = path.with_suffix(".new")
        waiting.write_text(json.dumps(shape), encoding="utf-8")
        waiting.replace(path)

    def _path(self, data_set: str, contestant: Contestant, kind: str) -> Path:
        name = f"{contestant.name}-{sha256(contestant.key.encode()).hexdigest()[:8]}.json".replace("/", "_")
        return self.place / kind / data_set / name
