"""Late interaction with the bundled model: each token of the question looks for its nearest token of the text.

MaxSim as in ColBERT (Khattab and Zaharia, SIGIR 2020), with the token vectors that the bundled sentence model makes on
its way to its one vector; nothing was trained for this and nothing is downloaded. It costs one run of the model a text,
so it is slow for a first question and fast for texts that it has read: their vectors are remembered.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

from withgrain.embed import MiniLM
from withgrain.errors import ConfigError

if TYPE_CHECKING:
    import numpy

    Matrix = numpy.ndarray[Any, Any]

#: Texts whose token vectors are remembered: about 200 kB each.
_REMEMBERED = 500


class LateInteraction:
    """Scores a text by the mean, over the question's tokens, of the best cosine to a token of the text.

    A text longer than the model's window (254 tokens) is judged by its beginning.

    Attributes:
        name: ``late``.
    """

    name = "late"

    def __init__(self) -> None:
        """Prepare; the model is loaded with the first question.

        Raises:
            MissingExtra: The search extra is not installed.
        """
        self._model = MiniLM(workers=1)
        self._known: OrderedDict[str, Matrix] = OrderedDict()
        self._lock = Lock()

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return the score of each text, -1 to 1."""
        if not texts:
            return []
        asked = self._model.token_vectors(question)
        if not len(asked):
            return [0.0] * len(texts)
        return [float((asked @ self._remembered(text).T).max(axis=1, initial=-1).mean()) for text in texts]

    def _remembered(self, text: str) -> Matrix:
        with self._lock:
            found = self._known.pop(text, None)
        if found is None:
            found = self._model.token_vectors(text).astype("float16")
        with self._lock:
            self._known[text] = found
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return found.astype("float32")


def from_spec(rest: str) -> LateInteraction:
    """Return the reranker for ``late``.

    Raises:
        ConfigError: Something follows the name.
    """
    if rest:
        raise ConfigError(f'The reranker "late" takes nothing behind its name, not "{rest[:80]}".')
    return LateInteraction()
