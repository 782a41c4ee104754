"""The tokenizer of a model that the user has on disk."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from withgrain.errors import ConfigError


class FileTokenizer:
    """Counts with the vocabulary of a Hugging Face ``tokenizer.json``; truncation and padding off, no special tokens.

    Attributes:
        name: ``tokenizer.json:`` and the name of the directory that holds the file.
        version: Start of the file's SHA-256.
        additive: False: byte-pair vocabularies join white space with the word after it.
    """

    additive = False

    def __init__(self, path: Path) -> None:
        import tokie

        try:
            digest = sha256(path.read_bytes()).hexdigest()
            self._engine: Any = tokie.Tokenizer.from_json(str(path))
        except (OSError, tokie.TokieError, ValueError) as error:
            raise ConfigError(
                f"{path} cannot be read as a Hugging Face tokenizer.json ({error}). Name the tokenizer.json of a model"
            ) from error
        self._engine.no_truncation()
        self._engine.no_padding()
        self.name = f"tokenizer.json:{path.absolute().parent.name}"
        self.version = digest[:16]

    def count(self, text: str) -> int:
        """Return the number of tokens of ``text``; lone surrogates, which are no text, count as U+FFFD."""
        try:
            return int(self._engine.count_tokens(text))
        except UnicodeEncodeError:
            return int(self._engine.count_tokens(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")))

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return ``[count(t) for t in texts]``."""
        return [self.count(text) for text in texts]
