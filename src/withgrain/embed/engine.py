"""Runs the model: one text in, one vector out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from withgrain.embed.weights import read_weights

#: Says in the revision which graph ran: another one means other vectors.
GRAPH = "weight-only-int8"


class Engine:
    """The ONNX session of all-MiniLM-L6-v2 on the CPU.

    It runs one text at a time in the calling thread, so that a vector depends on its text alone; several threads may
    call it at once (the session holds no state between calls and releases the interpreter lock).
    """

    def __init__(self) -> None:
        import onnxruntime

        onnxruntime.disable_telemetry_events()  # the library has some on Windows
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        options.enable_mem_pattern = False  # a plan per length of text would be kept for ever
        self._session: Any = onnxruntime.InferenceSession(read_weights(), options, providers=["CPUExecutionProvider"])

    def vector(self, ids: Sequence[int]) -> tuple[float, ...]:
        """Return the mean of the token vectors, scaled to length 1, in single precision.

        Args:
            ids: Token ids with the special tokens around them.
        """
        import numpy

        tokens = numpy.asarray([ids], dtype=numpy.int64)
        (hidden,) = self._session.run(
            ["last_hidden_state"],
            {
                "input_ids": tokens,
                "attention_mask": numpy.ones_like(tokens),
                "token_type_ids": numpy.zeros_like(tokens),
            },
        )
        mean = hidden[0].mean(axis=0, dtype=numpy.float64)
        unit: tuple[float, ...] = tuple((mean / numpy.linalg.norm(mean)).astype(numpy.float32).tolist())
        return unit
