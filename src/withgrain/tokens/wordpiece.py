"""The exact tokenizer of all-MiniLM-L6-v2: uncased BERT WordPiece."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from importlib.resources import as_file
from typing import Any

from withgrain.tokens.code_points import DELETE, load_code_points
from withgrain.tokens.pieces import PIECE, pieces
from withgrain.tokens.plain import encode_plain
from withgrain.tokens.resources import checked

_SHA256 = "30a21765075c3018d4cbf095a587ddfec0e47d564500b94db5ff2370b2fa75fc"
#: Ids of the special tokens that the model wants around a text.
CLS, SEP = 101, 102


class WordPiece:
    r"""Counts and encodes as Hugging Face ``tokenizers`` does with the tokenizer file of all-MiniLM-L6-v2.

    Source: Devlin et al., BERT (2019), uncased; Wu et al., arXiv:1609.08144, for WordPiece. Truncation and padding are
    off, special tokens are not added. The literal strings ``[CLS]``, ``[SEP]``, ``[MASK]``, ``[PAD]`` and ``[UNK]`` in
    a text are one token each, as in the original. Lone surrogates, which are no text, are ignored.

    Additive at white space: space, tab, ``\n``, ``\r`` and Unicode's separators (categories Zs, Zl, Zp). BERT removes
    the other control characters, form feed and vertical tab included, and so joins the words beside them.

    It works in the calling thread only, whatever the length of the text. Safe to share between threads.

    Attributes:
        name: ``minilm-wordpiece``.
        version: Version of the rules and start of the hash of the vocabulary file.
        additive: True.
    """

    name = "minilm-wordpiece"
    version = f"1-{_SHA256[:12]}"
    additive = True

    def __init__(self) -> None:
        self._definition = checked("withgrain.tokens", "wordpiece.json", _SHA256)
        self._code_points = load_code_points()

    def count(self, text: str) -> int:
        """Return the exact number of tokens of ``text``."""
        if text.isascii() and len(text) <= PIECE and DELETE not in text:  # nearly every text
            return self._count(text)
        text = self._code_points.replace(text)
        return self._count(text) if len(text) <= PIECE else sum(map(self._count, pieces(text)))

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return ``[count(t) for t in texts]``."""
        return list(map(self.count, texts))

    def encode(self, text: str) -> list[int]:
        """Return the token ids of ``text``, without special tokens."""
        if "_engine" not in vars(self):  # perhaps it is one question, and nothing else to do
            plain = encode_plain(text, self._vocabulary)
            if plain is not None:
                return plain
        ids: list[int] = []
        for piece in pieces(self._code_points.replace(text)):
            ids.extend(self._engine.encode(piece, add_special_tokens=False).ids)
        return ids

    @cached_property
    def _engine(self) -> Any:
        import tokie

        with as_file(self._definition) as path:
            return tokie.Tokenizer.from_json(str(path))

    @cached_property
    def _count(self) -> Callable[[str], int]:
        count: Callable[[str], int] = self._engine.count_tokens
        return count

    @cached_property
    def _vocabulary(self) -> Mapping[str, int]:
        vocabulary: Mapping[str, int] = json.loads(self._definition.read_bytes())["model"]["vocab"]
        return vocabulary


@cache
def wordpiece() -> WordPiece:
    """Return the tokenizer of the bundled model (one object a process; it holds no state that changes).

    Raises:
        IntegrityError: A file of the installation was changed or is missing.
    """
    return WordPiece()
