"""Role identifiers: ``ROLE_ADMIN``, ``APP_OWNER_ROLE``, ``roles/iam.securityAdmin``, role ARNs."""

from __future__ import annotations

from withgrain.signals.family import Family, Token
from withgrain.signals.found import Found


def _collect(token: Token, found: Found) -> None:
    found.add("roles", token.text, token.place)


ROLES = Family(
    name="role",
    pattern=(
        r"ROLE_[A-Z0-9][A-Z0-9_]*"
        r"|[A-Z][A-Z0-9]*(?:_(?!ROLE\b)[A-Z0-9]+)*_ROLE"
        r"|roles/[a-z][A-Za-z]*(?:\.[A-Za-z]+)*"
        r"|arn:aws[\w\-]*:iam::\d{0,12}:role/[\w+=.@/\-]+"
    ),
    collect=_collect,
)
