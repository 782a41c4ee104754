"""Debian changelogs for withgrain: a format in a package of its own.

An entry point (see ``pyproject.toml``) names `FORMAT`. The parser is imported when the first such file comes.
"""

from withgrain.parse import Format

FORMAT = Format(
    name="debian-changelog",
    media_type="text/x-debian-changelog",
    suffixes=(".dch",),
    loader="withgrain_changelog.parser:parse_changelog",
)
