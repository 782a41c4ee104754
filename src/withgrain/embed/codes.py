"""Token vectors in a short form: 16 bytes a token, for late interaction over what a collection keeps.

A token vector is turned onto 128 principal directions of token vectors in general, and of each number only the sign is
kept. A question's own token vectors stay as they are. MaxSim (ColBERT: Khattab and Zaharia, SIGIR 2020): each token of
the question looks for the token of the text that is nearest to it. Signs of learnt directions: as in Gong and Lazebnik,
"Iterative Quantization", CVPR 2011, without its rotation. ``tools/train_token_directions.py`` makes the directions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from withgrain.tokens.resources import checked

if TYPE_CHECKING:
    import numpy

    Matrix = numpy.ndarray[Any, Any]

DIRECTIONS_SHA256 = "bf8998fab0f8a3e7cf67c3bd222481ec046c81e337d06a39eec544a578beab2d"
#: Length of a token vector, and of what is kept of it in bits.
DIMS, BITS = 384, 128
#: Multiplications that are done in one thread.
_ALONE = 250_000


@cache
def directions() -> Matrix:
    """Return the directions as columns, 384 x 128.

    Raises:
        IntegrityError: The file is not the one that withgrain was tested with.
    """
    import numpy

    data = checked("withgrain.embed", "directions.f16", DIRECTIONS_SHA256).read_bytes()
    return numpy.frombuffer(data, dtype="<f2").reshape(DIMS, BITS).astype(numpy.float32)


def encode(vectors: Matrix) -> bytes:
    """Return the short form of the token vectors of a text: 16 bytes a row, in order."""
    import numpy

    return numpy.packbits(_product(vectors, directions()) > 0, axis=1).tobytes()


def bits(codes: bytes) -> Matrix:
    """Return the short form as numbers, one row a token: 1 for a positive number along a direction, else 0."""
    import numpy

    packed = numpy.frombuffer(codes, dtype=numpy.uint8).reshape(-1, BITS // 8)
    return numpy.unpackbits(packed, axis=1).astype(numpy.float32)


def _product(rows: Matrix, columns: Matrix) -> Matrix:
    """Return the product of two matrices, a few rows at once.

    So few that the library of matrices does not spread them over threads, which would wait for each other.
    """
    import numpy

    step = max(1, _ALONE // columns.size)
    parts = [rows[start : start + step] @ columns for start in range(0, len(rows), step)]
    return numpy.concatenate(parts) if parts else numpy.empty((0, columns.shape[1]), dtype=numpy.float32)


def nearness(question: Matrix, texts: Sequence[Sequence[bytes]]) -> list[float]:
    """Return for each text the mean, over the tokens of a question, of the best product with a token of the text.

    Args:
        question: Its token vectors, one a row.
        texts: For each text the codes of its pieces.

    Returns:
        Numbers to compare with each other; a text without tokens has the lowest that there can be.
    """
    import numpy

    joined = [b"".join(pieces) for pieces in texts]
    sizes = numpy.array([len(codes) * 8 // BITS for codes in joined])
    if not len(question) or not sizes.any():
        return [0.0] * len(texts)
    asked = _product(question, directions()).T
    products = _product(bits(b"".join(joined)), 2 * asked) - asked.sum(axis=0)  # the sum over signs, from bits
    there = numpy.flatnonzero(sizes)
    begins = (numpy.cumsum(sizes) - sizes)[there]
    lowest = -float(numpy.abs(asked).sum(axis=0).mean())
    found = numpy.full(len(texts), lowest)
    found[there] = numpy.maximum.reduceat(products, begins, axis=0).mean(axis=1)
    return [float(x) for x in found]
