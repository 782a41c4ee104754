"""What a run knows about a document beside the document."""

from __future__ import annotations

from dataclasses import dataclass

from withgrain.chunk.classify import Classification
from withgrain.chunk.semantic import Embed


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Knowledge from outside of the document.

    Attributes:
        classification: The class that the user's rules give to it; None lets path and content decide.
        domain: The domain that a path rule gives to it; front matter goes before, and markers before both.
        embed: Embeds sentences, for policies that cut at topics.
    """

    classification: Classification | None = None
    domain: str = ""
    embed: Embed | None = None
