"""Runs the model: one text in, one vector out."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from withgrain.embed.weights import read_weights
from withgrain.tokens.resources import checked

if TYPE_CHECKING:
    import numpy

#: Hashes of the files that ``tools/build_fused_model.py`` makes: the graph with one vector a text, the one that tells
#: the vectors of its tokens as well, and where their weights stand.
GRAPH_SHA256 = "4f25e4a0e1ff721504791ef57d014ad2b1ccd0a051b5b5b5641e93b07415c2bc"
TOKENS_SHA256 = "0da9ecee8ed3846f24f645912c61a78ae220ee9b1631ada1bb5783318ff04ddb"
TENSORS_SHA256 = "cdc74f2bee7173455e855340b7c3ebb225ece2af63b942a889d0e0f0509e5748"


class Engine:
    """An ONNX session of all-MiniLM-L6-v2 on the CPU, over the weights of the data package.

    The graph multiplies the int8 weights by activations that it quantises to 8 bits, one scale a matrix, and ends in
    the mean of the token vectors scaled to length 1. It runs one text at a time in the calling thread: with several, a
    vector would depend on its neighbours, for they would share that scale. Several threads may call it at once: the
    session holds no state between calls and releases the interpreter lock.

    On processors with AVX2 but without VNNI, 8-bit products saturate in places: vectors of one text from the two kinds
    of processor differ (cosine about 0.992 in the mean), on one kind they are equal bit for bit.
    """

    def __init__(self, *, by_token: bool = False) -> None:
        """Load the model; ``by_token`` chooses the graph that has `with_tokens` beside `vector`."""
        # Read once, when the library starts: later it would already have stored an identifier of this device.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        import onnxruntime

        onnxruntime.disable_telemetry_events()  # Windows does not heed the variable; nor does who imported it before
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        options.enable_mem_pattern = False  # a plan per length of text would be kept for ever
        # The graph is fused already; fusing further would join addition and normalisation, which is slower.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        tensors = read_tensors(read_weights())
        # The session may read these where they are: they must live as long as it does.
        self._tensors = tensors
        self._values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in tensors.values()]
        options.add_external_initializers(list(tensors), self._values)
        name, digest = ("tokens.onnx", TOKENS_SHA256) if by_token else ("graph.onnx", GRAPH_SHA256)
        graph = checked("withgrain.embed", name, digest).read_bytes()
        self._session: Any = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])

    def vector(self, ids: Sequence[int]) -> tuple[float, ...]:
        """Return the vector of one text, of length 1, in single precision.

        Args:
            ids: Token ids with the special tokens around them.
        """
        (found,) = self._run(ids, "vector")
        return tuple(found[0].tolist())

    def with_tokens(self, ids: Sequence[int]) -> tuple[tuple[float, ...], numpy.ndarray[Any, Any]]:
        """Return the vector of one text, and one of length 1 for each of its tokens, the special ones left out."""
        found, states = self._run(ids, "vector", "tokens")
        return tuple(found[0].tolist()), states[0][1:-1]

    def _run(self, ids: Sequence[int], *wanted: str) -> list[numpy.ndarray[Any, Any]]:
        import numpy

        inputs = {
            "input_ids": numpy.asarray([ids], dtype=numpy.int64),
            "positions": numpy.arange(len(ids), dtype=numpy.int64),
        }
        found: list[numpy.ndarray[Any, Any]] = self._session.run(list(wanted), inputs)
        return found


def read_tensors(weights: bytes) -> dict[str, numpy.ndarray[Any, Any]]:
    """Return the tensors that the graph asks for, cut out of the file of weights.

    Args:
        weights: The whole file, checked: the places are those of that very file.
    """
    import numpy

    table = json.loads(checked("withgrain.embed", "tensors.json", TENSORS_SHA256).read_text(encoding="utf-8"))
    tensors = {}
    for name, entry in table["tensors"].items():
        parts = [
            numpy.frombuffer(weights, entry["type"], prod(shape), start).reshape(shape)
            for start, *shape in entry["parts"]
        ]
        whole = parts[0] if len(parts) == 1 else numpy.concatenate(parts, axis=-1)
        tensors[name] = numpy.ascontiguousarray(whole.reshape(entry["shape"]))
    return tensors
