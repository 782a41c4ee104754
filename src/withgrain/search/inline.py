"""Filters that are written inside a question: ``reset a factor domain:okta class:sop path:runbooks/``."""

from __future__ import annotations

import re

from withgrain.model import Compare, Filter, Not, all_of, stored_path

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
_INLINE = re.compile(
    r"(?<!\S)(?P<no>-?)(?P<name>"
    + "|".join(_FIELDS)
    + r"""):(?:"(?P<quoted>[^"]{1,500})"|(?P<bare>[^\s"]{1,500}))(?!\S)"""
)


def split_filters(text: str) -> tuple[str, Filter | None]:
    """Return the question without the filters in it, and the filters.

    ``name:value`` and ``name:"a value"`` are filters for the names above, ``-name:value`` asks for the opposite.
    ``path:`` and ``document:`` match a whole path, or a prefix when the value ends with ``/``, ``*`` or ``/*``;
    ``title:`` matches a part of the title, ``page:12`` chunks that touch page 12. Everything else is text.
    """
    filters: list[Filter] = []

    def take(found: re.Match[str]) -> str:
        part = _compare(_FIELDS[found["name"]], found["quoted"] or found["bare"], negated=bool(found["no"]))
        if part is None:
            return found.group()
        filters.append(part)
        return " "

    rest = _INLINE.sub(take, text)
    return (" ".join(rest.split()) if filters else text), all_of(*filters)


def _compare(field: str, value: str, *, negated: bool) -> Filter | None:
    """Return the comparison; None where the value cannot be one of the field."""
    part: Filter
    value = stored_path(value) if field == "document" else value
    if field == "pages" and not value.isdigit():
        return None
    if field == "document" and value.endswith(("/", "*")):
        part = Compare(field=field, operator="prefix", value=value.rstrip("*"))
    elif field == "title":
        part = Compare(field=field, operator="contains", value=value)
    else:
        part = Compare(field=field, operator="eq", value=value)
    return Not(part=part) if negated else part
