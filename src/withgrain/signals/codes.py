"""Codes of errors and states: ``AADSTS50011``, ``ORA-12545``, ``CVE-2024-3094``, ``invalid_grant``, HTTP statuses."""

from __future__ import annotations

import re

from withgrain.signals.family import Family, Token
from withgrain.signals.found import Found
from withgrain.signals.view import View
from withgrain.signals.words import word_set

# Letters before digits that name a standard, an algorithm, a form or a month, not an error.
_NOT_A_CODE = word_set(
    "SHA AES RSA DES RC MD DH EC ECDSA HS RS ES PS ED X UTF UCS ISO IEC IEEE RFC ANSI DIN EN NIST FIPS ITU ECMA PEP "
    "BCP STD CP WIN ARM AMD MIPS USB DDR RTX GTX GPT FY CY EX ASC FAS SFAS ASU SEC USD EUR GBP CNY HK RMB NO "
    "US UK EU IBM PDP MP ICD DSM JAN FEB MAR APR MAY JUN JUL AUG SEP SEPT OCT NOV DEC COVID SARS PORT ROLE"
)
_ERRNO = (
    "EACCES|EADDRINUSE|EADDRNOTAVAIL|EAGAIN|EBADF|EBUSY|ECONNABORTED|ECONNREFUSED|ECONNRESET|EEXIST|EHOSTUNREACH|EINVAL"
    "|EIO|EISDIR|EMFILE|ENETUNREACH|ENFILE|ENOENT|ENOMEM|ENOSPC|ENOTDIR|ENOTEMPTY|ENOTFOUND|EPERM|EPIPE|EROFS"
    "|ETIMEDOUT|NXDOMAIN|SERVFAIL|REFUSED_STREAM|SIGKILL|SIGSEGV|SIGTERM"
)
# Error codes of OAuth 2.0 (RFC 6749, 6750, 8628) and OpenID Connect Core.
_OAUTH = (
    "invalid_request|invalid_client|invalid_grant|unauthorized_client|unsupported_grant_type|invalid_scope"
    "|access_denied|unsupported_response_type|server_error|temporarily_unavailable|invalid_token|insufficient_scope"
    "|authorization_pending|slow_down|expired_token|interaction_required|login_required|account_selection_required"
    "|consent_required|invalid_request_uri|invalid_request_object"
)
# Reason phrases of RFC 9110 and 6585: a number in front of one is a status.
_REASONS = (
    "OK|Created|Accepted|No Content|Moved Permanently|Found|See Other|Not Modified|Temporary Redirect"
    "|Permanent Redirect|Bad Request|Unauthorized|Forbidden|Not Found|Method Not Allowed|Not Acceptable"
    "|Request Timeout|Conflict|Gone|Length Required|Precondition Failed|Payload Too Large|Content Too Large"
    "|URI Too Long|Unsupported Media Type|Unprocessable|Locked|Too Early|Too Many Requests|Internal Server Error"
    "|Not Implemented|Bad Gateway|Service Unavailable|Gateway Timeout"
)
_REASON_BEHIND = re.compile(rf"[`*\")]{{0,3}}[ \t]?[\-–:|(]?[ \t`*]{{0,4}}(?:{_REASONS})\b")
# A table about statuses says so in its header; "filing status" in a financial table does not.
_STATUS_COLUMN = re.compile(r"\|[ \t`*]{0,8}(?:HTTP )?(?:[Ss]tatus(?: [Cc]odes?)?|[Cc]ode)[ \t`*]{0,40}\|")
_CELL_BEHIND = re.compile(r"[`*]{0,3}[ \t]{0,40}\|")
# Words that make a three-digit number behind them a status, and words that may stand between.
_NAMES_STATUS = ("http", "status", "response", "error")
_SAYS_STATUS = ("return", "respond", "answer")
_TELLS = re.compile("|".join(("exit", *_NAMES_STATUS, *_SAYS_STATUS)))
_BETWEEN = word_set(
    "a an and code codes is of or status the to with be not found bad request unauthorized forbidden ok"
)
_MAY_FOLLOW = word_set("and or if when for on with in error errors response responses status code to from http")
_LETTERS = re.compile("[A-Z]+(?=-?[0-9])")
# The registry of RFC 9110 and what servers and proxies use beside it.
_HTTP_STATUSES = word_set(
    """
    100 101 102 103 200 201 202 203 204 205 206 207 208 226 300 301 302 303 304 305 307 308
    400 401 402 403 404 405 406 407 408 409 410 411 412 413 414 415 416 417 418 421 422 423 424 425 426 428 429 431 451
    499 500 501 502 503 504 505 506 507 508 510 511 520 521 522 523 524 525 526
    """
)
_MAX_LOOKS = 16
_NUMBERED = re.compile(
    r"(?:[Ee]rror|ERROR|[Ee]rror [Cc]ode|ERROR CODE|[Ee]vent [Ii][Dd]|EventI[Dd])[ \t:=#`*|]{1,6}"
    r"(\d{4,6})(?![\w%]|[.,:/\-]\d)"
)
_SQLSTATE = re.compile(r"SQLSTATE[ \t:=`\[(]{1,4}([0-9A-Z]{5})(?![0-9A-Za-z])")


def _collect(token: Token, found: Found) -> None:
    found.add("codes", token.text, token.place)


def _possible(identifier: str) -> bool:
    letters = _LETTERS.match(identifier)
    return letters is None or letters[0] not in _NOT_A_CODE


def _collect_status(token: Token, found: Found) -> None:
    """Add a three-digit number where it is a status by what stands around it."""
    text, number = token.view.text, token.text
    if number[1] in "xX":
        found.add("codes", number.lower(), token.place)  # "5xx" is never anything else
        return
    place = text.find(number, token.place)
    for _ in range(_MAX_LOOKS):
        if place < 0:
            return
        if _is_status(text, place, place + len(number)):
            found.add("codes", number, place)
            return
        place = text.find(number, place + 1)


def _is_status(text: str, start: int, end: int) -> bool:
    before, behind = text[max(0, start - 60) : start], text[end : end + 40]
    if before[-1:].isalnum() or (before and before[-1] in "._$€£,-#") or behind[:1].isalnum() or behind[:1] in "%_":
        return False
    if behind[:1] in ".," and behind[1:2].isdigit():
        return False
    if _REASON_BEHIND.match(behind):
        return True
    number = text[start:end]
    if before.rstrip(" \t`*").endswith("|") and _CELL_BEHIND.match(behind):
        return number in _HTTP_STATUSES and ("HTTP" in text or bool(_STATUS_COLUMN.search(text)))
    lower = before.lower()
    if not _TELLS.search(lower):
        return False
    for raw in reversed(lower.split()[-8:]):
        word = raw.strip("`*:=|\"'(,./")
        if word.startswith("exit"):
            return True
        if word.startswith(_NAMES_STATUS):
            return number in _HTTP_STATUSES
        if word.startswith(_SAYS_STATUS):
            following = behind.lstrip("`*\"').,;:").split()
            word_behind = following[0].rstrip(".,;:!?)").lower() if following else ""
            return number in _HTTP_STATUSES and (not word_behind.isalpha() or word_behind in _MAY_FOLLOW)
        if word and word not in _BETWEEN and not (len(word) == 3 and word[0].isdigit()):
            break
    return False


def _collect_sqlstate(token: Token, found: Found) -> None:
    for match in _SQLSTATE.finditer(token.view.text):
        found.add("codes", match[1], match.start(1))


def find_numbered(view: View, found: Found) -> None:
    """Find numbers that are codes since they are called so: ``error 1603``, ``ERROR 1045``, ``Event ID 4740``."""
    for match in _NUMBERED.finditer(view.text):
        found.add("codes", match[1], match.start(1))


SQLSTATE = Family(name="sqlstate", pattern="SQLSTATE", collect=_collect_sqlstate)
STATUSES = Family(name="status", pattern=r"[1-5](?:\d\d|xx|XX)", collect=_collect_status)
CODES = Family(
    name="code",
    pattern=(
        r"CVE-\d{4}-\d{4,10}"
        r"|[A-Z]{2,12}(?:\d{4,10}|-\d{3,10})[A-Z]?"
        r"|[EFWC]\d{4,10}"
        r"|\d\dP\d\d"
        r"|0x[89CcDd][0-9A-Fa-f]{7}"
        r"|(?:ERR|ERROR|E)_[A-Z0-9][A-Z0-9_]*"
        r"|[A-Z][A-Z0-9]*(?:_(?!ERROR\b)[A-Z0-9]+)*_ERROR"
        rf"|(?:{_ERRNO}|{_OAUTH})"
    ),
    collect=_collect,
    possible=_possible,
)
