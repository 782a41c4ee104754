"""Filters as SQL of the engine. Field names come from `FIELDS`, literals are quoted here: nothing is ever pasted.

Two-valued logic: every comparison of a field that may be missing says so, because SQL's third value would not
survive a ``NOT``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from withgrain.model import FIELDS, And, Compare, Filter, Or
from withgrain.model import Not as Negation
from withgrain.store.matching import check_filter

#: Fields whose value can be missing.
NULLABLE = frozenset({"modified", "tokens"})
#: Numbers beyond this are never stored: comparing with them has a constant answer.
_LARGEST = 2**62
_SYMBOLS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def where_sql(where: Filter | None) -> str | None:
    """Return the SQL of a filter; None for no filter.

    Raises:
        UsageError: The filter has no meaning; see `check_filter`.
    """
    check_filter(where)
    return _compile(where) if where is not None else None


def is_one_of(column: str, values: Iterable[str]) -> str:
    """Return SQL that is true where ``column`` (a name of ours) has one of the values."""
    quoted = ", ".join(quote(v) for v in values)
    return f"`{column}` IN ({quoted})" if quoted else "false"


def quote(text: str) -> str:
    """Return a string literal. In this dialect only the quote is special."""
    return "'" + storable(text).replace("'", "''") + "'"


def storable(text: str) -> str:
    """Return a text that UTF-8 can hold: lone surrogates (JSON can make them) move to the end of plane 16."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join(chr(0x10F800 + ord(c) - 0xD800) if "\ud800" <= c <= "\udfff" else c for c in text)
    return text


def _compile(where: Filter, *, negated: bool = False) -> str:
    """Compile a part; negations move down to the comparisons (De Morgan), where the parser's depth does not suffer."""
    if isinstance(where, Negation):
        return _compile(where.part, negated=not negated)
    if isinstance(where, And | Or):
        both = isinstance(where, And) != negated
        parts = [_compile(p, negated=negated) for p in where.parts]
        return _joined(parts, "AND" if both else "OR") if parts else ("true" if both else "false")
    if where.operator == "ne":
        where, negated = replace(where, operator="eq"), not negated
    positive = _positive(where, where.operator)
    return f"(NOT {positive})" if negated else positive


def _joined(parts: list[str], word: str) -> str:
    return parts[0] if len(parts) == 1 else f"({f' {word} '.join(parts)})"


def _positive(part: Compare, operator: str) -> str:
    column, kind = f"`{part.field}`", FIELDS[part.field]
    values = part.value if isinstance(part.value, tuple) else (part.value,)
    if kind == "number":
        sql = _numbers(column, operator, [v for v in values if not isinstance(v, str)])
    else:
        texts = [quote(str(v)) for v in values]
        sql = _list(column, texts) if kind == "list" else _text(column, operator, texts)
    return f"({column} IS NOT NULL AND {sql})" if part.field in NULLABLE else f"({sql})"


def _list(column: str, texts: list[str]) -> str:
    return f"coalesce(array_has_any({column}, [{', '.join(texts)}]), false)" if texts else "false"


def _text(column: str, operator: str, texts: list[str]) -> str:
    if operator in ("eq", "in"):
        return f"{column} IN ({', '.join(texts)})" if texts else "false"
    if operator == "contains":
        return f"contains({column}, {texts[0]})"
    if operator == "prefix":
        return f"starts_with({column}, {texts[0]})"
    return f"{column} {_SYMBOLS[operator]} {texts[0]}"


def _numbers(column: str, operator: str, values: list[float]) -> str:
    if operator in ("eq", "in"):
        whole = [str(int(v)) for v in values if v == int(v) and abs(v) < _LARGEST]
        return f"{column} IN ({', '.join(whole)})" if whole else "false"
    value = values[0]
    if abs(value) >= _LARGEST:
        return "true" if (value > 0) == (operator in ("lt", "le")) else "false"
    # The columns hold whole numbers, so a fraction moves to the whole number that gives the same answer.
    bound = math.ceil(value) if operator in ("lt", "ge") else math.floor(value)
    return f"{column} {_SYMBOLS[operator]} {bound}"
