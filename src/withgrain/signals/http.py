"""HTTP methods and paths: ``POST /api/v1/users/{userId}/lifecycle/suspend``, and paths that are plainly endpoints."""

from __future__ import annotations

import re

from withgrain.signals.family import Family, Token
from withgrain.signals.found import Found
from withgrain.signals.words import word_set

_REQUEST = re.compile(
    r"[ \t`*_|:\"'\]]{1,12}(?:https?://[^\s/`|\"'<>]{1,120}|\{\{?[\w.\-]{1,40}\}\}?)?"
    r"(/(?:[^\s`|\"'<>()\[\],;?#\\]|<[\w\-]{1,40}>)*)"
)
# First segments of paths on a disk.
_FOLDERS = word_set(
    "etc var usr opt home tmp bin sbin proc dev sys lib lib64 root mnt media srv run boot data Users Library "
    "Applications Program Windows workspace app src docs"
)
# First segments of paths that only a server has.
_SERVED = word_set(
    "api apis oauth oauth2 rest graphql scim .well-known healthz health livez readyz metrics admin self-service "
    "sessions auth login logout userinfo token authorize saml sso webhook webhooks callback identities v1 v2 v3 v4"
)
_VERSION = re.compile(r"/v\d{1,2}(?:/|\Z)")


def _collect_method(token: Token, found: Found) -> None:
    """Find the paths or URLs that stand behind a method; the endpoint is the path alone, without its query."""
    text = token.view.text
    for match in re.finditer(token.text, text) if "/" in text else ():
        request = _REQUEST.match(text, match.end())
        before = text[match.start() - 1] if match.start() else " "
        if request is None or before.isalnum() or before in "_-/":
            continue
        path = request[1].rstrip(".:!*_")
        if path.startswith("//"):
            continue
        found.add("api_method", token.text, match.start())
        if len(path) > 1:
            found.add("api_endpoint", path, request.start(1))


def _collect(token: Token, found: Found) -> None:
    path = token.text.partition("?")[0]
    if not token.fenced or path.split("/", 2)[1] in _SERVED:
        found.add("api_endpoint", path, token.place)


def _possible(identifier: str) -> bool:
    """Return whether a bare path can only be served: by its first segment, a version, or a parameter in braces."""
    path = identifier.partition("?")[0]
    first = path.split("/", 2)[1]
    if first in _FOLDERS or path.startswith("//"):
        return False
    return first in _SERVED or bool(_VERSION.search(path)) or ("{" in path and "}" in path and "${" not in path)


METHODS = Family(name="method", pattern="GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS", collect=_collect_method)
ENDPOINTS = Family(
    name="endpoint",
    pattern=r"/[\w{}.\-][\w{}:.\-~%/$@]*(?:\?\S*)?",
    collect=_collect,
    possible=_possible,
)
