"""Find passages that address the reader as an instruction, and markup that hides text.

A finding is a mark for the reader, never a reason to drop text: a runbook about prompt injection must stay readable.
Words only: who writes around these patterns is not found, which is why all retrieved text is delivered as data.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from withgrain.mcp.sanitise import remove_invisible, reveal

_READER = r"(?:a\.?i\.?|llm|language model|chat ?bot|assistant|ai agent|gpt|claude|gemini|copilot)s?"
_ORDERS = r"(?:instruction|prompt|directive|guideline|rule|command)s?"
_EARLIER = r"(?:previous|prior|above|earlier|preceding|foregoing|all|any|your|system|existing|initial|original|safety)"

# Every gap is bounded, so that matching is linear.
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        (
            "override",
            (
                rf"\b(?:ignore|disregard|forget|override|do not follow|stop following)\s+(?:\w+\s+){{0,3}}{_EARLIER}\s+"
                rf"(?:\w+\s+){{0,3}}(?:{_ORDERS}|context|training)\b"
                r"|\b(?:ignore|disregard|forget)\s+(?:everything|anything|all|what)\s+(?:\w+\s+){0,3}"
                r"(?:above|before|earlier|told|said|previously)\b"
            ),
        ),
        (
            "override",
            (
                r"\bignorier\w*\s+(?:\w+\s+){0,2}(?:vorherigen|bisherigen|obigen|früheren)\s+(?:\w+\s+)?anweisungen"
                r"|\bignore[zr]?\s+(?:toutes\s+)?les\s+instructions\s+(?:précédentes|ci-dessus|antérieures)"
                r"|\bignora\w*\s+(?:todas\s+)?las\s+instrucciones\s+(?:anteriores|previas)"
                r"|\bignora\w*\s+(?:tutte\s+)?le\s+istruzioni\s+precedenti"
                r"|\bигнорируй\w*\s+(?:все\s+)?(?:предыдущие|прежние)\s+(?:инструкции|указания)"
                r"|忽略.{0,6}(?:之前|以上|先前|所有).{0,6}(?:指令|指示|说明)"
            ),
        ),
        (
            "role",
            (
                r"\byou are (?:now|no longer)\s+(?:an?|the|in|my|bound|required)\b|\bfrom now on,?\s+you\s+"
                r"(?:are|will|must|should|shall)\b|\bpretend (?:to be|that you|you are)\b"
                r"|\bact as (?:an? |the )?(?:unrestricted|jailbroken|system|root|dan|developer mode)\b"
            ),
        ),
        (
            "address",
            (
                rf"\b(?:note|attention|message|instructions?|important|warning|dear|hello|hey)\b[^\n]{{0,24}}?\b{_READER}"
                r"(?:\s+(?:agents?|assistants?|models?|systems?|readers?))?\s*[:,!—]"
                rf"|\bif you are (?:an? |the )?(?:{_READER}|automated|agent)\b"
                r"|\b(?:ai|llm)\s+(?:assistants?|agents?|models?)\s+(?:reading|processing|summari[sz]ing|that reads?)\b"
            ),
        ),
        (
            "prompt markup",
            (
                r"<\|(?:im_start|im_end|system|user|assistant|endoftext)[^|\n]{0,20}\|>|\[/?inst\]|<</?sys>>"
                r"|</?(?:system|assistant|tool_result|tool_call|function_calls?|system[-_]reminder|system[-_]prompt)>"
                r"|(?:^|\n)[ \t#*>]{0,8}(?:system|assistant|developer) (?:prompt|message)\s*:"
            ),
        ),
        (
            "secrecy",
            (
                r"\b(?:do not|don't|never)\s+(?:tell|inform|mention|reveal|disclose|show|report)\s+(?:\w+\s+){0,3}"
                r"(?:the\s+)?(?:user|human)s?\b"
            ),
        ),
        (
            "exfiltration",
            (
                r"\b(?:send|post|forward|upload|exfiltrate|leak|e?mail|append|include)\b[^.\n]{0,60}?\b"
                r"(?:system prompt|this conversation|the conversation|chat history|"
                r"your (?:instructions|context|memory|api keys?|"
                r"credentials|secrets?|tokens?))\b"
                r"|\b(?:reveal|print|repeat|output|show)\s+(?:me\s+)?(?:your|the)\s+(?:system|hidden|initial)\s+"
                r"(?:prompt|instructions?)\b"
            ),
        ),
    )
)
_COLON = r"\s{0,9}:\s{0,9}"
_HIDING = re.compile(
    "|".join(
        (
            r"<!--",
            r"<template\b",
            r"<[a-z]{1,20}\s[^<>\n]{0,200}?\bhidden\b[^<>\n]{0,200}>",
            rf"\bdisplay{_COLON}none\b",
            rf"\bvisibility{_COLON}(?:hidden|collapse)\b",
            rf"\bfont-size{_COLON}(?:0(?![.\d])|[01]px|0?\.0\d)",
            rf"\bopacity{_COLON}(?:0(?![.\d])|0?\.0\d)",
            rf"(?<![-\w])color{_COLON}(?:transparent\b|white\b|#fff(?:fff)?\b)",
            rf"(?<![-\w])(?:left|right|top|bottom|text-indent|margin-left){_COLON}-\d{{3,9}}",
            rf"(?<![-\w])(?:height|width|max-height|max-width){_COLON}0(?![.\d])",
            rf"\bclip{_COLON}rect\(0",
            r"(?m:^[ ]{0,3}\[(?://|comment)\]:)",
        )
    ),
    re.IGNORECASE,
)
_EXCERPT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """One passage that speaks to its reader.

    Attributes:
        kind: ``override`` | ``role`` | ``address`` | ``prompt markup`` | ``secrecy`` | ``exfiltration``.
        excerpt: The words that were found, lower case, at most 100 characters.
    """

    kind: str
    excerpt: str


def suspicions(text: str, limit: int = 20) -> tuple[Suspicion, ...]:
    """Return up to ``limit`` passages of ``text`` that address the reader as an instruction, one a pattern and wording.

    Looks at the text as it is shown (text in tag characters decoded) and with invisible characters taken out, both
    compatibility-normalised and case-folded, so that invisible characters and full-width letters hide nothing.
    """
    views = dict.fromkeys(_folded(view) for view in (reveal(text).text, remove_invisible(text)))
    found: dict[Suspicion, None] = {}
    for view in views:
        for kind, pattern in _PATTERNS:
            for match in pattern.finditer(view):
                excerpt = " ".join(match.group().split())[:_EXCERPT]
                found[Suspicion(kind=kind, excerpt=excerpt)] = None
                if len(found) >= limit:
                    return tuple(found)
    return tuple(found)


def hiding_markup(text: str) -> int:
    """Return how many times ``text`` has markup that a rendered page would not show: comments, hidden elements."""
    return sum(1 for _ in _HIDING.finditer(text))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
