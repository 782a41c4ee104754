"""Version numbers: ``v1.2.3``, ``1.24.0-rc.1``, ``v1beta1``, "version 3.5"; not clause numbers, dates or addresses."""

from __future__ import annotations

import re

from withgrain.signals.family import Family, Token
from withgrain.signals.found import Found
from withgrain.signals.words import word_set

# The word before a number of three parts that is a reference, not a release: "in 4.2.1", "Section 4.2.1".
_REFERS = word_set(
    """
    a above also an and annex appendix article articles as at below by chapter clause clauses exhibit figure for from in
    item or paragraph paragraphs per schedule section sections see step subsection subsections table than the through to
    under until with
    """
)
_BEFORE = re.compile(r"(\w(?:[\w.+\-]*\w)?)(?:[`*_(=@|]{0,3}[ \t]?[`*_(=@|]{0,3}|: ?)\Z")
_SENTENCE = re.compile(r"[.`*]{0,3} +[A-Z][a-z&]")
_NAMED = re.compile(r"versions?[ \t`*:]{1,4}v?\Z", re.IGNORECASE)


def _collect(token: Token, found: Found) -> None:
    if token.text[0] != "v" and token.text.count(".") == 1:
        # Two parts are a version only where the word stands before them.
        is_version = bool(_NAMED.search(token.view.text[max(0, token.place - 16) : token.place]))
    else:
        is_version = token.text[0] == "v" or "-" in token.text or _follows_a_name(token, found)
    if is_version:
        found.add("versions", token.text, token.place)


def _follows_a_name(token: Token, found: Found) -> bool:
    """Return whether a plain number of three parts is a release: the name of a product or another version precedes it.

    First on its line it is the number of a clause or heading; "12.05.2024" is a date, "415.568.6000" a telephone.
    """
    first, _, last = token.text.split(".")
    if len(first) > 2 or len(last) > 3:
        return False
    text, place = token.view.text, token.place
    line = text[max(0, place - 60) : place].rpartition("\n")[2]
    if last == "x" or text[place - 1 : place] == "`":
        return True
    words = [word.strip("`(,") for word in line.split()[-2:]]
    if words and words[-1] in ("and", "or", "to"):
        words.pop()
    if words and found.has("versions", words[-1]):
        return True
    before = _BEFORE.search(line)
    if before is None or _SENTENCE.match(text, place + len(token.text)):
        return False
    word = before[1].lower()
    return word not in _REFERS and (word[0].isalpha() or word.endswith("x"))


VERSIONS = Family(
    name="version",
    pattern=(
        r"v\d{1,6}(?:\.\d{1,6}){1,4}(?:[\-+][\w.+\-]{0,60}\w)?"
        r"|v\d{1,3}(?:alpha|beta)\d{1,3}"
        r"|\d{1,6}\.\d{1,6}(?:\.(?:\d{1,6}|x)(?:[\-+][\w.+\-]{0,60}\w)?)?"
    ),
    collect=_collect,
)
