"""Environment variables: ``$HOME``, ``${ETCD_NAME}``, ``%APPDATA%``, ``ETCD_NAME=infra0``."""

from __future__ import annotations

import re

from withgrain.signals.family import Family, Token
from withgrain.signals.found import Found
from withgrain.signals.view import View
from withgrain.signals.words import word_set

_DOLLAR = re.compile(r"\$(?:\{?env:|\{)?([A-Z][A-Z0-9_]{1,80})(?![A-Za-z0-9_])")
_PERCENT = re.compile(r"%([A-Z][A-Z0-9_]{2,80})%")
_ACCESS = re.compile(r"(?:env\.|environ\[[\"']|getenv\([\"'])([A-Z][A-Z0-9_]{1,80})")


#: What stands behind a dollar sign as an amount of money: "$US 100", "$M".
_MONEY = word_set("US USD AU AUD CA CAD HK HKD NZ NZD SG SGD TW BN MM MN BILLION MILLION")


def names_environment(view: View) -> bool:
    """Return whether the text speaks of environment variables: then bare ``UPPER_CASE`` names are such."""
    return view.has_any("nvironment variable", "nvironment Variable", "env var", "ENV ", "env:")


def find_references(view: View, found: Found) -> None:
    """Find variables behind a dollar sign: of a shell, or of PowerShell (``$env:HOME``)."""
    for match in _DOLLAR.finditer(view.text):
        if match[1] in _MONEY:
            continue
        found.add("environment", match[1], match.start(1))


def find_percents(view: View, found: Found) -> None:
    """Find variables of Windows inside longer words: ``%JAVA_HOME%/bin``."""
    for match in _PERCENT.finditer(view.text):
        found.add("environment", match[1], match.start(1))


def _collect_access(token: Token, found: Found) -> None:
    for match in _ACCESS.finditer(token.view.text):
        found.add("environment", match[1], match.start(1))


def _collect(token: Token, found: Found) -> None:
    found.add("environment", token.text.strip("%").partition("=")[0], token.place)
    if "=" in token.text:
        found.add("keys", token.text, token.place)


ENVIRONMENT = Family(
    name="environment",
    pattern=r"%[A-Z][A-Z0-9_]+%|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+=[\w.:/@%+\-]*[\w/@%+]",
    collect=_collect,
)
#: How programs read a variable; one such token is enough to look at the whole text.
ACCESSES = Family(
    name="access",
    pattern=r"process\.env(?:\.\w+)?|os\.environ|(?:os\.)?getenv",
    collect=_collect_access,
)
