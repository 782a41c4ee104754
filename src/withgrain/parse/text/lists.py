"""Lists in plain text: bullets and enumerators, in one run of lines or one item a run; and numbered clauses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from withgrain.model import Block
from withgrain.parse.build import make_block, make_span
from withgrain.parse.numbers import clause_number
from withgrain.parse.text.groups import Group
from withgrain.parse.text.parted import record_starts
from withgrain.parse.text.tables import split_table

_MARKER = re.compile(
    r"[ \t]*(?:(?P<marker>[-*+•·‣▪●◦–—](?=[ \t])"
    r"|(?P<open>\(?)(?P<number>\d{1,3}|[ivxl]{1,6}|[A-Za-z])(?P<close>[.)])(?=[ \t]))[ \t]+"
    r"|(?P<wide>[①-⑳]|[（(][一二三四五六七八九十\d]{1,3}）|[一二三四五六七八九十\d]{1,3}、)[ \t\u3000]*)(?=\S)"
)
_ITEM = re.compile(r"^" + _MARKER.pattern, re.MULTILINE)
_WIDE = "①）、"  # styles of markers of Chinese and Japanese texts
_BULLETS = frozenset("-*+•·‣▪●◦–—")


@dataclass(slots=True)
class _Item:
    start: int
    end: int
    body: int
    marker: str
    number: str | None
    style: str


def find_lists(text: str, groups: list[Group]) -> list[Block]:
    """Return the blocks of all groups: headings as they are, lists, and paragraphs with their clause number."""
    blocks: list[Block] = []
    items: list[_Item] = []
    for group in groups:
        own = _items(text, group) if group.heading is None else []
        if not own or (items and not _continues(items[-1], own[0])):
            _flush(text, items, blocks)
        if group.heading is not None:
            blocks.append(group.heading)
        elif own:
            items.extend(own)
        else:
            starts = [*(record_starts(text, group) or [group.start]), group.end]
            blocks.extend(split_table(text, group) or (_paragraph(text, *edges) for edges in pairwise(starts)))
    _flush(text, items, blocks)
    return blocks


def _items(text: str, group: Group) -> list[_Item]:
    """Return the items of a group that begins with a marker: each goes on to the next marker of the same style."""
    first = _MARKER.match(text, group.start, group.first_end)
    if first is None:
        return []
    items = [_item(first, group.end)]
    if group.end > group.first_end:
        for match in _ITEM.finditer(text, group.first_end, group.end):
            item = _item(match, group.end)
            if _continues(items[-1], item):
                items[-1].end = item.start
                items.append(item)
    return items


def _item(match: re.Match[str], end: int) -> _Item:
    wide = match["wide"]
    if wide is not None:  # of Chinese and Japanese texts
        number = wide.strip("（()）、")
        return _Item(match.start(), end, match.end(), wide, number, wide[-1] if wide[-1] in _WIDE else _WIDE[0])
    marker, number = match["marker"], match["number"]
    style = marker if number is None else f"{match['open']}{_kind(number)}{match['close']}"
    return _Item(match.start(), end, match.end(), marker, number, style)


def _kind(number: str) -> str:
    if number.isdigit():
        return "1"
    return "A" if number.isupper() else "a"


def _continues(previous: _Item, item: _Item) -> bool:
    """Return whether an item follows another in one list: the same bullet, or the next number of the same style."""
    if previous.style != item.style:
        return False
    if previous.number is None or item.number is None or item.style in _WIDE:
        return True
    return item.number in _successors(previous.number)


def _successors(number: str) -> tuple[str, ...]:
    if number.isdigit():
        return (str(int(number) + 1),)
    after: list[str] = []
    if len(number) == 1 and number.lower() != "z":
        after.append(chr(ord(number) + 1))
    value = _ROMAN.get(number.lower())
    if value is not None and value + 1 in _ROMAN_OF:
        after.append(_ROMAN_OF[value + 1] if number.islower() else _ROMAN_OF[value + 1].upper())
    return tuple(after)


def _roman(value: int) -> str:
    digits = (("l", 50), ("xl", 40), ("x", 10), ("ix", 9), ("v", 5), ("iv", 4), ("i", 1))
    signs = ""
    for sign, worth in digits:
        while value >= worth:
            signs += sign
            value -= worth
    return signs


_ROMAN_OF = {value: _roman(value) for value in range(1, 60)}
_ROMAN = {signs: value for value, signs in _ROMAN_OF.items()}


def _flush(text: str, items: list[_Item], blocks: list[Block]) -> None:
    """Close the open list; an item that stays alone is a paragraph, unless it has a bullet."""
    if len(items) == 1 and items[0].style not in _BULLETS:
        blocks.append(_paragraph(text, items[0].start, items[0].end))
    elif items:
        children = tuple(
            make_block(
                "list_item",
                item.start,
                item.end,
                make_span(item.body, item.end),
                (),
                {"marker": item.marker},
                item.number,
            )
            for item in items
        )
        attrs = {"ordered": "1"} if items[0].number is not None else None
        blocks.append(make_block("list", items[0].start, items[-1].end, None, children, attrs))
    items.clear()


def _paragraph(text: str, start: int, end: int) -> Block:
    return make_block("paragraph", start, end, None, (), None, clause_number(text, start, end))
