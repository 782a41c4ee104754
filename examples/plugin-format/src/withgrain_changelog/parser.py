"""From a Debian changelog to a document: a section for every version, a list item for every change."""

from __future__ import annotations

import re

from withgrain.errors import DocumentError
from withgrain.model import Document, Source
from withgrain.parse import decode
from withgrain.parse.rendered import Inline, Writer

_VERSION = re.compile(r"(?P<package>\S+) \((?P<version>[^()\s]+)\) (?P<target>[^;]+);(?P<rest>.*)")


def parse_changelog(data: bytes, source: Source) -> Document:
    """Parse the bytes of a changelog; raises `DocumentError` when it has no version."""
    writer = Writer()
    open_list = False
    item = Inline()
    seen = False
    for line in [*decode(data).text.split("\n"), ""]:
        version = _VERSION.match(line)
        if open_list and not line.startswith("    "):  # a change ends where the next line is not its continuation
            writer.paragraph(item)
            writer.end()
            item = Inline()
            if not line.startswith("  * "):
                writer.end()
                open_list = False
        if version:
            seen = True
            writer.heading(f"{version['package']} {version['version']}", 1, anchor=version["version"])
            writer.paragraph(f"Target: {version['target']};{version['rest']}")
        elif line.startswith("  * "):
            if not open_list:
                writer.begin_list()
                open_list = True
            writer.begin_item()
            item.text(line[4:])
        elif line.startswith("    ") and open_list:
            item.text(" " + line)
        elif line.strip():
            writer.paragraph(line)
    if not seen:
        raise DocumentError("The file is no Debian changelog: no line of the form package (version) target; urgency=low.")
    return writer.document(source, title="Changelog")
