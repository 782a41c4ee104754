"""The parser of source code: the grammar of its language, loaded when the first file of it comes."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from withgrain.errors import MissingExtra
from withgrain.model import Document, Notice, Source
from withgrain.parse.code.languages import LANGUAGES, Language
from withgrain.parse.code.offsets import Offsets
from withgrain.parse.code.walk import Walk
from withgrain.parse.decode import decode
from withgrain.parse.outline import Node, outline_blocks
from withgrain.parse.raw import parse_failed, raw_document


def parse_code(data: bytes, source: Source) -> Document:
    """Parse the bytes of a source file.

    What the grammar does not understand is kept as text that is cut at its blank lines, and a notice says so.

    Raises:
        DocumentError: The bytes are not text (kind ``binary``).
        MissingExtra: The grammar is not installed.
    """
    language = LANGUAGES[source.media_type]
    decoded = decode(data)
    text = decoded.text
    encoded = text.encode("utf-8", "surrogatepass")
    parser = _parser(language.name, language.module, language.function)
    reader = _Reader(encoded)
    syntax = parser.parse(reader).root_node
    if syntax.has_error and not reader.spent and (known := _known(encoded, language)) != encoded:
        reader = _Reader(known)
        syntax = parser.parse(reader).root_node
    if reader.spent:
        root = Node(name="", start=0, end=len(text))
        notices = [parse_failed(f"The grammar of {language.name} got lost in this text; it is cut at its lines.")]
    else:
        root = Walk(text, Offsets(encoded), language).document(syntax)
        notices = _errors(language, syntax)
    return raw_document(source, decoded, outline_blocks(text, root, {"language": language.name}), notices=notices)


def _known(encoded: bytes, language: Language) -> bytes:
    """Return a text of the same length without what the grammar of the language does not know."""
    for pattern, filler in language.unread:
        encoded = pattern.sub(lambda found, filler=filler: filler * len(found[0]), encoded)  # type: ignore[misc]
    return encoded


class _Reader:
    """Serves the bytes to the parser, up to a budget: a grammar can read a hostile text again and again.

    Real code is read about twice. A JavaScript file of a thousand unclosed regular expressions would be read a
    thousand times; when the budget is spent the text ends, and with it the work. No clock: the outcome is the same on
    every machine.
    """

    _PIECE = 4096
    _TIMES = 24

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._left = self._TIMES * len(data) + 1_000_000

    @property
    def spent(self) -> bool:
        """Whether the parser did not see the whole text."""
        return self._left <= 0

    def __call__(self, offset: int, point: object) -> bytes:
        """Return the bytes at an offset; none at the end."""
        if self.spent:
            return b""
        piece = self._data[offset : offset + self._PIECE]
        self._left -= len(piece)
        return piece


@cache
def _parser(name: str, module: str, function: str) -> Any:
    try:
        import tree_sitter

        grammar = getattr(import_module(module), function)()
    except ImportError:
        raise MissingExtra("code", need=f"Reading {name} code") from None
    return tree_sitter.Parser(tree_sitter.Language(grammar))


def _errors(language: Language, root: Any) -> list[Notice]:
    """Say where the first thing stands that the grammar does not understand."""
    if not root.has_error:
        return []
    node = root
    while not node.is_error and not node.is_missing:
        inner = next((child for child in node.children if child.has_error or child.is_missing), None)
        if inner is None:
            break
        node = inner
    line = node.start_point[0] + 1
    return [parse_failed(f"Line {line} is no {language.name} that we understand; that part is cut at its lines.")]
