"""Lexical terms: what BM25 counts. The same function serves ingestion and questions.

A text is cut at white space into tokens, a token into pieces. A piece that is a word gives its stem by the rules of the
document's language (Snowball; see `withgrain.tokens.language`); a question is read by the rules of every language that
the collection has. A piece that is an identifier gives the whole in lower case and its parts, each
treated like a word: ``selfRevoke`` gives ``selfrevoke``, ``self``, ``revok``. There are no stop words: the inverse
document frequency of BM25 makes them weightless. Accents are folded, so that a text is found however it was typed.
Scripts without spaces between words (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese) give pairs of characters.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, repeat
from typing import Any

from withgrain.errors import MissingExtra
from withgrain.tokens.language import ALGORITHMS

#: Changes whenever the terms of an unchanged text can change.
TERMS_VERSION = "2"

_MAX_TERM = 256
_MAX_CACHED = 64

# A piece: letters, digits, and what identifiers are made of. Brackets, quotes, bars and commas end a piece.
_PIECE = re.compile(r"[^\s()\[\]<>\"`|,;!?*^]+")
_THOUSANDS = re.compile(r"(?<![\d,.])\d{1,3}(?:,\d{3})+(?![\d,])")
_WORD = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)?\Z")
_NUMBER = re.compile(r"(v?)(\d+(?:\.\d+)*)\Z", re.IGNORECASE)
_LANGUAGE = re.compile(r"[A-Za-z](?:\+\+|#)\Z")
_SIGILS = "@#$%&/\\.-_:+=~{}'"
_NAMING_SIGILS = frozenset("-$/@.#%")
# What separates the segments of an identifier, and the parts of a segment.
_SEGMENT = re.compile(r"[^\x00-\x2c/:;<=>?@\[\\\]`{|}~\x7f]+")
_PART = re.compile(r"[^\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_ACRONYM_PLURAL = re.compile(r"[A-Z]{2,}s\Z")
_ACCENT = re.compile(r"([A-Za-z\u0370-\u03ff])[\u0300-\u036f]+")
_FOLDED = str.maketrans(
    {"ß": "ss", "ẞ": "SS", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "AE"}
    | {"œ": "oe", "Œ": "OE", "ı": "i", "ё": "е", "Ё": "Е", "’": "'", "‐": "-", "‑": "-"}
    | dict.fromkeys("\u00ad\u200c\u200d\u2060\ufeff", "")
)
_QUOTED_OR_TOKEN = re.compile(r"\"([^\"\n]{2,200})\"|“([^”\n]{2,200})”|`([^`\n]{2,200})`|\S+")
# Numbers, times, dates, ranges, ordinals, initials, either/or, plain fractions, amounts.
_NOT_AN_IDENTIFIER = re.compile(
    r"(?:[\d.,:/\-–%$€£]+|\d+(?:st|nd|rd|th|s|[kKmMgGtT]?[bB]?|ms|min|px|x)|(?:[A-Za-z]\.)+[A-Za-z]|[A-Za-z]{1,12}/[A-Za-z]{1,12})\Z"
)
# Compounds of everyday English begin or end like this.
_FIRST_WORDS = """
all anti auto back best built co cross double early easy eight end ex fail far fast first five follow four full half
hard high in inter large last long low mid multi near new nine non off old on one open out over part post pre pro re
read ready real second self semi seven short single six small so step sub super ten third three top two under up user
well wide work write year
"""
_LAST_WORDS = """
aware based by day depth down driven end facing free friendly in known level like line longer off on only out party
proof ready related specific term through time to up wide year
"""
_COMMON_FIRST, _COMMON_LAST = frozenset(_FIRST_WORDS.split()), frozenset(_LAST_WORDS.split())
#: One character class: Han, Kana, Bopomofo, Hangul; Thai, Lao, Burmese, Khmer: with their combining signs.
UNSPACED = (
    "\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3100-\u312f"
    "\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_RUN = re.compile(f"[{UNSPACED}]+|[^{UNSPACED}]+")
_IS_UNSPACED = re.compile(f"[{UNSPACED}]")
# Languages that write a short word and an apostrophe in front of a vowel: "l'utente".
_ELIDING = frozenset({"fr", "it", "ca"})
_local = threading.local()  # a stemmer must not be used by two threads at once


def terms(text: str, language: str = "en") -> list[str]:
    """Return the lexical terms of a text in order. Deterministic, total, and linear in the length of the text.

    No term is empty, has white space, or is longer than 256 characters (a longer identifier gives its beginning).

    Args:
        text: Any text.
        language: ISO 639-1 code of its language; English rules when empty, none for a language without rules.

    Raises:
        MissingExtra: PyStemmer is not installed.
    """
    language = language or "en"
    _stemmer(language)
    tokens = text.split()
    if max(map(len, tokens), default=0) <= _MAX_CACHED:
        return list(chain.from_iterable(map(_cached, tokens, repeat(language))))
    each = (
        _cached(token, language) if len(token) <= _MAX_CACHED else _token_terms(token, language) for token in tokens
    )
    return list(chain.from_iterable(each))


def query_terms(text: str, languages: Sequence[str]) -> list[str]:
    """Return the terms of a question for documents of several languages: each word by the rules of each of them.

    English rules are always among them: documents whose language is not known were read by these.
    """
    wanted = tuple(dict.fromkeys((*languages, "en")))
    found: list[str] = []
    for token in text.split():
        forms = (terms(token, language) for language in wanted)
        found += [*next(forms)]
        known = set(found)
        for other in forms:
            found += [term for term in other if term not in known]
            known.update(other)
    return found


def _token_terms(token: str, language: str) -> tuple[str, ...]:
    return tuple(
        term[:_MAX_TERM]
        for piece in _PIECE.findall(_canonical(token))
        for term in _piece_terms(piece, language)
        if term
    )


# Texts repeat their tokens: what a token gives is remembered, for at most 65,536 tokens of at most 64 characters.
_cached = lru_cache(maxsize=65_536)(_token_terms)


def _canonical(token: str) -> str:
    """Fold what looks or reads the same: compatibility forms, invisible characters, accents of Latin and Greek."""
    if not token.isascii():
        token = unicodedata.normalize("NFKC", token).translate(_FOLDED)
        token = _ACCENT.sub(r"\1", unicodedata.normalize("NFD", token))
        token = unicodedata.normalize("NFKC", token)
        marks = {ord(c): " " for c in set(token) if c > "\x7f" and unicodedata.category(c)[0] in "PSZC"}
        token = token.translate(marks)
    return _THOUSANDS.sub(_without_commas, token) if "," in token else token


def _without_commas(match: re.Match[str]) -> str:
    return match[0].replace(",", "")


def _piece_terms(piece: str, language: str) -> Iterator[str]:
    piece = piece.rstrip(".:'_~\\").removesuffix("'s")
    if _WORD.match(piece) and not _has_humps(piece):
        yield _stem(piece, language)
    elif not piece.isascii() and _IS_UNSPACED.search(piece):
        for run in _RUN.findall(piece):
            yield from _bigrams(run) if _IS_UNSPACED.match(run) else _identifier_terms(run, language)
    else:
        yield from _identifier_terms(piece, language)


def _identifier_terms(piece: str, language: str) -> Iterator[str]:
    core = piece.strip(_SIGILS)
    if not core:
        return
    if _LANGUAGE.match(piece):
        yield _whole(piece)  # "C++" and "C#" are not "C"
        return
    number = _NUMBER.match(core)
    if number:
        if number[1]:
            yield _whole(core)
        yield number[2]
        return
    # "_word_" is emphasis and "word:" is punctuation, but "--word", "$WORD", "/word" and "@word" are names.
    if piece[0] in _NAMING_SIGILS and piece[0] != core[0]:
        yield _whole(piece)
    left, _, right = piece.partition("=")
    if left and right and left != piece:
        # The two sides give what they give alone, so that the phrase of either is in the phrase of the whole.
        yield _whole(core)
        yield from _identifier_terms(left, language)
        yield from _segments(right, language) if "=" in right else _identifier_terms(right, language)
    else:
        yield from _segments(core, language)


def _segments(core: str, language: str) -> Iterator[str]:
    segments = _SEGMENT.findall(core)
    if len(segments) > 1 or (segments and segments[0] != core):
        yield _whole(core)
    for segment in segments:
        parts = _PART.findall(segment)
        number = _NUMBER.match(segment)
        if number:
            if number[1]:
                yield _whole(segment)
            yield number[2]
        else:
            if len(parts) > 1:
                yield _whole(segment)
            for part in parts:
                yield from _part_terms(part, language)


def _part_terms(part: str, language: str) -> Iterator[str]:
    """Yield the terms of a part that has no punctuation inside."""
    if _WORD.match(part) and not _has_humps(part):
        yield _stem(part, language)
        return
    if not part.isascii():
        yield _stem(part, language) if part.isalpha() else _whole(part)
        return
    yield _whole(part)
    if len(part) > _MAX_CACHED:
        return
    if part.isalpha() and (stem := _stem(part, language)) != part.casefold():
        yield stem  # typed in lower case, the same name is a word and gets stemmed
    for hump in _HUMP.findall(part):
        # Of "AADSTS50011" both halves tell something, of "v1" and "k8s" none does.
        if hump != part and (len(hump) > 2 or part.isalpha()):
            yield _stem(hump, language) if hump.isalpha() else hump


def identifiers(text: str) -> tuple[str, ...]:
    """Return what a question asks for by its exact name, as typed, distinct and in order.

    That is: phrases between double quotes or backticks, and tokens that look like identifiers: with an inner capital,
    with letters and digits, with an underscore, or with inner punctuation (``kube-apiserver``, ``statuskey=1``,
    ``/api/v1/users``), or of five and more capitals. Plain words, numbers, dates, times, abbreviations such as
    "e.g." and compounds such as "read-only" are none.
    """
    found: dict[str, None] = {}
    shouting = text.isupper()
    for match in _QUOTED_OR_TOKEN.finditer(text):
        quoted = match[1] or match[2] or match[3]
        if quoted:
            found[quoted.strip()] = None
            continue
        token = match[0].strip("()[]<>{}\"'`|,;!?*:.“”’").removesuffix("'s")
        if token.count("{") > token.count("}"):
            token += "}"
        if _looks_like_identifier(token, shouting):
            found[token] = None
    found.pop("", None)
    return tuple(found)


def _looks_like_identifier(token: str, shouting: bool) -> bool:
    core = token.strip(_SIGILS)
    if len(core) < 2 or _NOT_AN_IDENTIFIER.match(core):
        return False
    if _WORD.match(core):
        named = (token[0] in _NAMING_SIGILS and token[0] != "-") or token.startswith("--")
        return (
            named or (_has_humps(core) and core != core.upper()) or (len(core) > 4 and core.isupper() and not shouting)
        )
    if not core.isascii() and not any(c in "_=/@:." for c in core):
        return False
    if "-" in core and core.replace("-", "").isalpha() and not token.startswith("--"):
        first = core.partition("-")[0].lower()
        return first not in _COMMON_FIRST and core.rpartition("-")[2].lower() not in _COMMON_LAST
    return True


def _has_humps(word: str) -> bool:
    """Return whether a capital follows a small letter: "selfRevoke", "OAuth"; not "Users", "USERS" or "APIs"."""
    return not (word.islower() or word[1:].islower() or word.isupper() or _ACRONYM_PLURAL.match(word))


def _bigrams(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for index in range(len(run) - 1):
        yield run[index : index + 2]


def _whole(piece: str) -> str:
    return piece.casefold()


def _stem(word: str, language: str) -> str:
    if _ACRONYM_PLURAL.match(word):
        word = word[:-1]
    lower = word.casefold()
    if language in _ELIDING:
        lower = lower.rpartition("'")[2]
    stemmer = _stemmer(language)
    if stemmer is None or (language == "en" and not lower.isascii()):
        return lower
    return str(stemmer.stemWord(lower)) or lower


def _stemmer(language: str) -> Any:
    """Return the stemmer of a language; None for a language that has none."""
    try:
        return _local.stemmers[language]
    except AttributeError:
        _local.stemmers = {}
    except KeyError:
        pass
    try:
        from Stemmer import Stemmer
    except ImportError as error:
        raise MissingExtra("search", need="Lexical search") from error
    name = ALGORITHMS.get(language)
    _local.stemmers[language] = Stemmer(name) if name else None
    return _local.stemmers[language]
