"""From the word in a configuration to a tokenizer."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from pathlib import Path

from withgrain.errors import ConfigError
from withgrain.tokens.bpe import ENCODINGS, byte_pair_encoding
from withgrain.tokens.callables import from_callable
from withgrain.tokens.huggingface import FileTokenizer
from withgrain.tokens.wordpiece import wordpiece
from withgrain.tokens.words import words
from withgrain.types import Tokenizer

_BUILT_IN: dict[str, Callable[[], Tokenizer]] = {
    "words": words,
    "wordpiece": wordpiece,
    **{name: partial(byte_pair_encoding, name) for name in ENCODINGS},
}
_CHOICES = (
    'a tokenizer is "words", "wordpiece", "cl100k_base", "o200k_base", the path of a tokenizer.json, or '
    '"module:function"'
)


def load_tokenizer(spec: str) -> Tokenizer:
    """Return the tokenizer that ``spec`` names.

    Args:
        spec: ``words`` (estimate), ``wordpiece`` (the bundled model's own), ``cl100k_base`` or ``o200k_base`` (as
            tiktoken counts; extra ``bpe``), the path of a Hugging Face ``tokenizer.json``, or ``module:function`` for
            a function ``text -> int`` that can be imported. A module's ``__version__`` is the version of its function.

    Raises:
        ConfigError: There is no such tokenizer, file, module or function; says what there is.
        MissingExtra: The tokenizer is in an extra that is not installed.
    """
    if spec in _BUILT_IN:
        return _BUILT_IN[spec]()
    if spec.endswith(".json") or Path(spec).is_file():
        return FileTokenizer(Path(spec))
    module, colon, function = spec.partition(":")
    if colon and module and function:
        return _imported(module, function)
    near = get_close_matches(spec, _BUILT_IN, n=1)
    hint = f' Did you mean "{near[0]}"?' if near else ""
    raise ConfigError(f'there is no tokenizer "{spec}".{hint} In general: {_CHOICES}')


def _imported(module: str, function: str) -> Tokenizer:
    try:
        imported = import_module(module)
        count = getattr(imported, function)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f'the tokenizer "{module}:{function}" cannot be imported ({error}); {_CHOICES}') from error
    if not callable(count):
        raise ConfigError(f'the tokenizer "{module}:{function}" is no function; {_CHOICES}')
    return from_callable(count, name=f"{module}:{function}", version=str(getattr(imported, "__version__", "")))
