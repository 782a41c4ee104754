"""Tokens: how long a text is for a model, and which terms it has for lexical search."""

from withgrain.tokens.callables import from_callable
from withgrain.tokens.loading import load_tokenizer
from withgrain.tokens.wordpiece import WordPiece, wordpiece
from withgrain.tokens.words import words

__all__ = ["WordPiece", "from_callable", "load_tokenizer", "wordpiece", "words"]
