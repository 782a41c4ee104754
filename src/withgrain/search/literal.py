"""Does an identifier stand in a text literally?

``USERKEY`` is not in ``USERKEY_OLD``, ``statuskey=1`` is not in ``statuskey=11``.
"""

from __future__ import annotations

import re
import unicodedata

# Signs that join the parts of an identifier. One that stands beside a match, with more identifier behind it, makes the
# match a part of a longer identifier, when the identifier asked for uses that sign itself:
# `/users` is not `/users/{id}` and `--tls` is not `--tls-cert`, but `USERKEY` is in `T.USERKEY` and `statuskey` is in
# `statuskey=1`.
_JOINTS = "-./:=@"


# What a typesetter puts in the place of a plain sign, and signs that nobody sees.
_PLAIN = (
    dict.fromkeys("‘’‚‛ʼ", "'")
    | dict.fromkeys("“”„‟«»", '"')
    | dict.fromkeys("‐‑", "-")
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", "")
)
_SET = re.compile(f"[{''.join(_PLAIN)}]")


def plain(text: str) -> str:
    """Return a text with plain quotes, apostrophes and hyphens, in one form of Unicode, as it would be typed."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _SET.sub(lambda sign: _PLAIN[sign[0]], text))


def contains(text: str, identifier: str) -> bool:
    """Return whether ``identifier`` stands in ``text`` and is not a part of a longer one. Case-sensitive, linear."""
    if not identifier:
        return False
    start = text.find(identifier)
    while start >= 0:
        end = start + len(identifier)
        if not (_goes_on(text, end, 1, identifier) or _goes_on(text, start - 1, -1, identifier)):
            return True
        start = text.find(identifier, start + 1)
    return False


def _goes_on(text: str, place: int, step: int, identifier: str) -> bool:
    """Return whether the identifier continues at ``place``, looking forward (1) or backward (-1)."""
    if not 0 <= place < len(text):
        return False
    edge = identifier[-1] if step > 0 else identifier[0]
    beside = text[place]
    if _is_word(beside):
        return _is_word(edge) or edge in "/@=" or (edge == "-" and step < 0)
    if beside not in _JOINTS or not 0 <= place + step < len(text):
        return False
    beyond = text[place + step]
    if not (_is_word(beyond) or beyond in "{<"):
        return False
    decimal = beside == "." and edge.isdigit() and beyond.isdigit()
    return decimal or beside in identifier


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
