"""Which language a text is in, as far as the folding of word forms needs to know: by its letters and its small words.

A guess costs one look at the beginning of a text. It is sure of the script, and of a language in Latin letters when its
commonest words (articles, prepositions, pronouns) stand out; otherwise it says nothing, and English rules hold.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

#: The Snowball algorithm of each language that has one (M. F. Porter and others, https://snowballstem.org).
ALGORITHMS = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
_SAME = {"nb": "no", "nn": "no", "in": "id", "iw": "he", "ji": "yi", "mo": "ro", "sh": "sr", "tl": "fil"}
_NAMES = {name: code for code, name in ALGORITHMS.items()} | {
    "deutsch": "de",
    "español": "es",
    "français": "fr",
    "italiano": "it",
    "nederlands": "nl",
    "polski": "pl",
    "português": "pt",
    "русский": "ru",
    "svenska": "sv",
    "chinese": "zh",
    "japanese": "ja",
    "korean": "ko",
    "thai": "th",
}
_TAG = re.compile(r"([A-Za-z]{2,3})(?:[-_][A-Za-z0-9]+)*\Z")
_WORD = re.compile(r"[^\W\d_]+")
_CHARACTERS = 20_000
_WORDS = 2_000
#: Share of the words that must be among the commonest ones of a language, and how far it must lead.
_LEAST_SHARE, _LEAST_HITS, _LEAD = 0.08, 3, 1.25

# The commonest words of each language that others do not share with the same frequency.
_COMMON = {
    "en": "the of and to in is for that with on are be this by as it from or an not you if when have has",
    "de": "der die das und ist nicht den dem ein eine einer zu mit auf für von im sich des werden wird oder auch wenn",
    "fr": "le la les des et est une un du que pour dans qui sur pas au avec ne ce par plus sont aux cette vous être il",
    "es": "el la los las de y que en un una es por para con no se del al lo como más su este esta si son",
    "it": "il la di che e un una per non con del della sono i le gli si da dei nel alla come più questo è essere",
    "pt": "o a os as de e que do da em um uma para com não se por no na dos das como mais é ao são você",
    "nl": "de het een en van in is dat op te voor met niet zijn aan er om ook bij naar wordt worden als deze door",
    "sv": "och att det som en är på för av med den till inte om ett han har var de från kan när ska eller",
    "da": "og at det som en er på for af med den til ikke om et har var de fra kan når skal eller der",
    "no": "og at det som en er på for av med den til ikke om et har var de fra kan når skal eller ved",
    "fi": "ja on ei se että hän oli joka mutta kun niin ovat tai myös jos kuin sen voi ole tämä",
    "pl": "i w na z do się nie że jest to o jak po co za od przez dla są oraz może być",
    "cs": "a v na se je že s z do to o jako pro za by jsou nebo který která být při není",
    "hu": "a az és hogy nem is egy van meg ez de csak már ha mint vagy lehet kell amely",
    "ro": "și în de la cu pe care este un o nu din pentru sau să mai ale sunt prin",
    "tr": "ve bir bu için ile de da olarak gibi daha ne çok olan veya değil her ancak en",
    "id": "yang dan di untuk dengan dari pada ini itu tidak ke dalam adalah akan atau oleh juga",
    "ca": "el la els les de i que en un una és per amb no es del al com més aquest si són",
    "et": "ja on ei et see oli ka kui mis või aga seda oma tema selle kes nii välja",
    "lt": "ir kad yra su į iš tai ne kaip per jo bei arba prie buvo",
}  # fmt: skip
_FUNCTION_WORDS = {code: frozenset(words.split()) for code, words in _COMMON.items()}
# Letters that tell two languages of one script apart.
_CYRILLIC = (("uk", "іїєґ"), ("be", "ў"), ("sr", "ђћљњџј"))


def known_language(value: object) -> str:
    """Return the ISO 639-1 code that metadata names ("de-AT", "de", "German", "Deutsch"); empty when it names none."""
    text = str(value).strip().casefold() if isinstance(value, str) else ""
    if text in _NAMES:
        return _NAMES[text]
    match = _TAG.match(text)
    if not match or len(match[1]) > 2:
        return ""
    return _SAME.get(match[1], match[1])


def guess_language(text: str) -> str:
    """Return the ISO 639-1 code of the language that a text is most likely in; empty when that is not clear."""
    sample = text[:_CHARACTERS]
    words = [w.casefold() for w in _WORD.findall(sample)][:_WORDS]
    if not words:
        return ""
    scripts = Counter(_script(word) for word in words)
    script = scripts.most_common(1)[0][0]
    if script != "LATIN":
        return _of_script(script, "".join(words))
    return _latin(words)


def _latin(words: list[str]) -> str:
    scores = Counter({code: sum(word in common for word in words) for code, common in _FUNCTION_WORDS.items()})
    (best, hits), (_, second) = scores.most_common(2)
    if hits < _LEAST_HITS or hits < _LEAST_SHARE * len(words):
        return ""
    if {best, scores.most_common(2)[1][0]} == {"da", "no"}:
        return best  # hardly to be told apart, and their rules are alike
    return best if hits >= _LEAD * second else ""


def _script(word: str) -> str:
    name = unicodedata.name(word[0], "")
    return name.partition(" ")[0]


def _of_script(script: str, letters: str) -> str:
    if script in ("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"):
        return "ja" if any("\u3040" <= c <= "\u30ff" for c in letters) else "zh"
    if script == "CYRILLIC":
        return next((code for code, own in _CYRILLIC if any(c in own for c in letters)), "ru")
    if script == "ARABIC":
        return "fa" if any(c in "پچژگ" for c in letters) else "ar"
    simple = {"GREEK": "el", "HEBREW": "he", "DEVANAGARI": "hi", "TAMIL": "ta", "THAI": "th", "HANGUL": "ko"}
    return (simple | {"ARMENIAN": "hy"}).get(script, "")
