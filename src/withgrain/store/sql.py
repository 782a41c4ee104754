"""Filters as SQL of the engine. Field names come from `FIELDS`, literals are quoted here: nothing is ever pasted.

Two-valued logic: every comparison of a field that may be missing says so, because SQL's third value would not
survive a ``NOT``.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterable
from dataclasses import replace

from withgrain.model import FIELDS, And, Compare, Filter, Or
from withgrain.model import Not as Negation
from withgrain.model.filter import ANY_CASE, PROSE_LISTS
from withgrain.store.matching import check_filter

#: Fields whose value can be missing.
NULLABLE = frozenset({"modified", "tokens", "page", "line"})
#: Numbers beyond this are never stored: comparing with them has a constant answer.
_LARGEST = 2**62
#: Stands between the strings of a list where they are searched as one text. No document can know it: its strings cannot
#: be taken for several, nor what is asked for be its first sign. Begins and ends with what is no letter, so that it
#: changes no neighbour's lower case.
_BETWEEN = f"{chr(0xF0000 + secrets.randbelow(0xFFFE))}{secrets.token_hex(16)}\n"
_SYMBOLS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def where_sql(where: Filter | None) -> str | None:
    """Return the SQL of a filter; None for no filter.

    Raises:
        UsageError: The filter has no meaning; see `check_filter`.
    """
    check_filter(where)
    return _compile(where)[1] if where is not None else None


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


def _compile(where: Filter, *, negated: bool = False) -> tuple[int, str]:
    """Compile a part, with how deep its brackets are; negations move down to the comparisons (De Morgan)."""
    if isinstance(where, Negation):
        return _compile(where.part, negated=not negated)
    if isinstance(where, And | Or):
        both = isinstance(where, And) != negated
        parts = [_compile(p, negated=negated) for p in where.parts]
        return _joined(parts, "AND" if both else "OR") if parts else (0, "true" if both else "false")
    if where.operator == "ne":
        where, negated = replace(where, operator="eq"), not negated
    positive = _positive(where, where.operator)
    return 0, f"(NOT {positive})" if negated else positive


def _joined(parts: list[tuple[int, str]], word: str) -> tuple[int, str]:
    """Join parts, the deepest first: the engine reads 50 levels, one for brackets that begin, two for later ones."""
    if len(parts) == 1:
        return parts[0]
    first, *others = sorted(parts, key=lambda part: -part[0])
    return max(1 + first[0], 2 + others[0][0]), f"({f' {word} '.join(sql for _, sql in (first, *others))})"


def _positive(part: Compare, operator: str) -> str:
    column, kind = f"`{part.field}`", FIELDS[part.field]
    values = part.value if isinstance(part.value, tuple) else (part.value,)
    if part.field == "page":
        sql = _pages(operator, [v for v in values if not isinstance(v, str)])
    elif kind == "number":
        sql = _numbers(column, operator, [v for v in values if not isinstance(v, str)])
    elif kind == "list":
        sql = _list(part.field, operator, [str(v) for v in values])
    else:
        fold = part.field in ANY_CASE
        sql = _text(f"lower({column})" if fold else column, operator, [_literal(str(v), fold) for v in values])
    return f"({column} IS NOT NULL AND {sql})" if part.field in NULLABLE else f"({sql})"


def _literal(text: str, fold: bool) -> str:
    """Return a literal; folded by the engine, as the column is."""
    return f"lower({quote(text)})" if fold else quote(text)


def _list(field: str, operator: str, texts: list[str]) -> str:
    column, fold = f"`{field}`", field in ANY_CASE
    inside = operator == "contains" and field in PROSE_LISTS
    if operator != "prefix" and not fold and not inside:
        return f"coalesce(array_has_any({column}, [{', '.join(map(quote, texts))}]), false)" if texts else "false"
    begin = "" if inside else _BETWEEN
    end = "" if inside or operator == "prefix" else _BETWEEN
    joined = f"concat({quote(_BETWEEN)}, array_to_string({column}, {quote(_BETWEEN)}), {quote(_BETWEEN)})"
    joined = f"lower({joined})" if fold else joined
    some = " OR ".join(f"contains({joined}, {_literal(f'{begin}{text}{end}', fold)})" for text in texts) or "false"
    return f"({some}) AND coalesce(array_length({column}), 0) > 0"  # no string at all is not an empty one


def _text(column: str, operator: str, texts: list[str]) -> str:
    if operator in ("eq", "in"):
        return f"{column} IN ({', '.join(texts)})" if texts else "false"
    if operator == "contains":
        return f"contains({column}, {texts[0]})"
    if operator == "prefix":
        return f"starts_with({column}, {texts[0]})"
    return f"{column} {_SYMBOLS[operator]} {texts[0]}"


def _pages(operator: str, values: list[float]) -> str:
    """Compare all pages of a chunk, which ascend: the first is a number, the others are in the list only."""
    if operator in ("eq", "in"):
        return _list("pages", operator, [str(int(v)) for v in values if v == int(v)])
    last = "CAST(array_element(`pages`, -1) AS BIGINT)"
    return _numbers("`page`" if operator in ("lt", "le") else last, operator, values)


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
