"""Find what looks like a secret: keys and tokens of known shapes, by their own prefixes and alphabets.

A shape is a family. Families with a prefix of their own are taken as they are; the others (a password in an
assignment, in a URL, in a header) must look random or at least not like an example, so that documentation stays
readable. Every pattern is bounded and begins with a literal, so that the time is linear in the text.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from withgrain.model import Span

#: Stands for each character of a masked secret: the text keeps its length, so that every place stays right.
MASK = "█"


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """What looks like a secret; ``span`` is the secret itself, without the name or header in front of it."""

    family: str
    span: Span


def _random(value: str) -> bool:
    """Return whether a value looks drawn, not written: three kinds of characters or many different ones, no words."""
    kinds = sum(bool(re.search(p, value)) for p in (r"[a-z]", r"[A-Z]", r"\d", r"[^A-Za-z0-9]"))
    counts = Counter(value)
    entropy = -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
    return kinds >= 2 and any(c.isdigit() for c in value) and entropy >= 3.0 and not _EXAMPLE.search(value)


def _no_example(value: str) -> bool:
    """Return whether a value is none of the placeholders that documentation has."""
    return not _EXAMPLE.search(value) and len(set(value)) >= 6


def _no_word(value: str) -> bool:
    """Return whether a value is no placeholder, and no word that only says what stands there."""
    return _no_example(value) and not _SAYS_ITSELF.search(value)


def _any(value: str) -> bool:
    return True


_EXAMPLE = re.compile(
    r"(?i)example|sample|placeholder|change.?me|redacted|dummy|your[-_ ]|my[-_ ]?(?:secret|password|token|key)|xxxx|"
    r"\.\.\.|\*\*\*|<|>|\$\{|\{\{|\$\(|%\(|█|^(?:none|null|true|false)$"
)
_SAYS_ITSELF = re.compile(
    r"(?i)^(?:the|your|my|db|user|test)?[-_ ]?(?:pass|password|passwd|pwd|secret|token|key)\d{0,3}$|[{}%]"
)
_B64 = r"A-Za-z0-9+/"
_URL64 = r"A-Za-z0-9_\-"
_START = r"(?<![A-Za-z0-9])"
_END = r"(?![A-Za-z0-9])"

_Check = Callable[[str], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """A shape of secrets.

    Attributes:
        family: Its name.
        hints: One of them is in every text, in lower case, that has a secret of this shape: most texts are done then.
        pattern: Finds it, the secret itself in group 1.
        counts: Whether what was found is one.
    """

    family: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    counts: _Check


def _shape(family: str, hints: str, pattern: str, counts: _Check = _no_example) -> _Shape:
    return _Shape(family=family, hints=tuple(hints.split()), pattern=re.compile(pattern), counts=counts)


_ASSIGNED = (
    r"password|passwd|pwd|secret|api[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret|private[_-]?key|"
    r"encryption[_-]?key"
)
_KEY_BODY = r"(?:[^-]|-(?!----)){40,16000}"
_SLACK_HOOK = r"https://hooks\.slack\.com/(?:services|workflows)/T[A-Z0-9]{6,12}/[A-Z0-9]{6,14}/[A-Za-z0-9]{16,32}"
_JWT = rf"eyJ[{_URL64}]{{10,2000}}\.eyJ[{_URL64}]{{10,4000}}\.[{_URL64}]{{20,1000}}"
_URL_LOGIN = r"[a-z][a-z0-9+.\-]{1,20}://[^\s/:@\"'<>]{1,64}:([^\s/:@\"'<>]{3,128})@[A-Za-z0-9.\-]"
_VALUE = r"[^\s\"'`,;<>(){}\[\]]{10,200}"

_SHAPES: tuple[_Shape, ...] = (
    _shape(
        "private key",
        "private",
        rf"-----BEGIN (?:[A-Z0-9]{{1,12}} ){{0,3}}PRIVATE KEY(?: BLOCK)?-----({_KEY_BODY})-----END",
        _any,
    ),
    _shape("aws access key", "akia asia abia acca", rf"{_START}((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{{16}}){_END}"),
    _shape(
        "aws secret key",
        "aws",
        rf"(?i:aws.{{0,20}}?(?:secret|sk).{{0,20}}?[=:\s\"']{{1,4}})([{_B64}]{{40}})(?![{_B64}=])",
        _random,
    ),
    _shape("github token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"{_START}(gh[pousr]_[A-Za-z0-9]{{36,255}}){_END}"),
    _shape("github token", "github_pat_", rf"{_START}(github_pat_[A-Za-z0-9]{{22}}_[A-Za-z0-9]{{59}}){_END}"),
    _shape("gitlab token", "gl", rf"{_START}(gl(?:pat|dt|rt|cbt|ptt|ft|soat)-[{_URL64}]{{20,64}})(?![{_URL64}])"),
    _shape("slack token", "xox", rf"{_START}(xox[abeoprs]-[A-Za-z0-9\-]{{10,250}}){_END}"),
    _shape("slack webhook", "hooks.slack.com", rf"({_SLACK_HOOK})"),
    _shape("stripe key", "sk_ rk_", rf"{_START}([sr]k_(?:live|test)_[A-Za-z0-9]{{16,247}}){_END}"),
    _shape("google api key", "aiza", rf"{_START}(AIza[{_URL64}]{{35}})(?![{_URL64}])"),
    _shape("google oauth secret", "gocspx-", rf"{_START}(GOCSPX-[{_URL64}]{{28}})(?![{_URL64}])"),
    _shape("anthropic key", "sk-ant-", rf"{_START}(sk-ant-[a-z0-9]{{3,12}}-[{_URL64}]{{60,120}})(?![{_URL64}])"),
    _shape("openai key", "sk-", rf"{_START}(sk-(?:proj-|svcacct-|admin-)?[{_URL64}]{{20,200}})(?![{_URL64}])", _random),
    _shape("npm token", "npm_", rf"{_START}(npm_[A-Za-z0-9]{{36}}){_END}"),
    _shape("pypi token", "pypi-", rf"{_START}(pypi-AgEI[{_URL64}]{{50,1000}})(?![{_URL64}])"),
    _shape("sendgrid key", "sg.", rf"{_START}(SG\.[{_URL64}]{{22}}\.[{_URL64}]{{43}})(?![{_URL64}])"),
    _shape("twilio key", "sk", rf"{_START}(SK[0-9a-f]{{32}}){_END}"),
    _shape("vault token", "hvs. hvb. hvr.", rf"{_START}(hv[sbr]\.[{_URL64}]{{24,200}})(?![{_URL64}])"),
    _shape("okta token", "okta ssws", rf"(?i:okta.{{0,30}}?|SSWS\s{{1,3}})(00[{_URL64}]{{40}})(?![{_URL64}])", _random),
    _shape("azure storage key", "accountkey", rf"(?i:AccountKey\s?=\s?)([{_B64}]{{86}}==)"),
    _shape("json web token", "eyj", rf"{_START}({_JWT})", _any),
    _shape("password in url", "://", _URL_LOGIN, _no_word),
    _shape(
        "authorization header",
        "authorization",
        rf"(?i:authorization[\"']?\s?:\s?[\"']?(?:bearer|basic|token)\s{{1,3}})([{_B64}_\-.=]{{16,2000}})",
        _random,
    ),
    _shape(
        "assigned secret",
        "password passwd pwd secret key token",
        rf"(?i:(?:{_ASSIGNED})[\"']?\s{{0,3}}(?:=|:=|:|=>)\s{{0,3}})[\"']?({_VALUE})",
        _random,
    ),
)

#: The families, each once.
FAMILIES: tuple[str, ...] = tuple(dict.fromkeys(shape.family for shape in _SHAPES))


def secrets(text: str) -> tuple[Secret, ...]:
    """Return what looks like a secret in ``text``, in order, without overlap: the first family that fits counts."""
    found: dict[int, Secret] = {}
    lowered = text.lower()
    for shape in _SHAPES:
        if not any(hint in lowered for hint in shape.hints):
            continue
        for match in shape.pattern.finditer(text):
            if MASK not in match[1] and shape.counts(match[1]):
                span = Span(start=match.start(1), end=match.end(1))
                found.setdefault(span.start, Secret(family=shape.family, span=span))
    kept: list[Secret] = []
    for secret in sorted(found.values(), key=lambda s: (s.span.start, -s.span.end)):
        if not kept or secret.span.start >= kept[-1].span.end:
            kept.append(secret)
    return tuple(kept)


def masked(text: str, found: tuple[Secret, ...] | None = None) -> str:
    """Return ``text`` with every secret replaced by as many `MASK` characters; line breaks and length stay."""
    pieces: list[str] = []
    end = 0
    for secret in secrets(text) if found is None else found:
        hidden = secret.span.of(text)
        pieces += [text[end : secret.span.start], hide(hidden)]
        end = secret.span.end
    return "".join((*pieces, text[end:])) if pieces else text


def hide(secret: str) -> str:
    """Return the mask of one secret: as long, with its line breaks."""
    return "".join("\n" if character == "\n" else MASK for character in secret)
