"""Filters that are written inside a question: ``reset a factor domain:okta class:sop path:runbooks/``.

``name:value`` is the written form and always a filter, whether anything has the value or not. What is looser (a space,
``=``, a name in capitals, a bracket before it) may as well be a sentence or pasted code: it is a filter where the
collection has the value, else it is text. Only a domain, once written without a space, is never taken for text: who
names one gets nothing of another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from withgrain.model import Compare, Filter, Not, Or, all_of, stored_path
from withgrain.search.unfound import Values

#: Only these names are read as filters; ``roles:`` or ``keys:`` in pasted text stay text.
_FIELDS: dict[str, str] = {
    "class": "class",
    "document": "document",
    "domain": "domain",
    "kind": "kind",
    "page": "pages",
    "label": "labels",
    "labels": "labels",
    "path": "document",
    "root": "root",
    "title": "title",
}
#: Nobody asks for these loosely: "kind = normal" is a line of a configuration.
_STRICT = frozenset({"kind"})
#: Places that are looked up in the collection; pasted text may have hundreds.
_MOST = 8
#: What ends a sentence or a part of one, behind a value.
_TRAILING = ".,;:!?)"
_INLINE = re.compile(
    r"""(?<!\S)(?P<open>\(?)(?:
        (?P<phrase>"[^"]*"|`+[^`]*`+)  # means what it says
      | (?P<no>-?)(?P<name>"""
    + "|".join(_FIELDS)
    + r""")(?P<sign>\s{0,2}[:=]\s{0,2})
        (?:"(?P<quoted>[^"]{1,500})"[.,;:!?)]{0,9}|(?P<bare>[^\s"]{1,500}))(?!\S)
    )""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A question, with its filters taken out.

    Attributes:
        text: The question without them.
        where: The filters; None without any.
        notices: Values that nothing has, and what was nearly a filter.
    """

    text: str
    where: Filter | None = None
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """A place that may be a filter: the field, whether it is negated and in the written form, its possible values."""

    field: str
    negated: bool
    exact: bool
    spellings: Sequence[str]
    text: str


def split_filters(text: str, values: Values | None = None) -> Read:
    """Take the filters out of a question.

    ``name:value`` and ``name:"a value"`` are filters for the names above, ``-name:value`` asks for the opposite.
    ``path:`` and ``document:`` match a whole path, or a prefix when the value ends with ``/``, ``*`` or ``/*`` or is a
    folder; ``title:`` matches a part of the title, ``page:12`` chunks that touch page 12. Several values of one field
    mean any of them. Signs that end a sentence are no part of a value. Everything else is text.

    Args:
        text: The question.
        values: What the collection has; without it only the written form is read.
    """
    taken: list[tuple[_Written, Compare]] = []
    notices: list[str] = []
    kept: list[str] = []
    begin = place = seen = 0
    while found := _INLINE.search(text, place):
        if found["phrase"]:
            place = found.end()
            continue
        written, seen = _written(found), seen + 1
        part, notice = _understood(written, values if seen <= _MOST else None)
        notices += [notice] if notice else []
        if part is None:
            place = found.end("sign")
            continue
        kept.append(text[begin : found.start()])
        begin = place = found.end()
        taken.append((written, part))
    if not taken:
        return Read(text=text, notices=tuple(notices))
    rest = " ".join(" ".join((*kept, text[begin:])).split())
    return Read(text=rest, where=all_of(*_together(taken)), notices=tuple(notices))


def _written(found: re.Match[str]) -> _Written:
    name, bare = found["name"], found["bare"]
    field = _FIELDS[name.lower()]
    values = (bare, bare.rstrip(_TRAILING)) if bare else (found["quoted"],)
    return _Written(
        field=field,
        negated=bool(found["no"]),
        exact=found["sign"] == ":" and not found["open"] and (name.islower() or field == "domain"),
        spellings=[v for v in dict.fromkeys(values) if v],
        text=found[0].strip("("),
    )


def _understood(written: _Written, values: Values | None) -> tuple[Compare | None, str]:
    """Return the filter that a place is, or None for text; and what is to be said about it."""
    loose = written.exact or written.field not in _STRICT
    meanings = [m for spelling in written.spellings for m in _meanings(written, spelling)] if loose else []
    known = next((m for m in meanings if values is not None and values.has(m)), None)
    if known is not None or not meanings:
        return known, f'"{written.text}" is read as a filter.' if known is not None and not written.exact else ""
    value = written.spellings[-1]
    if written.exact:
        said = values is not None and written.field != "title"
        return next(_meanings(written, value)), values.missing(written.field, value) if said and values else ""
    near = values.nearest(written.field, value, strictly=True) if values is not None else ()
    notice = f'"{written.text}" is read as words. No {written.field} is "{value}": did you mean {" or ".join(near)}?'
    return None, notice if near else ""


def _meanings(written: _Written, value: str) -> Iterator[Compare]:
    """Yield the comparisons that a value can mean, the likeliest first; none where it can be no value of the field."""
    field = written.field
    if field == "document":
        value = stored_path(value)
        folder = value.endswith(("/", "*"))
        yield Compare(field=field, operator="prefix" if folder else "eq", value=value.rstrip("*") if folder else value)
        if not folder:
            yield Compare(field=field, operator="prefix", value=f"{value}/")
    elif field == "pages":
        if value.isdecimal() and ("=" not in written.text or written.exact):  # "page=2" is a parameter of something
            yield Compare(field=field, operator="eq", value=value)
    elif field == "title" and written.exact:
        yield Compare(field=field, operator="contains", value=value)
    else:
        yield Compare(field=field, operator="eq", value=value)


def _together(taken: Sequence[tuple[_Written, Compare]]) -> Iterator[Filter]:
    """Yield what must hold: any of the values of one field (for labels: of one key), none of the negated ones."""
    asked: dict[tuple[str, str], dict[Compare, None]] = {}
    for written, part in taken:
        if written.negated:
            continue
        key = str(part.value).partition("=")[0] if part.field == "labels" else ""
        asked.setdefault((part.field, key), {})[part] = None
    for parts in map(tuple, asked.values()):
        if len(parts) == 1:
            yield parts[0]
        elif all(part.operator == "eq" for part in parts):
            yield Compare(field=parts[0].field, operator="in", value=tuple(str(part.value) for part in parts))
        else:
            yield Or(parts=parts)
    yield from (Not(part=part) for written, part in taken if written.negated)
