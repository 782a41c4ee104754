"""Cuts a long text where no token of BERT's WordPiece can cross.

The engine works on texts over some 50 kB with several threads, and then may cut inside a word. Here one process a core
is the rule and counts are exact, so it is never given more than a few thousand characters that could be cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import category

#: Longest piece in characters, unless one word is longer.
PIECE = 8000
# White space, punctuation and ideographs are pre-tokens of their own in BERT. Not brackets: "[SEP]" is one token.
_IDEOGRAPHS = "\u3400-\u4dbf\u4e00-\u9fff"
_CUT = " \\t\\n\\r!\"#$%&'()*+,\\-./:;<=>?@\\\\^_`{|}~" + _IDEOGRAPHS
_LAST_CUT = re.compile(f"(?s:.*)[{_CUT}]")
_NEXT_CUT = re.compile(f"[{_CUT}]")
_WORD = f"[^\\W_{_IDEOGRAPHS}\uf900-\ufaff\U00020000-\U0002fa1f]"
_ACCENT = "[\u0300-\u036f]"  # removed by BERT, so they do not count
_LONG_WORD = re.compile(f"((?:{_WORD}{_ACCENT}*){{101}})(?:{_WORD}|{_ACCENT})+")


# Characters that are less than 50 kB in any case. Beyond, the engine cuts at bytes and not at characters: it panics, or
# the process dies of a segmentation fault.
_SAFE = 12_000
#: One more than the longest word that is not unknown.
_MAX_WORD = 101


def pieces(text: str) -> Iterator[str]:
    """Yield texts whose tokens, one after the other, are the tokens of ``text``. Linear.

    A word of more than 100 characters is one unknown token whatever its length, so a longer one is shortened to 101.
    """
    start = 0
    while len(text) - start > PIECE:
        found = _LAST_CUT.match(text, start, start + PIECE)
        if found:
            end = found.end()
            yield text[start:end]
        else:
            following = _NEXT_CUT.search(text, start + PIECE)
            end = following.end() if following else len(text)
            piece = _LONG_WORD.sub(r"\1", text[start:end])
            yield from (piece,) if piece.isascii() or len(piece) <= _SAFE else _bare(piece)
        start = end
    if start < len(text):
        yield text[start:] if start else text


def _bare(piece: str) -> Iterator[str]:
    """Yield what is left of a long text without ASCII cuts when all is gone that BERT ignores.

    BERT removes marks (Mn) and control, format, private and unassigned characters (C) and takes every separator (Z) and
    every punctuation mark (P) as a pre-token; what stands between two is one word, unknown above 100 characters.
    """
    kinds = {character: category(character) for character in set(piece)}
    removed = {ord(c): None for c, kind in kinds.items() if kind == "Mn" or (kind[0] == "C" and c not in "\t\n\r")}
    cuts = "".join(re.escape(c) for c, kind in kinds.items() if kind[0] in "ZP" and c not in "[]")
    words = re.findall(f"[^{cuts}]+|[{cuts}]", piece.translate(removed)) if cuts else [piece.translate(removed)]
    ready: list[str] = []
    length = 0
    for word in words:
        ready.append(word[:_MAX_WORD])
        length += len(ready[-1])
        if length > PIECE:
            yield "".join(ready)
            ready, length = [], 0
    yield "".join(ready)
