"""Version numbers: ``v1.2.3``, ``1.24.0-rc.1``, ``v1beta1``, "version 3.5"; not clause numbers, dates or addresses."""

from __future__ import annotations

import re

from withgrain.signals.family import Family, Token
from withgrain.signals.found import Found

_CLAUSE = re.compile(
    r"(?:section|sections|clause|clauses|article|articles|paragraph|paragraphs|exhibit|schedule|annex|appendix|item"
    r"|chapter|table|figure|step|§|¶)[\s(§]*\Z",
    re.IGNORECASE,
)
_NAMED = re.compile(r"versions?[ \t`*:]{1,4}v?\Z", re.IGNORECASE)


def _collect(token: Token, found: Found) -> None:
    if token.text[0] != "v" and token.text.count(".") == 1:
        # Two parts are a version only where the word stands before them.
        is_version = bool(_NAMED.search(token.view.text[max(0, token.place - 16) : token.place]))
    else:
        is_version = token.text[0] == "v" or not _is_clause_or_date(token)
    if is_version:
        found.add("versions", token.text, token.place)


def _is_clause_or_date(token: Token) -> bool:
    parts = token.text.split(".")
    if parts[2][:4].isdigit() and 1900 <= int(parts[2][:4]) <= 2100 and len(parts[2]) == 4:
        return True
    before = token.view.text[max(0, token.place - 40) : token.place]
    line = before.rpartition("\n")[2]
    if not line.strip("# \t*_>|") and (len(before) < 40 or "\n" in before):
        return True  # first on its line: the number of a clause or heading
    return bool(_CLAUSE.search(before))


VERSIONS = Family(
    name="version",
    pattern=(
        r"v\d{1,6}(?:\.\d{1,6}){1,4}(?:[\-+][\w.+\-]{0,60}\w)?"
        r"|v\d{1,3}(?:alpha|beta)\d{1,3}"
        r"|\d{1,6}\.\d{1,6}(?:\.(?:\d{1,6}|x)(?:[\-+][\w.+\-]{0,60}\w)?)?"
    ),
    collect=_collect,
)
