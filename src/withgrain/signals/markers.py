"""Markers of the form ``@@DOMAIN:SECTION`` that authors put under headings."""

from __future__ import annotations

from withgrain.signals.family import Family, Token
from withgrain.signals.found import Found


def _collect(token: Token, found: Found) -> None:
    found.add("markers", token.text, token.place)
    found.add("domain", token.text[2:].partition(":")[0], token.place)


#: The colon is required: "@@" alone opens a hunk of a diff, "@@VERSION" is a variable of SQL Server.
MARKERS = Family(
    name="marker",
    pattern=r"@@[A-Za-z][\w\-]*(?::[A-Za-z0-9][\w.\-]*)+",
    collect=_collect,
)
