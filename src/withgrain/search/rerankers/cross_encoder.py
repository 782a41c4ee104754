"""A cross-encoder of the package sentence-transformers, from a directory on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from withgrain.errors import ConfigError, MissingExtra, another_package


class CrossEncoderReranker:
    """Reads question and text together with a model; accurate and slow.

    Attributes:
        name: ``cross-encoder``.
    """

    name = "cross-encoder"

    def __init__(self, model: Any) -> None:
        """``model`` has ``predict(pairs) -> numbers``, as ``sentence_transformers.CrossEncoder``."""
        self._model = model

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return the model's score of each text."""
        if not texts:
            return []
        return [float(score) for score in self._model.predict([(question, text) for text in texts])]


def from_spec(rest: str) -> CrossEncoderReranker:
    """Return the reranker for ``cross-encoder:DIRECTORY``. The model is read from there; nothing is downloaded.

    Raises:
        ConfigError: There is no such directory, or no model in it.
        MissingExtra: sentence-transformers is not installed.
    """
    if not rest or not Path(rest).is_dir():
        raise ConfigError(
            f'cross-encoder: there is no directory "{rest}". Give the directory of a model that you downloaded.'
        )
    try:
        from sentence_transformers import CrossEncoder
    except ImportError as error:
        raise MissingExtra("cross-encoder", need="A cross-encoder") from error
    with another_package(f'The cross-encoder in "{rest}"'):
        return CrossEncoderReranker(CrossEncoder(rest, local_files_only=True))
