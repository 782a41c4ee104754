"""The bundled tokenizer is the model's own, to the last token."""

from __future__ import annotations

import random
import resource
import string
import subprocess
import sys
import unicodedata
from hashlib import sha256
from pathlib import Path

import pytest
import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st

import withgrain.tokens
from tests.support import shared
from withgrain.errors import IntegrityError
from withgrain.tokens import WordPiece, wordpiece
from withgrain.tokens.pieces import PIECE, pieces
from withgrain.tokens.plain import encode_plain
from withgrain.tokens.resources import checked
from withgrain.types import Tokenizer

DEFINITION = Path(withgrain.tokens.__file__).parent / "data" / "wordpiece.json"

PROBES = [
    "",
    "   ",
    " \t\r\n",
    "Résumé naïve façade Ångström",
    "e\u0301 o\u0308\u0323 \u0301alone",
    "İstanbul ıI ŞşĞğ",
    "Straße ß ẞ",
    "ΑΣ ΟΔΟΣ σς",
    "Привет, мир! ёЁ й",
    "日本語のテキスト、漢字とかな",
    "中文没有空格",
    "한국어 형태소 \u1112\u1161\u11ab",
    "ไทย กำ ที่นี่",
    "हिन्दी नमस्ते क्षि",
    "עִבְרִית שָׁלוֹם",
    "العَرَبِيَّة",
    "🤖 👩\u200d👩\u200d👧 🏳️\u200d🌈 🇩🇪 ☃",
    "a\u200bb a\u200db a\ufeffb a\u00adb",
    "a\x00b a\x01b a\x07b a\x1fb a\x7fb a\x9fb",
    "a\x0bb a\x0cb a\x1cb a\x85b",
    "a\u00a0b a\u2003b a\u2028b a\u2029b a\u3000b",
    "a\ufffdb a\ufffeb a\uffffb",
    "x" * 100,
    "x" * 101,
    "é" * 100,
    "é" * 101,
    "e\u0301" * 100,
    "e\u0301" * 101,
    "[SEP]",
    "a [CLS] b[MASK]c [sep] [ SEP ] [PAD][UNK]",
    "## ##a ###ing",
    "AADSTS50011 /api/v1/users/{userId}/lifecycle/suspend statuskey=1 @@OKTA:USERS ROLE_ADMIN",
    "--metrics-tls-cert-file kube-apiserver selfRevoke",
    "ﬁ ﬂ ½ ① Ⅷ ㎏ Ａｂｃ １２３",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𠀀 \U0002f800 豈 \U000e0001",
    "\u0378 \u061d \u1c89 \u2e5d \ue000 \U0001fae8 \U0010ffff",
    "a\u202eb \u2066c\u2069",
    "“quotes” — dash … ‹angle› «guillemets»",
    "```python\nprint('x')\n```\n| a | b |\n|---|---|",
]


@pytest.fixture(scope="module")
def original() -> tokenizers.Tokenizer:
    found = tokenizers.Tokenizer.from_file(str(DEFINITION))
    assert found.truncation is None and found.padding is None
    return found


@pytest.fixture(scope="module")
def vocabulary(original: tokenizers.Tokenizer) -> dict[str, int]:
    return original.get_vocab()


def ids(original: tokenizers.Tokenizer, text: str) -> list[int]:
    return list(original.encode(text, add_special_tokens=False).ids)


def test_vocabulary_is_the_published_one(original: tokenizers.Tokenizer) -> None:
    """The vocabulary is vocab.txt of bert-base-uncased, byte for byte."""
    by_id = sorted(original.get_vocab().items(), key=lambda item: item[1])
    assert [number for _, number in by_id] == list(range(30522))
    text = "".join(token + "\n" for token, _ in by_id)
    assert sha256(text.encode()).hexdigest() == "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"


def test_known_tokens() -> None:
    """Ids that anyone can look up: "hello world" is 7592 2088 in bert-base-uncased."""
    assert wordpiece().encode("Hello, world!") == [7592, 1010, 2088, 999]
    assert wordpiece().encode("embeddings") == [7861, 8270, 4667, 2015]


def test_is_a_tokenizer_with_a_name_for_the_contract() -> None:
    """It satisfies the Protocol and is additive."""
    assert isinstance(wordpiece(), Tokenizer)
    assert (wordpiece().name, wordpiece().additive) == ("minilm-wordpiece", True)
    assert wordpiece().version


@pytest.mark.parametrize("text", PROBES, ids=range(len(PROBES)))
def test_equals_hugging_face_on_probes(original: tokenizers.Tokenizer, text: str) -> None:
    """Equal ids to Hugging Face ``tokenizers``; the count is their number, without special tokens."""
    assert wordpiece().encode(text) == ids(original, text)
    assert wordpiece().count(text) == len(ids(original, text))


@given(
    st.one_of(
        st.text(max_size=300),
        st.text(alphabet=st.characters(codec="utf-8", max_codepoint=0x2FFF), max_size=300),
        st.text(alphabet="aé\u0301\u0323 Σς[SEP]MASK.-\x00\x0c\n日한🤖\u200d\u0378", max_size=300),
        st.lists(st.sampled_from(PROBES), max_size=6).map("".join),
    )
)
@example("a" * 101 + "\u0301" + "b")
def test_equals_hugging_face_on_generated_texts(original: tokenizers.Tokenizer, text: str) -> None:
    """Equal ids to Hugging Face ``tokenizers`` on any text."""
    text = "".join(c for c in text if not "\ud800" <= c <= "\udfff")
    assert wordpiece().encode(text) == ids(original, text)


def test_equals_hugging_face_on_every_code_point(original: tokenizers.Tokenizer) -> None:
    """Unassigned and recently assigned code points too, on which the two engines differ by themselves."""
    points = [*range(0xD800), *range(0xE000, 0x20000), *range(0x20000, 0x110000, 61), 0x2B820, 0x2FA1E, 0x10FFFF]
    for start in range(0, len(points), 500):
        text = "\n".join(f"a{chr(p)}b {chr(p)} e{chr(p)}\u0301" for p in points[start : start + 500])
        if wordpiece().encode(text) != ids(original, text):
            wrong = [p for p in points[start : start + 500] if wordpiece().encode(chr(p)) != ids(original, chr(p))]
            pytest.fail(f"differs on {[hex(p) for p in wrong]} or beside them, from {points[start]:x} on")


def test_equals_hugging_face_on_the_corpus(original: tokenizers.Tokenizer) -> None:
    """Every fifth file of the evaluation corpora, cut at blank lines and whole."""
    files = [p for p in sorted((shared() / "eval" / "corpus").rglob("*")) if p.is_file()][::5]
    assert len(files) > 20
    for path in files:
        text = path.read_text(encoding="utf-8", errors="replace")
        whole = wordpiece().encode(text)
        assert whole == ids(original, text), path.name
        assert sum(wordpiece().count_many(text.split("\n\n"))) == len(whole), path.name


WHITE = st.text(alphabet=" \t\n\r\u00a0\u1680\u2003\u2028\u2029\u202f\u3000", min_size=1, max_size=3)


@given(st.text(max_size=80), WHITE, st.text(max_size=80))
@example("[SE", " ", "P]")
@example("a", "\n", "\u0301b")
def test_additive_at_white_space(left: str, white: str, right: str) -> None:
    """``count(a + w + b) == count(a) + count(b)`` for white space ``w``."""
    count = wordpiece().count
    assert count(left + white + right) == count(left) + count(right)


def test_count_many_is_count_of_each() -> None:
    """``count_many(texts) == [count(t) for t in texts]``, in order."""
    assert wordpiece().count_many(PROBES) == [wordpiece().count(text) for text in PROBES]
    assert wordpiece().count_many([]) == []


def test_lone_surrogates_are_ignored() -> None:
    """A lone surrogate is no text; it neither counts nor raises."""
    assert wordpiece().encode("ab\ud800 c") == wordpiece().encode("ab c")
    assert wordpiece().count("\udfff") == 0


def _long_texts() -> dict[str, str]:
    rng = random.Random(7)
    letters = string.ascii_lowercase + "éß"
    return {
        "one word": "x" * 200_000,
        "accented word": "e\u0301" * 100_000,
        "ideographs": "".join(rng.choices("日本語中文字漢界", k=60_000)),
        "no white space": "".join(rng.choices("ab.,;-_/", k=200_000)),
        "brackets": "[SEP]" * 30_000,
        "hangul": "한국어" * 30_000,
        "lines": "a\n" * 60_000,
        "words": " ".join("".join(rng.choices(letters, k=rng.randint(1, 120))) for _ in range(4_000)),
    }


@pytest.mark.parametrize("name", _long_texts())
def test_long_texts_are_exact(original: tokenizers.Tokenizer, name: str) -> None:
    """Texts of megabytes, without any white space too: the same ids."""
    text = _long_texts()[name]
    assert wordpiece().encode(text) == ids(original, text)


def test_no_piece_is_long_where_it_can_be_cut() -> None:
    """The engine starts threads over some 50 kB: it never sees a longer text that has a place to cut."""
    for name, text in _long_texts().items():
        longest = max(len(piece.encode()) for piece in pieces(text))
        if name != "brackets":  # only brackets: nowhere to cut
            assert longest <= 4 * PIECE, name


def test_one_core_a_process() -> None:
    """Counting 4 MB in one call takes no more processor time than a single thread has."""
    import time

    text = "The quick brown fox jumps over the lazy dog; nothing happens. " * 65_000
    wordpiece().count("warm")
    before, started = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    wordpiece().count(text)
    after, wall = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter() - started
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert spent <= wall * 1.15 + 0.02


def test_changed_data_is_refused() -> None:
    """The vocabulary is checked before it is used."""
    with pytest.raises(IntegrityError, match="was changed"):
        checked("withgrain.tokens", "wordpiece.json", "0" * 64)
    with pytest.raises(IntegrityError, match="is missing"):
        checked("withgrain.tokens", "nowhere.json", "0" * 64)


def test_white_space_of_python_that_bert_removes() -> None:
    """Form feed and vertical tab are no white space for BERT: it joins the words beside them (documented)."""
    assert wordpiece().encode("sub\x0cway") == wordpiece().encode("subway")
    assert unicodedata.category("\x0c") == "Cc"


#: A repeated text, and the tokens of a long run of it: nothing, or one unknown word.
_UNCUT = {"\u0301": 0, "\u200d": 0, "\u202e": 0, "\u05d0\u05b0": 1, "\U0001f468\u200d": 1, "\u0621\u064e": 1}


@pytest.mark.parametrize("text", _UNCUT, ids=ascii)
def test_long_runs_of_wide_characters_are_counted(text: str) -> None:
    """Marks, joiners and scripts without a place to cut: the engine itself panics or ends the process beyond 50 kB."""
    script = (
        "import sys; from withgrain.tokens import wordpiece; t = wordpiece();"
        "print([t.count('x ' + sys.argv[1] * n) - 1 for n in (2_000, 20_003, 80_001, 80_002)])"
    )
    done = subprocess.run([sys.executable, "-c", script, text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    assert done.stdout == f"{[_UNCUT[text]] * 4}\n"


def test_long_runs_of_wide_punctuation_count_every_mark() -> None:
    """Punctuation and separators outside of ASCII are cuts too: nothing is lost between them."""
    count = wordpiece().count
    assert count("\u2014" * 30_001) == 30_001 * count("\u2014")
    assert count("\u00e9\u2014" * 30_001) == 30_001 * count("\u00e9\u2014")
    assert count("\u2028" * 80_001) == 0


@given(text=st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=120))
@example(text="How do I rotate the `signing-key` of AADSTS50011? (kube_apiserver v1.29, 50 %)")
@example(text="x" * 100)
@example(text="x" * 101)
def test_a_question_in_plain_letters_needs_no_engine(
    original: tokenizers.Tokenizer, vocabulary: dict[str, int], text: str
) -> None:
    """Before the engine is loaded, the ids of a short text in ASCII are found without it: the same."""
    found = encode_plain(text, vocabulary)
    assert found == ids(original, text) or found is None
    assert found is not None or "[" in text or len(text) == 101


@pytest.mark.parametrize(("text", "needed"), [("How do I reset it?", False), ("naïve", True), ("[CLS]", True)])
def test_when_the_engine_is_loaded(original: tokenizers.Tokenizer, text: str, needed: bool) -> None:
    tokenizer = WordPiece()
    assert tokenizer.encode(text) == ids(original, text)
    assert ("_engine" in vars(tokenizer)) is needed
