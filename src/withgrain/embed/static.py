"""The static embedder: a table of token vectors instead of a network. Thousands of texts a second, a coarser sense."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from withgrain.errors import IntegrityError, MissingExtra, UsageError
from withgrain.tokens import WordPiece, wordpiece
from withgrain.tokens.wordpiece import CLS
from withgrain.types import Tokenizer

if TYPE_CHECKING:
    import numpy

#: SHA-256 of the table that ``tools/train_static_model.py`` made.
MODEL_SHA256 = "b5e3a123d121f509755ab6f4651b77af860d780c3b3ef35441e2cd23cd54f83c"
DIMS = 256
_PACKAGE = "withgrain_static"


class Static:
    """Weighted mean of token vectors, scaled to length 1.

    The table was learned so that this mean comes near to the vector that all-MiniLM-L6-v2 gives the whole text (the
    package's README says from which texts). Its numbers are whole, so a sum of them is exact: a vector is the same bit
    for bit on every machine, whatever its neighbours are. The table (8 MB) is read when the first vector is asked for.

    Attributes:
        id: ``static``.
        revision: Start of the hash of the table, and version of the tokenizer.
        dims: 256.
        window: 254: nothing in the model limits it, so that leaves are those of ``minilm``.
        normalised: True.
        tokenizer: That of ``minilm``.
        dense_weight: How much the vectors count in hybrid search beside words (measured: docs/results/collections.md).
    """

    id = "static"
    dims = DIMS
    window = 254
    normalised = True
    dense_weight = 0.35

    def __init__(self) -> None:
        _find_model()
        self._wordpiece: WordPiece = wordpiece()
        self.tokenizer: Tokenizer = self._wordpiece
        self.revision = f"{MODEL_SHA256[:8]}-{self.tokenizer.version}"

    def embed_documents(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Return one vector a text, in order.

        Raises:
            UsageError: A text is longer than ``window`` tokens; nothing was embedded.
            IntegrityError: The model file is not the one that it should be.
        """
        encoded = [self._wordpiece.encode(text) for text in texts]
        for index, ids in enumerate(encoded):
            if len(ids) > self.window:
                raise UsageError(
                    f"text {index} has {len(ids)} tokens, the embedder {self.id} reads {self.window} "
                    f"(the text begins {texts[index][:60]!r}). Cut it into shorter ones: nothing is truncated silently"
                )
        return [self._vector(ids) for ids in encoded]

    def embed_query(self, text: str) -> tuple[float, ...]:
        """Return the vector of a question, of its first ``window`` tokens when it is longer."""
        return self._vector(self._wordpiece.encode(text)[: self.window])

    def _vector(self, ids: Sequence[int]) -> tuple[float, ...]:
        import numpy as np

        weights, vectors = self._table
        tokens = ids or [CLS]  # a text without any still has a vector
        total = weights[tokens] @ vectors[tokens].astype(np.float64)  # whole numbers below 2^53: exact in any order
        unit: list[float] = (total / np.sqrt(total @ total)).astype(np.float32).tolist()
        return tuple(unit)

    @cached_property
    def _table(self) -> tuple[numpy.ndarray[Any, Any], numpy.ndarray[Any, Any]]:
        """Weight of each token, and its vector."""
        import numpy as np

        records = np.frombuffer(read_model(), dtype=[("weight", "<i2"), ("vector", "i1", DIMS)])
        return records["weight"].astype(np.float64), np.ascontiguousarray(records["vector"])


def read_model(path: Path | None = None) -> bytes:
    """Return the checked content of the model file.

    Args:
        path: The file; that of the installed package, or of this source tree, when not given.

    Raises:
        MissingExtra: The package is not installed.
        IntegrityError: The file is missing or is not the one that withgrain was tested with.
    """
    path = path or _find_model()
    try:
        data = path.read_bytes()
    except OSError as error:
        raise IntegrityError(f"the static model cannot be read ({error}). {_AGAIN}") from error
    found = sha256(data).hexdigest()
    if found != MODEL_SHA256:
        raise IntegrityError(
            f"{path} is not the static model that withgrain was tested with (sha256 {found[:16]}…, expected "
            f"{MODEL_SHA256[:16]}…). {_AGAIN}"
        )
    return data


_AGAIN = "Type: pip install --force-reinstall withgrain-static"


def _find_model() -> Path:
    if find_spec("numpy") is None:
        raise MissingExtra("search", need="the static embedding model")
    package = find_spec(_PACKAGE)
    if package is not None and package.origin is not None:
        return Path(package.origin).with_name("model.bin")
    beside = Path(__file__).parents[3] / "packages" / "withgrain-static" / "src" / _PACKAGE / "model.bin"
    if beside.is_file():  # a source tree has it without an installation
        return beside
    raise MissingExtra("static", need="the static embedding model")
