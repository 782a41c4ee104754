"""Schema keys and settings: ``USERKEY``, ``statuskey=1``, ``user_id``, and ``sourceAttr`` where it is set as code."""

from __future__ import annotations

import re

from withgrain.signals.environment import names_environment
from withgrain.signals.family import Family, Token
from withgrain.signals.found import Found
from withgrain.signals.view import View
from withgrain.signals.words import word_set

# Words in capitals that are no columns even when they are set as code.
_NOT_KEYS = word_set(
    """
    KEY MONKEY TURKEY HOCKEY WHISKEY JOCKEY DONKEY NAME COMMENT NOTE TODO README MUST SHALL SHOULD
    GET POST PUT PATCH DELETE HEAD OPTIONS TRACE CONNECT NULL TRUE FALSE NONE WARN ERROR INFO DEBUG FATAL
    SELECT FROM WHERE INSERT UPDATE CREATE TABLE INDEX ALTER DROP GRANT REVOKE LOGIN BEGIN COMMIT ROLLBACK VACUUM
    ANALYZE EXPLAIN COPY NOTIFY LISTEN
    ACME CIDR CORS CRUD CSRF DNS01 HTTP HTTP01 HTTPS HTML IPV4 IPV6 JSON JWKS LDAP OAUTH OIDC RBAC RS256 ES256 HS256
    SAML SCIM SHA1 SHA256 SHA512 SMTP TOTP UTF8 UUID XML YAML
    """
)
_LONGEST_NAME = 40
_COMPARED = re.compile(r"(key|KEY)`?[ \t]{1,4}(?:={1,2}|:)[ \t]{0,4}[\"'`]?[\dA-Z]|(key|KEY)`?:[ \t]{0,4}`?\d")
_NAME_BEFORE = re.compile(r"[A-Za-z_]{2,40}\Z")
# Last parts of dotted names that are files or hosts, not settings.
_FILE_ENDINGS = word_set(
    """
    md mdx txt py js ts tsx jsx go rs java c h cpp sh bash json yaml yml toml ini conf cfg cnf html htm css xml csv tsv
    log sql proto der pem crt key cer csr p12 pfx jks tar gz zip tgz bz2 xz exe dll so jar war png jpg jpeg gif svg pdf
    docx xlsx pptx service socket timer lock sum mod tf tmpl tpl db sqlite pid sock bak env
    com org net io dev edu gov local svc co uk de example test internal cloud app ai e g
    """
)


def _collect_pair(token: Token, found: Found) -> None:
    key = token.text.partition("=")[0]
    found.add("keys", token.text, token.place)
    if not (key.isalpha() and key.islower()) or (len(key) > 4 and key.endswith(("key", "id"))):
        found.add("keys", key, token.place)  # "statuskey" is the name of a column, "name" and "type" are words


def _collect_upper(token: Token, found: Found) -> None:
    name = token.text
    if "_" in name:
        field = "environment" if names_environment(token.view) else "keys"
        found.add(field, name, token.place)
    elif name.endswith("KEY") or token.view.is_code(name):
        found.add("keys", name, token.place)


def _collect_snake(token: Token, found: Found) -> None:
    if not token.fenced or token.view.is_code(token.text):
        found.add("keys", token.text, token.place)


def _collect_camel(token: Token, found: Found) -> None:
    column = token.text.rpartition(".")[2]
    if len(column) < len(token.text) and column.endswith("KEY") and column.isupper() and _is_no_word(column):
        found.add("keys", column, token.place)  # "a.USERKEY" of a query: the alias is not what others share
    elif token.view.is_code(token.text):
        found.add("keys", token.text, token.place)


def find_compared(view: View, found: Found) -> None:
    """Find names of keys that are given or compared with a value: ``where statuskey = 1``, ``statuskey: 1``."""
    text = view.text
    for match in _COMPARED.finditer(text):
        ending = match[1] or match[2]
        letters = _NAME_BEFORE.search(text, max(0, match.start() - _LONGEST_NAME), match.start())
        name = letters[0] + ending if letters else ""
        if (name.islower() or name.isupper()) and _is_no_word(name):
            found.add("keys", name, match.start() - len(name) + len(ending))


def _collect_lower(token: Token, found: Found) -> None:
    if token.view.is_code(token.text):
        found.add("keys", token.text, token.place)


def _is_no_word(identifier: str) -> bool:
    return identifier.upper() not in _NOT_KEYS


def _is_no_file(identifier: str) -> bool:
    return identifier.rpartition(".")[2] not in _FILE_ENDINGS


#: A letter before "=" would be mathematics, a quote behind it an attribute of HTML.
PAIRS = Family(
    name="pair",
    pattern=r"[A-Za-z_][\w\-]{1,80}(?:\.[\w\-]{1,80}){0,8}=[\w.:/@%+\-{}$]*[\w/@%+}]",
    collect=_collect_pair,
)
UPPER = Family(
    name="upper",
    pattern=r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z][A-Z0-9]{3,60}",
    collect=_collect_upper,
    possible=_is_no_word,
)
#: Lower-case names such as "statuskey": only where they are set as code.
LOWER = Family(name="lower", pattern=r"[a-z]{4,40}(?<=key)", collect=_collect_lower, possible=_is_no_word)
SNAKE = Family(name="snake", pattern=r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+", collect=_collect_snake)
CAMEL = Family(
    name="camel",
    pattern=r"[a-z][a-z0-9]*[A-Z][A-Za-z0-9]*|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+",
    collect=_collect_camel,
    possible=_is_no_file,
)
