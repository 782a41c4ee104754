"""Headings in plain text: underlined, numbered, labelled ("ARTICLE IV"), in capitals; prose must never become one.

A line is a heading only when it stands alone (or above its text in a much shorter line), looks like a title, and is
followed by text. Title pages, tables of contents and signature blocks look much alike: runs of short lines are left.
"""

from __future__ import annotations

import re

from withgrain.parse.build import make_heading, make_span
from withgrain.parse.numbers import printed_number
from withgrain.parse.slug import Slugs
from withgrain.parse.text.groups import Group
from withgrain.parse.text.labels import find_label, is_english, ladder, rank_of
from withgrain.parse.text.layout import NO_TITLE, Layout, is_body, layout_of
from withgrain.parse.text.marked import marked_heading

_MAX_LENGTH = 100
_UNDERLINE = re.compile(r"[ \t]*(=+|-+|~+|\*+|#+|_+)[ \t]*\n?")
_NUMBERED = re.compile(r"(?:\d{1,3}(?:\.\d{1,3})*|[A-Z](?:\.\d{1,3}){1,4}|[A-Z]|[IVXLC]{1,7})[.)]?[ \t]+(?=\S)")
_PLAIN_NUMBER = re.compile(r"\d{1,3}[ \t]")
_ENUMERATOR = re.compile(r"(?:^|\s)\(?\w{1,3}\)\s")
_WORD = re.compile(r"[^\W\d_][\w'’&-]*")
_CONTENTS = re.compile(r"(?:\.[ .]{3,}|[ \t]{2,}|[ \t])[ivxl\d-]{1,5}[ \t]*$")
_COLUMNS = re.compile(r"\||\t|[ ]{3,}")
#: The number of a label that begins a count anew.
_FIRST = re.compile(r"[ \t\u00a0第](?:0?1|I|A|a|一|１)(?:\.1)?\W*$")
#: Titles of one word in capitals; other single words are as often shouted.
_ALONE = frozenset({"RECITALS", "BACKGROUND", "PREAMBLE", "INTRODUCTION", "DEFINITIONS", "PURPOSE", "SCOPE", "SUMMARY"})
_SMALL = frozenset({"a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"})


def find_headings(text: str, groups: list[Group]) -> list[Group]:
    """Return the groups with headings split off as groups of their own, each with its block."""
    result: list[Group] = []
    found: list[tuple[Group, str]] = []
    layout = layout_of(text, groups)
    for index, group in enumerate(groups):
        heading, rest = _marked(text, group)
        if heading is None:
            heading, rest = _split(text, groups, index, result)
        if heading is None:
            heading, rest = _by_layout(text, group, layout)
        if heading is None and found and found[-1][0] is result[-1] and _titles_label(text, groups, index, found[-1]):
            heading = (group, "capitals")
        if heading is None:
            result.append(group)
            continue
        result.append(heading[0])
        found.append(heading)
        if rest is not None:
            result.append(rest)
    _build(text, found)
    return result


def _marked(text: str, group: Group) -> tuple[tuple[Group, str] | None, Group | None]:
    """Return the heading that is marked by signs, its level as how it was found, and what is left of the group."""
    found = marked_heading(text, group)
    if found is None:
        return None, None
    rest = Group(group.first_end, group.end, _line_end(text, group.first_end)) if group.end > group.first_end else None
    return (found[0], str(found[1])), rest


def _is_bare_label(line: str) -> bool:
    """Return whether a line is a label and nothing else."""
    label = find_label(line)
    return label is not None and label.end() == len(line)


def _is_contents(line: str) -> bool:
    """Return whether a line ends like one of a table of contents; "vi" is also a word ("Điều 1. Phạm vi")."""
    page = _CONTENTS.search(line)
    if page is None or len(page.group()) > len(page.group().lstrip(" \t")) + 1 or any(map(str.isdigit, page.group())):
        return page is not None
    label = find_label(line)
    return label is None or is_english(label)


def _titles_label(text: str, groups: list[Group], index: int, above: tuple[Group, str]) -> bool:
    """Return whether a lone line in capitals is the title of the label that stands alone above it: "ARTICLE I"."""
    group, line = groups[index], _title_line(text, groups[index])
    if above[1] != "label" or group.end > group.first_end or not line.isupper() or len(line) > _MAX_LENGTH:
        return False
    bare = _is_bare_label(_title_line(text, above[0]))
    lone = find_label(line) is None and not NO_TITLE.search(line) and index + 1 < len(groups)
    return bare and lone and _is_title(line, capitals=True) and is_body(text, groups[index + 1])


def _by_layout(text: str, group: Group, layout: Layout) -> tuple[tuple[Group, str] | None, Group | None]:
    """Return the heading at the start of a group that the layout of the text makes one."""
    how = "number" if group.start in layout.outline else "capitals" if group.start in layout.capitals else ""
    if not how and group.start in layout.margin:
        how = "number" if text[group.start].isdigit() else "margin"
    if not how:
        return None, None
    head = Group(group.start, group.first_end, group.first_end)
    end = _line_end(text, group.first_end)
    return (head, how), Group(group.first_end, group.end, end) if group.end > group.first_end else None


def _split(
    text: str, groups: list[Group], index: int, before: list[Group]
) -> tuple[tuple[Group, str] | None, Group | None]:
    """Return the heading at the start of a group and how it was found, and what is left of the group."""
    group = groups[index]
    if group.first_end - group.start > 2 * _MAX_LENGTH:
        return None, None
    line = text[group.start : group.first_end].strip()
    if group.end > group.first_end:
        return _in_front(text, group, line)
    if index + 1 == len(groups) or len(line) > _MAX_LENGTH or (_is_contents(line) and not _is_bare_label(line)):
        return None, None
    following = text[groups[index + 1].start : groups[index + 1].first_end].strip()
    how = _how(line)
    if how == "label" and line[-1] == "." and find_label(following):
        how = ""  # one of several rules of a line each
    if how in ("number", "letter") and (_same_kind_follows(line, following) or not _has_text(text, groups[index + 1])):
        how = ""
    if how == "capitals" and not (_is_prose(text, before[-1] if before else None) and is_body(text, groups[index + 1])):
        how = ""
    return ((group, how), None) if how else (None, None)


def _in_front(text: str, group: Group, line: str) -> tuple[tuple[Group, str] | None, Group | None]:
    """Look at the first line of several: underlined, or a numbered title in a short line above its text."""
    stop = text.find("\n", group.first_end, group.end)
    second_end = group.end if stop < 0 else stop + 1
    if second_end - group.first_end > 2 * _MAX_LENGTH * 10:
        return None, None
    second = text[group.first_end : second_end]
    if _UNDERLINE.fullmatch(line):
        return _between_lines(text, group, line, second_end)
    underline = _UNDERLINE.fullmatch(second)
    if underline:
        sign = underline.group(1)
        enough = len(sign) >= 3 and len(sign) * 2 >= len(line)
        if not enough or not _is_underlined(line, sign) or len(line) > _MAX_LENGTH or line[-1] in ",;":
            return None, None
        head = Group(group.start, second_end, group.first_end)
        rest = Group(second_end, group.end, _line_end(text, second_end)) if second_end < group.end else None
        return (head, "=" if sign[0] in "=#*" else "-"), rest
    label = find_label(line) if second_end == group.end else None
    if label and label.end() == len(line) and len(second) <= 60 and _is_short(second):  # "SCHEDULE 1" above "FEES"
        return (Group(group.start, group.end, group.end), "label"), None
    short = len(line) <= 60 and len(line) < 0.6 * len(second.strip())
    how = _how(line) if short and not _is_contents(line) else ""
    if how not in ("label", "number") or not second.strip()[:1].isupper():
        return None, None
    head = Group(group.start, group.first_end, group.first_end)
    return (head, how), Group(group.first_end, group.end, second_end)


def _is_underlined(line: str, sign: str) -> bool:
    """Return whether a line can be a title: it has words, or its underline is as long as it is ("2.3.0")."""
    return _WORD.search(line) is not None or (
        any(map(str.isdigit, line)) and abs(len(line) - len(sign)) <= 1 and not _COLUMNS.search(line)
    )


def _between_lines(text: str, group: Group, line: str, title_end: int) -> tuple[tuple[Group, str] | None, Group | None]:
    """Look at a title with a line of signs above it and the same below it; a table's head looks much alike."""
    title = text[group.first_end : title_end].strip()
    end = _line_end(text, title_end)
    enough = len(line) >= 3 and len(line) * 2 >= len(title) and 0 < len(title) <= _MAX_LENGTH
    if not enough or text[title_end:end].strip() != line or not _WORD.search(title) or title[-1] in ",;":
        return None, None
    if _COLUMNS.search(title) or (end < group.end and text[end : group.end].rstrip().endswith(line)):
        return None, None
    head = Group(group.start, end, title_end, title=group.first_end)
    rest = Group(end, group.end, _line_end(text, end)) if end < group.end else None
    return (head, "=" if line[0] in "=#*" else "-"), rest


def _line_end(text: str, at: int) -> int:
    newline = text.find("\n", at)
    return len(text) if newline < 0 else newline + 1


def _how(line: str) -> str:
    """Return why a line looks like a heading: ``label``, ``number``, ``letter``, ``capitals``; "" when it does not."""
    label = find_label(line)
    if label:
        title = line[label.end() :].lstrip(" \t\u00a0\u3000.:)—–-")
        return "label" if (_is_title(title, empty=True) or (not is_english(label) and _is_short(title))) else ""
    number = _NUMBERED.match(line)
    if number:
        title = line[number.end() :]
        if any(map(str.isdigit, number.group())):
            strict = _PLAIN_NUMBER.match(line) is not None
            if not title[0].isalpha() or (strict and (find_label(title) or NO_TITLE.search(title))):
                return ""
            return "number" if _is_title(title, capitals=strict) else ""
        return "letter" if _is_title(title, capitals=True) else ""
    if line[-1] == "." or NO_TITLE.search(line):
        return ""
    words = 2 if line in _ALONE else len(_WORD.findall(line))
    return "capitals" if _is_title(line, capitals=True) and 1 < words <= 8 else ""


def _is_title(title: str, *, empty: bool = False, capitals: bool = False) -> bool:
    """Return whether words look like a title: few, capitalised, and not ended like a sentence."""
    title = title.strip().rstrip(":-_=* ")
    words = _WORD.findall(title)
    if not words:
        return empty and not title
    if (
        len(words) > 12
        or title[-1] in ",;?!"
        or "__" in title
        or _ENUMERATOR.search(title)
        or ". " in title.rstrip(".")
    ):
        return False
    if title.isupper():
        return len(max(words, key=len)) > 2
    if capitals or (title[-1] == "." and len(words) > 6):
        return False
    weighty = [word for word in words if word.lower() not in _SMALL]
    capital = sum(word[0].isupper() for word in weighty)
    return words[0][0].isupper() and (capital >= 0.7 * len(weighty) or (len(words) <= 3 and title[-1] != "."))


def _is_short(title: str) -> bool:
    """Return whether words behind a label can be a title in a language that writes titles like sentences."""
    title = title.strip()
    words = len(title.split())
    few = words <= 12 and (title[-1:] != "." or words <= 6)
    return not title or (title[-1] not in ",;:?!。，；：؟،؛" and not title[0].islower() and few)


def _same_kind_follows(line: str, following: str) -> bool:
    """Return whether the next group begins with the next number at the same depth: then both are items of a list."""
    mine, other = _NUMBERED.match(line), _NUMBERED.match(following)
    if mine is None or other is None:
        return False
    first, second = (match.group().strip(" \t.)") for match in (mine, other))
    if first.isdigit() and second.isdigit():
        return int(second) == int(first) + 1
    return len(first) == len(second) == 1 and ord(second) == ord(first) + 1


def _has_text(text: str, group: Group) -> bool:
    """Return whether a group holds more than another short line."""
    line = text[group.start : group.first_end].strip()
    return group.end - group.start > 60 or _NUMBERED.match(line) is not None or _is_sentence(line)


def _is_sentence(line: str) -> bool:
    """Return whether a line is a short sentence: it ends with a full stop and most of its words are lower-case."""
    words = _WORD.findall(line)
    return line.endswith(".") and len(words) >= 3 and sum(word[0].islower() for word in words) * 2 > len(words)


def _is_prose(text: str, group: Group | None) -> bool:
    """Return whether a group is running text (or a heading, or the start of the text)."""
    if group is None or group.heading is not None:
        return group is not None
    return group.end - group.start > 80 and any(sign.islower() for sign in text[group.start : group.start + 200])


def _build(text: str, found: list[tuple[Group, str]]) -> None:
    """Make the blocks: articles and the like come first, then sections, then numbers by their depth."""
    slugs = Slugs()
    lines = [_title_line(text, group) for group, _ in found]
    labels = [find_label(line) if how == "label" else None for line, (_, how) in zip(lines, found, strict=True)]
    ranks = [rank_of(label) for label in labels if label]
    levels = ladder(ranks)
    articles = any(rank in ("part", "chapter", "article") for rank in ranks)
    below = max(levels.values()) if levels.keys() - {"beside"} else 0
    numbers = [printed_number(line) or "" for line, (_, how) in zip(lines, found, strict=True) if how == "number"]
    least = min((number.count(".") for number in numbers), default=0) if below else 0
    above, over = -1, 0  # where a label ends that stands alone, and its level
    body = annexed = False  # whether numbered headings came before (a filing has "EXHIBIT 10.1" on top), and a schedule
    shift = 0  # 1 in a schedule that has parts of its own, which are below it
    for (group, how), line, label in zip(found, lines, labels, strict=True):
        plain = " ".join(line.rstrip(":-_=* ").split())
        number = printed_number(plain) or _loose_number(plain)
        if label and rank_of(label) == "beside":
            annexed, shift = body, 0
        elif label and annexed and _FIRST.search(label.group()):
            shift = 1
        body = body or how == "number" or (label is not None and rank_of(label) != "beside")
        if how == "number":
            level = min(6, below + 1 + (number or "").count(".") - least + shift)
        elif how.isdigit():
            level = int(how)
        elif label:
            level = levels[rank_of(label)] + (shift if rank_of(label) != "beside" else 0)
        elif how == "capitals" and above >= 0 and not text[above : group.start].strip():
            level = over + 1  # the title of the schedule whose label stands alone above it
        else:
            level = 2 if how == "-" else 1 + (articles and how != "=")
        title = text[max(group.start, group.title) : group.first_end]
        start = max(group.start, group.title) + len(title) - len(title.lstrip())
        content = make_span(start, start + len(line))
        group.heading = make_heading(group.start, group.end, content, level, plain, number, slugs.unique(plain) or None)
        above, over = (group.end, level) if label and label.end() == len(line) else (-1, 0)


def _title_line(text: str, group: Group) -> str:
    return text[max(group.start, group.title) : group.first_end].strip()


def _loose_number(plain: str) -> str | None:
    match = find_label(plain) or re.match(r"\d{1,3}(?=[ \t])", plain)
    return " ".join(match.group().split()) if match else None
