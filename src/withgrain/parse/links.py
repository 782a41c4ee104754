"""References: links, footnotes and textual cross-references, resolved inside the document where possible."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import unquote

from withgrain.model import Block, Link, Span
from withgrain.parse.build import make_link
from withgrain.parse.places import Places, places_of

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_SCHEME_BEFORE = re.compile(r"(?:https?|ftp|wss?|git|ssh|s3|gs|jdbc:\w+|ldaps?|postgres(?:ql)?|redis|file)$")
_URL = re.compile(r"[^\s<>\"'`\]\[{}|\\^]+")
_FOOTNOTE = re.compile(r"\[\^([^\]\s]{1,100})\]")
_CROSS = re.compile(
    r"(?P<word>sections?|clauses?|articles?|steps?|chapters?|appendix|paragraphs?|exhibit|schedule|phase)[ \u00a0\n]"
    r"(?P<number>\d{1,4}(?:\.\d{1,4})*|[IVXLC]{1,7}|[A-Z](?:\.\d{1,4})*)(?![\w-])",
    re.IGNORECASE,
)
_PARAGRAPH_SIGN = re.compile(r"§{1,2}[ \u00a0]?(\d{1,4}(?:\.\d{1,4})*)")
#: The words of `_CROSS` without their first letter, which may be a capital. The rarer ones are looked for only where
#: something is numbered.
_TAILS = ("ection", "tep")
_RARER_TAILS = ("lause", "rticle", "hapter", "ppendix", "aragraph", "xhibit", "chedule", "hase ")
_CAPITAL_TAILS = ("ECTION ", "LAUSE ", "RTICLE ", "PPENDIX ", "XHIBIT ", "CHEDULE ")


def resolve_links(
    text: str,
    blocks: Sequence[Block],
    links: Sequence[tuple[int, int, str]],
    anchors: Mapping[str, Span] | None = None,
) -> tuple[Link, ...]:
    """Return all references of a document, in order.

    ``links`` are what the parser found as links (start, end, target). Added are bare URLs, footnote references and
    textual cross-references ("see section 4.2"), outside of code. ``anchors`` are places beside those that the blocks
    say.
    """
    places = places_of(text, blocks, [(start, end) for start, end, _ in links])
    for name, span in (anchors or {}).items():
        places.anchors.setdefault(name, span)
    found = [_link(start, end, target, places) for start, end, target in links]
    found += _bare_urls(text, places)
    if places.footnotes:
        found += _footnotes(text, places)
    found += _cross_references(text, places)
    found.sort(key=_start)
    return tuple(found)


def _start(link: Link) -> int:
    return link.span.start


def _link(start: int, end: int, target: str, places: Places) -> Link:
    if target.startswith("#"):
        name = target[1:]
        place = places.anchors.get(name) or places.anchors.get(unquote(name))
        return make_link(start, end, target, "anchor", place)
    return make_link(start, end, target, "url" if _SCHEME.match(target) else "relative")


def _bare_urls(text: str, places: Places) -> Iterator[Link]:
    at = text.find("://")
    while at >= 0:
        if places.open(at):
            scheme = _SCHEME_BEFORE.search(text, max(0, at - 20), at)
            match = _URL.match(text, at + 3)
            if scheme and match and not _in_code_span(text, at):
                start = scheme.start()
                end = start + len(_without_tail(text[start : match.end()]))
                if end > at + 3:
                    yield make_link(start, end, text[start:end], "url")
            if match:
                at = match.end() - 3
        at = text.find("://", at + 3)


def _without_tail(url: str) -> str:
    """Take off what ends a sentence: punctuation, and brackets that were not opened in the URL."""
    surplus = url.count(")") - url.count("(")
    end = len(url)
    while end and (url[end - 1] in ".,;:!?*_~" or (url[end - 1] == ")" and surplus > 0)):
        surplus -= url[end - 1] == ")"
        end -= 1
    return url[:end]


def _in_code_span(text: str, offset: int) -> bool:
    """Return whether an odd number of backticks stands before the offset on its line."""
    low = max(0, offset - 2_000)
    return text.count("`", max(text.rfind("\n", low, offset), low), offset) % 2 == 1


def _footnotes(text: str, places: Places) -> Iterator[Link]:
    for match in _FOOTNOTE.finditer(text):
        note = places.footnotes.get(match.group(1).casefold())
        if note is not None and match.start() != note.start and places.open(match.start()):
            yield make_link(match.start(), match.end(), match.group(1), "footnote", note)


def _cross_references(text: str, places: Places) -> Iterator[Link]:
    for tail in (*_TAILS, *_RARER_TAILS, *_CAPITAL_TAILS) if places.has_numbers else _TAILS:
        at = text.find(tail, 1)
        while at >= 0:
            match = _CROSS.match(text, at - 1)
            if match and not text[max(0, at - 2) : at - 1].isalnum() and places.open(at) and not _label(text, match):
                link = _cross_reference(places, match["word"].lower().rstrip("s"), match["number"], match.span())
                if link:
                    yield link
            at = text.find(tail, at + 3)
    if "§" in text:
        for match in _PARAGRAPH_SIGN.finditer(text):
            if places.open(match.start()):
                link = _cross_reference(places, "§", match.group(1), match.span())
                if link:
                    yield link


def _label(text: str, match: re.Match[str]) -> bool:
    """Return whether a line begins with it and goes on with a colon or a stop: "Step 1: …" names itself."""
    begins = match.start() == 0 or text[match.start() - 1] in "\n*_"
    return begins and text[match.end() : match.end() + 1] in (":", ".", ")", "*")


def _cross_reference(places: Places, word: str, number: str, span: tuple[int, int]) -> Link | None:
    start, end = span
    place = places.numbered(word, number, start)
    if place is not None and place.start <= start < place.end:
        return None  # the heading or the item itself
    if place is None and not number[0].isdigit():
        return None  # "step a", "section I": a reference only where its target exists
    return make_link(start, end, number, "section", place)
