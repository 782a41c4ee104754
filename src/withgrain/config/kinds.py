"""How the values of settings are written, in TOML and in a variable."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from withgrain.config.settings import Pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """How the values of one type are written: what a message calls them, and how TOML and a variable spell them."""

    words: str
    from_toml: Callable[[Any], Any]
    from_text: Callable[[str], Any]


def _check(value: Any, valid: bool) -> Any:
    if not valid:
        raise ValueError("not of the type of this setting")
    return value


def _number(value: Any) -> int:
    number = int(value) if isinstance(value, str) else value
    return int(_check(number, isinstance(number, int) and not isinstance(number, bool) and number > 0))


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def pairs(texts: tuple[str, ...] | list[str]) -> Pairs:
    """Return ``key=value`` texts as pairs.

    Raises:
        ValueError: A text has no ``=``, or nothing in front of it.
    """
    cut = tuple(text.partition("=") for text in texts)
    _check(cut, all(key.strip() and equals for key, equals, _ in cut))
    return tuple((key.strip(), value.strip()) for key, _, value in cut)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) for v in value)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(v, str) for v in value.values())


_TEXT = Kind(
    words="a text",
    from_toml=lambda v: _check(v, isinstance(v, str) and v != ""),
    from_text=lambda t: _check(t, t != ""),
)
_VECTORS = Kind(
    words="auto, eager or lazy",
    from_toml=lambda v: _check(v, v in ("auto", "eager", "lazy")),
    from_text=lambda t: _check(t, t in ("auto", "eager", "lazy")),
)
_TRUTHS = {"true": True, "false": False}
_TRUTH = Kind(
    words="true or false",
    from_toml=lambda v: _check(v, isinstance(v, bool)),
    from_text=lambda t: _TRUTHS[_check(t.strip().lower(), t.strip().lower() in _TRUTHS)],
)
_NUMBER = Kind(
    words="a whole number above 0", from_toml=lambda v: _number(_check(v, isinstance(v, int))), from_text=_number
)
_TEXTS = Kind(words="a list of texts", from_toml=lambda v: tuple(_check(v, _is_texts(v))), from_text=_split)
_PAIRS = Kind(
    words="a table of texts (in a variable: name=value,name=value)",
    from_toml=lambda v: tuple(_check(v, _is_table(v)).items()),
    from_text=lambda t: pairs(_split(t)),
)

KINDS: dict[str, Kind] = {
    "collection": _TEXT,
    "policy": _TEXT,
    "max_tokens": _NUMBER,
    "tokenizer": _TEXT,
    "embedder": _TEXT,
    "vectors": _VECTORS,
    "lazy_candidates": _NUMBER,
    "openai_base_url": _TEXT,
    "openai_window": _NUMBER,
    "openai_tokenizer": _TEXT,
    "openai_dimensions": _NUMBER,
    "openai_document_prefix": _TEXT,
    "openai_query_prefix": _TEXT,
    "openai_revision": _TEXT,
    "openai_batch": _NUMBER,
    "openai_timeout": _NUMBER,
    "include": _TEXTS,
    "exclude": _TEXTS,
    "max_bytes": _NUMBER,
    "labels": _PAIRS,
    "path_labels": _PAIRS,
    "front_matter_labels": _TRUTH,
    "domains": _PAIRS,
    "classes": _PAIRS,
}
