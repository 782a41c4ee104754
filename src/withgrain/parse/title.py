"""The title of a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from withgrain.model import Block, Source, label


def title_of(meta: Mapping[str, Any], blocks: Sequence[Block], source: Source, *, own: str = "") -> str:
    """Return the front matter's ``title``, else the only H1, else the format's ``own`` title, else the file's stem.

    A text without a file and without a title has the title "".
    """
    value = meta.get("title")
    if isinstance(value, str | int | float) and not isinstance(value, bool) and str(value).strip():
        return label(" ".join(str(value).split()))
    tops = [block for block in blocks if block.kind == "heading" and block.level == 1]
    if len(tops) == 1 and tops[0].attrs.get("text"):
        return label(tops[0].attrs["text"])
    if own.strip():
        return label(" ".join(own.split()))
    return "" if source.uri == source.sha256 else PurePosixPath(source.path).stem
