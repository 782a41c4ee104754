"""Command-line flags: ``--metrics-tls-cert-file``, and ``-f`` where it is set as code."""

from __future__ import annotations

from withgrain.signals.family import Family, Token
from withgrain.signals.found import Found


def _collect(token: Token, found: Found) -> None:
    flag = token.text.partition("=")[0]
    if flag.startswith("--") or (not token.fenced and token.view.is_code(flag)):
        found.add("flags", flag, token.place)


FLAGS = Family(
    name="flag",
    pattern=r"--?[A-Za-z][A-Za-z0-9]*(?:[\-_.][A-Za-z0-9]+)*(?:=\S*)?",
    collect=_collect,
)
