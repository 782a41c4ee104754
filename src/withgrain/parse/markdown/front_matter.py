"""Front matter at the very start of a file: YAML between ``---`` lines, TOML between ``+++`` lines, a JSON object."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any

from withgrain.model import Block, Notice, Span
from withgrain.parse.build import make_block, make_span

#: Longer front matter is left in the text: it is data, not metadata.
MAX_LENGTH = 65_536
_MAX_NODES = 20_000
_MAX_DEPTH = 60
# Larger whole numbers are kept as text: Python refuses to write numbers of more than 4300 digits.
_MAX_BITS = 1_024

_CLOSE_YAML = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.MULTILINE)
_CLOSE_TOML = re.compile(r"^\+\+\+[ \t]*(?:\n|\Z)", re.MULTILINE)
_KEY_LINE = re.compile(r"^[\w\"'][\w .\"'/-]*:(?:[ \t]|$)", re.MULTILINE)
_OPEN = re.compile(r"(---|\+\+\+)[ \t]*\n")
_OPEN_JSON = re.compile(r"\{[ \t]*\n\s*\"")
_CLOSE_JSON = re.compile(r"^\}[ \t]*(?:\n|\Z)", re.MULTILINE)
_DASHES = re.compile(r"[-?:][ \t]")
_SIMPLE = re.compile(
    r"([A-Za-z_][\w-]*):[ ]+(?:"
    r"(0|[1-9][0-9]{0,8})"
    r"|(/?[^\W\d_](?:[\w ,./()'’&+;?!=*%-]*[\w)?!/])?)"  # a plain scalar without any sign that YAML gives a meaning to
    r"|(\"[^\"\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]*\"|'[^'\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]*')"
    r")[ ]*"
)
_YAML_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """What stands before the body.

    Attributes:
        end: Where the body begins.
        blocks: The ``front_matter`` block; or the malformed text as content; or nothing.
        meta: Its JSON-able values.
        notices: ``front_matter_malformed``.
    """

    end: int = 0
    blocks: tuple[Block, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()


def read_front_matter(text: str) -> FrontMatter:
    """Read the front matter of a text, if it begins with any.

    A mapping is front matter. Text between two rules that is no mapping is none, and is left alone. Text that has keys
    but cannot be read is kept as content, with a notice.
    """
    opening = _OPEN.match(text)
    if opening is None:
        return _read_json(text) if text.startswith("{") else FrontMatter()
    toml = opening.group(1) == "+++"
    start = opening.end()
    close = (_CLOSE_TOML if toml else _CLOSE_YAML).search(text, start, start + MAX_LENGTH + 8)
    if close is None:
        return FrontMatter()
    inner = text[start : close.start()]
    if not inner.strip():
        if inner.count("\n") > 0 or toml:
            return FrontMatter()
        return _found(close.end(), start, close.start(), {})
    try:
        value = _read_toml(inner) if toml else _read_yaml(inner)
    except _Malformed as error:
        if not toml and _KEY_LINE.match(inner) is None:
            return FrontMatter()
        return _malformed(text, start, close, str(error))
    return _found(close.end(), start, close.start(), value) if isinstance(value, dict) else FrontMatter()


class _Malformed(ValueError):
    """Front matter that cannot be read; the message says why."""


def _found(end: int, start: int, stop: int, meta: dict[str, Any]) -> FrontMatter:
    block = make_block("front_matter", 0, end, make_span(start, stop))
    return FrontMatter(end=end, blocks=(block,), meta=meta)


def _malformed(text: str, start: int, close: re.Match[str], why: str) -> FrontMatter:
    """Keep the lines as content: a paragraph between two rules, so that no line becomes a setext heading."""
    blocks = (
        make_block("rule", 0, start),
        make_block("paragraph", start, close.start()),
        make_block("rule", close.start(), close.end()),
    )
    notice = Notice(
        kind="front_matter_malformed",
        message=f"The front matter cannot be read ({why}); it was kept as text. Mend it to get its metadata.",
        span=Span(start=0, end=close.end()),
    )
    return FrontMatter(end=close.end(), blocks=blocks, notices=(notice,))


def _read_json(text: str) -> FrontMatter:
    """Read a JSON object whose braces stand alone on their lines, the first and the first of that kind behind it."""
    if _OPEN_JSON.match(text) is None:
        return FrontMatter()
    close = _CLOSE_JSON.search(text, 1, MAX_LENGTH)
    if close is None:
        return FrontMatter()
    if text[close.end() :].isspace() or close.end() == len(text):
        return FrontMatter()  # a page that is nothing but an object is its own content
    inner = text[: close.start() + 1]
    try:
        if inner.count("[") + inner.count("{") > _MAX_DEPTH * 10:
            raise _Malformed("it is nested too deeply")
        value = _plain(json.loads(inner))
    except (ValueError, RecursionError) as error:
        return _malformed_json(close.end(), _one_line(error))
    return _found(close.end(), 0, close.start() + 1, value)


def _malformed_json(end: int, why: str) -> FrontMatter:
    notice = Notice(
        kind="front_matter_malformed",
        message=f"The front matter cannot be read ({why}); it was kept as text. Mend it to get its metadata.",
        span=Span(start=0, end=end),
    )
    return FrontMatter(notices=(notice,))


def _read_toml(inner: str) -> Any:
    try:
        return _plain(tomllib.loads(inner))
    except (ValueError, RecursionError, OverflowError) as error:
        raise _Malformed(_one_line(error)) from error


def _read_simple_yaml(inner: str) -> dict[str, Any] | None:
    """Read ``key: value`` lines whose meaning is beyond doubt, fifty times as fast; None for anything else."""
    result: dict[str, Any] = {}
    for line in inner.split("\n"):
        if not line:
            continue
        match = _SIMPLE.fullmatch(line)
        if match is None:
            return None
        key, number, word, quoted = match.groups()
        if key.lower() in _YAML_WORDS:
            return None
        if number is not None:
            result[key] = int(number)
        elif word is not None:
            if word.lower() in _YAML_WORDS:
                return None
            result[key] = word
        else:
            result[key] = quoted[1:-1]
    return result


def _read_yaml(inner: str) -> Any:
    simple = _read_simple_yaml(inner)
    if simple is not None:
        return simple
    import yaml

    if _nesting_bound(inner) > 300:
        raise _Malformed("it is nested too deeply")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _plain(yaml.load(inner, Loader=loader))
    except (yaml.YAMLError, ValueError, TypeError, RecursionError, OverflowError, AttributeError) as error:
        raise _Malformed(_one_line(error)) from error


def _nesting_bound(inner: str) -> int:
    """Return a bound on how deep YAML can nest here: flow brackets, indentation, and markers on one line."""
    lines = inner.split("\n")
    indent = max(len(line) - len(line.lstrip(" ")) for line in lines)
    markers = max(len(_DASHES.findall(line)) for line in lines)
    return inner.count("[") + inner.count("{") + indent + markers


def _one_line(error: BaseException) -> str:
    problem = getattr(error, "problem", None)
    mark = getattr(error, "problem_mark", None)
    message = str(problem or error or type(error).__name__).splitlines()[0][:120]
    return f"{message}, line {mark.line + 2}" if mark is not None else message


def _plain(value: Any) -> Any:
    """Return ``value`` with JSON-able types only.

    Aliases make one object stand in many places: nodes are counted as they are copied, so that a bomb is refused.
    """
    budget = [_MAX_NODES]
    return _copy(value, budget, 0)


def _copy(value: Any, budget: list[int], depth: int) -> Any:
    budget[0] -= 1
    if budget[0] < 0 or depth > _MAX_DEPTH:
        raise _Malformed("it is too large or nested too deeply")
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        return value if value.bit_length() <= _MAX_BITS else hex(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, dict):
        return {_key(key): _copy(item, budget, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_copy(item, budget, depth + 1) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(str(item) for item in value)
    if isinstance(value, bytes):
        return value.hex()
    return str(value)


def _key(key: Any) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, datetime | date):
        return key.isoformat()
    return key if isinstance(key, str) else str(key)
