"""The tokenizer of a model that the user has on disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from withgrain.errors import ConfigError


class FileTokenizer:
    """Counts with the vocabulary of a Hugging Face ``tokenizer.json``; truncation and padding off, no special tokens.

    It uses the package ``tokenizers`` where that is installed: it is the reference. Without it, ``tokie`` counts for
    byte-level BPE (the kind of GPT-2), where the two agree; for the other kinds ``tokie`` can be wrong without a word,
    so they need the reference. Lone surrogates, which are no text, count as U+FFFD.

    Attributes:
        name: ``tokenizer.json:`` and the name of the directory that holds the file.
        version: Start of the file's SHA-256.
        additive: False: most vocabularies join white space with the word after it.
    """

    additive = False

    def __init__(self, path: Path) -> None:
        try:
            data = path.read_bytes()
            self._count = _counter(path, data)
        except ConfigError:
            raise
        except Exception as error:  # the engines raise bare Exception
            raise ConfigError(
                f"{path} cannot be read as a Hugging Face tokenizer.json ({error}). Name the tokenizer.json of a model"
            ) from error
        self.name = f"tokenizer.json:{path.absolute().parent.name}"
        self.version = sha256(data).hexdigest()[:16]

    def count(self, text: str) -> int:
        """Return the number of tokens of ``text``."""
        try:
            return self._count(text)
        except (UnicodeEncodeError, TypeError):  # a lone surrogate, in the words of either engine
            return self._count(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return ``[count(t) for t in texts]``."""
        return [self.count(text) for text in texts]


def _counter(path: Path, data: bytes) -> Callable[[str], int]:
    definition = json.loads(data)
    if not isinstance(definition, dict) or not isinstance(definition.get("model"), dict):
        raise ConfigError(f'{path} is no Hugging Face tokenizer.json: it has no "model". Name the file of a model')
    if find_spec("tokenizers") is not None:
        return _reference(data)
    if _is_byte_level(definition):
        return _fast(path)
    raise ConfigError(
        f"{path} is a tokenizer of the kind {definition['model'].get('type')}, which needs the package tokenizers. "
        "Type: pip install tokenizers"
    )


def _reference(data: bytes) -> Callable[[str], int]:
    import tokenizers

    engine = tokenizers.Tokenizer.from_str(data.decode("utf-8"))
    engine.no_truncation()
    engine.no_padding()
    return lambda text: len(engine.encode(text, add_special_tokens=False).ids)


def _fast(path: Path) -> Callable[[str], int]:
    import tokie

    engine: Any = tokie.Tokenizer.from_json(str(path))
    engine.no_truncation()
    engine.no_padding()
    return lambda text: int(engine.count_tokens(text))


def _is_byte_level(definition: dict[str, Any]) -> bool:
    before = definition.get("pre_tokenizer") or {}
    return (
        definition["model"].get("type") == "BPE"
        and not definition.get("normalizer")
        and before.get("type") == "ByteLevel"
        and not before.get("add_prefix_space")
        and bool(before.get("use_regex", True))
    )
