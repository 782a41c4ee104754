"""Backslashes where text would otherwise be read as Markdown, and only there: the text stays searchable."""

from __future__ import annotations

import re

# Beginnings of a line that start a block. The group is what stands in front of the backslash.
_STARTS = re.compile(
    r"(?P<before>\d{1,9}(?=[.)](?:[ \t]|$)))"  # 1. 1)
    r"|[-+*](?=[ \t]|$)"  # bullets
    r"|#{1,6}(?=[ \t]|$)"
    r"|[>|]"
    r"|`{3}(?=[^`]*$)|~{3}"
    r"|<(?=[A-Za-z/!?])"  # HTML
    r"|:(?=[ \t]|$|:{2})"  # a description, an admonition
    r"|[-=|: \t+]+$"  # underlines, delimiter rows, front matter
    r"|(?:[*_-][ \t]*){3,}$"  # rules
    r"|\[(?=[^\]]*\]:|![A-Za-z]+\]|[ xX]\][ \t])"  # definitions, alerts, tasks
    r"|!!!|\?\?\?|===|\$\$|\\\[|\{\{[%<]|\{$"
)
_LABEL = re.compile(r"\\(?=[!-/:-@\[-`{-~]|$)|[\[\]`<$^]")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_REFERENCE = re.compile(r"&(?=#?[A-Za-z0-9]+;)")
_EDGE_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
_CLOSING = re.compile(r"#+$")
_BACKSLASH = re.compile(r"\\(?=[!-/:-@\[-`{-~])")


def line_escape(line: str) -> int:
    """Return where a line of text needs a backslash so that it begins no block; -1 where it needs none."""
    match = _STARTS.match(line)
    if match is None:
        return -1
    before = match["before"]
    return len(before) if before else 0


def escape_line(line: str) -> str:
    """Return a line of text with a backslash where it would begin a block."""
    at = line_escape(line)
    return line if at < 0 else f"{line[:at]}\\{line[at:]}"


def escape_image(text: str) -> str:
    """Return text in which "![" begins no image: images alone are a figure."""
    return text.replace("![", "!\\[") if "![" in text else text


def escape_label(text: str) -> str:
    """Return the text of a link with what could end it, or reach over its end, escaped."""
    return _LABEL.sub(r"\\\g<0>", text)


def image_label(text: str) -> str:
    """Return the description of an image as it can stand between brackets: its own become round."""
    return escape_label(text.replace("[", "(").replace("]", ")"))


def escape_target(target: str) -> str:
    """Return the target of a link as it can stand between brackets."""
    return target.replace(" ", "%20").replace("(", "%28").replace(")", "%29").replace("<", "%3C").replace("\\", "%5C")


def escape_heading(text: str) -> str:
    """Return the text of a heading so that reading it as Markdown gives the same text.

    A heading stands in paths with its plain text, so that here nothing needs to stay clean.
    """
    text = _BACKSLASH.sub(r"\\\\", text)
    text = _TAG.sub(r"\\<", text)
    text = _REFERENCE.sub(r"\\&", text)
    if text.count("*") > 1:
        text = text.replace("*", "\\*")
    if text.count("_") > 1:
        text = _EDGE_UNDERSCORE.sub(r"\\_", text)
    for sign in ("`", "~~", "[", "{", "$", "^"):
        text = text.replace(sign, "\\" + sign)
    return _CLOSING.sub(lambda match: "\\" + match.group(), text)
