"""Operations, entities and authentication terms: whole words of a profile, in any inflected form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from withgrain.signals.profile import VOCABULARIES, Profile
from withgrain.signals.view import WORD_TABLE

_VOWELS = frozenset("aeiou")
# Verbs of more than one syllable that double their last consonant before -ed and -ing.
_DOUBLING = frozenset({"commit", "enrol", "permit", "reset", "submit"})
_IRREGULAR = {"get": ("got", "gotten"), "rebuild": ("rebuilt",)}

#: What a word stands for: pairs of field and canonical word.
Meanings = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Vocabulary:
    """A compiled profile.

    Attributes:
        words: Inflected form, as lower-case UTF-8 -> what it stands for.
        phrases: Rarest word of a phrase -> (the phrase between two spaces, what it stands for).
    """

    words: Mapping[bytes, Meanings]
    phrases: Mapping[bytes, tuple[tuple[bytes, Meanings], ...]]


def compile_vocabulary(*profiles: Profile) -> Vocabulary:
    """Compile profiles into one vocabulary; a form that several give keeps all its meanings."""
    words: dict[bytes, Meanings] = {}
    phrases: list[tuple[list[bytes], Meanings]] = []
    for profile in profiles:
        for field in VOCABULARIES:
            table: Mapping[str, tuple[str, ...]] = getattr(profile, field)
            for canonical, names in table.items():
                for form in _forms(field, names):
                    parts = form.encode().translate(WORD_TABLE).split()
                    meaning = ((field, canonical),)
                    if len(parts) == 1:
                        words[parts[0]] = tuple(dict.fromkeys(words.get(parts[0], ()) + meaning))
                    elif parts:
                        phrases.append((parts, meaning))
    return Vocabulary(words=words, phrases=_by_rarest_word(phrases, words))


def _by_rarest_word(
    phrases: Iterable[tuple[list[bytes], Meanings]], words: Mapping[bytes, Meanings]
) -> dict[bytes, tuple[tuple[bytes, Meanings], ...]]:
    """File each phrase under the word that makes a text be searched for it: long, and no word of the vocabulary."""
    result: dict[bytes, tuple[tuple[bytes, Meanings], ...]] = {}
    for parts, meaning in phrases:
        rarest = max(parts, key=lambda part: (part not in words, len(part)))
        result[rarest] = (*result.get(rarest, ()), (b" " + b" ".join(parts) + b" ", meaning))
    return result


def plural(noun: str) -> str:
    """Return the regular plural of a noun: users, policies, addresses, keys."""
    if noun.endswith("y") and noun[-2:-1] not in _VOWELS:
        return noun[:-1] + "ies"
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return noun + "es"
    return noun + "s"


def inflect_verb(verb: str) -> tuple[str, ...]:
    """Return the third person, past and -ing forms of a verb; of a phrasal verb, of its first word."""
    first, _, rest = verb.partition(" ")
    tail = f" {rest}" if rest else ""
    if first.endswith("e"):
        stem, past = first[:-1], first + "d"
    elif first.endswith("y") and first[-2:-1] not in _VOWELS:
        stem, past = first, first[:-1] + "ied"
    elif _doubles(first):
        stem, past = first + first[-1], first + first[-1] + "ed"
    else:
        stem, past = first, first + "ed"
    forms = (plural(first), past, stem + "ing", *_IRREGULAR.get(first, ()))
    return tuple(form + tail for form in forms)


def _forms(field: str, words: Iterable[str]) -> Iterable[str]:
    for word in words:
        yield word
        if field == "operations":
            yield from inflect_verb(word)
        elif field == "entities":
            yield plural(word)


def _doubles(verb: str) -> bool:
    if verb in _DOUBLING:
        return True
    short = len(verb) == 3 and verb[0] not in _VOWELS and verb[1] in _VOWELS and verb[2] not in _VOWELS
    return short and verb[2] not in "wxy"
