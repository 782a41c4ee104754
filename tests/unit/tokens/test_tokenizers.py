"""Estimates, callables and the words that name a tokenizer."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

import withgrain.tokens
from withgrain.errors import ConfigError, UsageError
from withgrain.tokens import from_callable, load_tokenizer, wordpiece, words
from withgrain.types import Tokenizer

DEFINITION = Path(withgrain.tokens.__file__).parent / "data" / "wordpiece.json"


@given(st.integers(0, 3000))
def test_words_is_ceil_of_words_times_1_3(number: int) -> None:
    """``ceil(words x 1.3)``, in exact arithmetic."""
    assert words().count("word " * number) == math.ceil(number * Fraction(13, 10))


@pytest.mark.parametrize(("text", "tokens"), [("", 0), (" \n ", 0), ("one", 2), ("one two\tthree\nfour", 6)])
def test_words_counts_what_stands_between_white_space(text: str, tokens: int) -> None:
    """A word is what stands between white space."""
    assert words().count(text) == tokens


def test_words_is_not_additive() -> None:
    """Rounding up makes the sum of parts larger than the whole, and the attribute says so."""
    assert not words().additive
    assert words().count("a b") < words().count("a") + words().count("b")


def test_every_tokenizer_satisfies_the_protocol() -> None:
    """Name, version, additive, count, count_many."""
    for tokenizer in (words(), wordpiece(), from_callable(len), load_tokenizer(str(DEFINITION))):
        assert isinstance(tokenizer, Tokenizer)
        assert tokenizer.count_many(["a b", ""]) == [tokenizer.count("a b"), tokenizer.count("")]


def test_callable_keeps_its_name_and_version() -> None:
    """The contract names a tokenizer; an unnamed one says that it has no name."""
    named = from_callable(len, name="characters", version="2")
    assert (named.name, named.version, named.additive) == ("characters", "2", False)
    assert from_callable(len).name == "callable"
    assert named.count("abc") == 3


@pytest.mark.parametrize("wrong", [-1, 1.5, None, True, "3"])
def test_callable_that_does_not_count_is_an_error(wrong: object) -> None:
    """A counter must return a whole number from 0 on."""
    with pytest.raises(UsageError, match="whole number"):
        from_callable(lambda _: wrong).count("x")  # type: ignore[arg-type,return-value]


def test_load_built_in() -> None:
    """``words`` and ``wordpiece`` name the built-in ones."""
    assert load_tokenizer("words").name == "words"
    assert load_tokenizer("wordpiece") is wordpiece()


def test_load_file(tmp_path: Path) -> None:
    """A path loads a Hugging Face tokenizer.json with truncation and padding off; its hash is the version."""
    (tmp_path / "my-model").mkdir()
    path = tmp_path / "my-model" / "tokenizer.json"
    text = DEFINITION.read_text(encoding="utf-8")
    cut = '"truncation":{"max_length":4,"strategy":"LongestFirst","stride":0},"padding":{"strategy":{"Fixed":9},'
    cut += '"direction":"Right","pad_to_multiple_of":null,"pad_id":0,"pad_type_id":0,"pad_token":"[PAD]"}'
    assert '"truncation":null,"padding":null' in text
    path.write_text(text.replace('"truncation":null,"padding":null', cut), encoding="utf-8")
    loaded = load_tokenizer(str(path))
    assert loaded.name == "tokenizer.json:my-model"
    assert len(loaded.version) == 16
    assert loaded.count("one") == 1
    assert loaded.count("one two three four five six seven eight nine ten") == 10
    assert loaded.count("a\ud800b") >= 1


TEXTS = [
    "",
    " ",
    "Größe 日本語 🤖 e\u0301",
    "  def f(x):\n\treturn x+1\n",
    "don't   stop",
    "x" * 5000,
    "1234567 €",
    "a\r\nb",
]


def _train(path: Path, kind: str) -> tokenizers.Tokenizer:
    special = ["<unk>"]
    if kind == "byte-level":
        made = tokenizers.Tokenizer(tokenizers.models.BPE())
        made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
        alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
        trainer = tokenizers.trainers.BpeTrainer(vocab_size=600, show_progress=False, initial_alphabet=alphabet)
    else:
        made = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="<unk>"))
        made.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
        trainer = tokenizers.trainers.BpeTrainer(vocab_size=300, show_progress=False, special_tokens=special)
    made.train_from_iterator([Path(__file__).read_text(encoding="utf-8")], trainer)
    made.save(str(path))
    return made


@pytest.mark.parametrize("kind", ["byte-level", "metaspace"])
@pytest.mark.parametrize("reference", [True, False])
def test_file_counts_as_hugging_face_or_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, reference: bool
) -> None:
    """Exact with the reference engine; without it exact for byte-level BPE, and for other kinds an error, no guess."""
    path = tmp_path / "tokenizer.json"
    trained = _train(path, kind)
    if not reference:
        monkeypatch.setattr("withgrain.tokens.huggingface.find_spec", lambda name: None)
        if kind != "byte-level":
            with pytest.raises(ConfigError, match="pip install tokenizers"):
                load_tokenizer(str(path))
            return
    expected = [len(trained.encode(text, add_special_tokens=False).ids) for text in TEXTS]
    assert load_tokenizer(str(path)).count_many(TEXTS) == expected


@pytest.mark.parametrize("content", ["", "{}", "not json", '{"model": {"type": "Nothing"}}'])
def test_load_broken_file(tmp_path: Path, content: str) -> None:
    """A file that is no tokenizer is a configuration error that names it."""
    path = tmp_path / "tokenizer.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"tokenizer\.json"):
        load_tokenizer(str(path))
    with pytest.raises(ConfigError, match=r"absent\.json"):
        load_tokenizer(str(tmp_path / "absent.json"))


def test_load_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """``module:function`` loads a function; the module's version is its version."""
    module = ModuleType("my_counter")
    module.count = len  # type: ignore[attr-defined]
    module.number = 3  # type: ignore[attr-defined]
    module.__version__ = "7.1"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "my_counter", module)
    loaded = load_tokenizer("my_counter:count")
    assert (loaded.name, loaded.version, loaded.count("four")) == ("my_counter:count", "7.1", 4)
    with pytest.raises(ConfigError, match="no function"):
        load_tokenizer("my_counter:number")
    with pytest.raises(ConfigError, match="cannot be imported"):
        load_tokenizer("my_counter:missing")
    with pytest.raises(ConfigError, match="cannot be imported"):
        load_tokenizer("no_such_module_at_all:count")


def test_load_unknown_names_the_nearest() -> None:
    """An unknown word says what there is, nearest first."""
    with pytest.raises(ConfigError, match='Did you mean "wordpiece"'):
        load_tokenizer("wordpeice")
    with pytest.raises(ConfigError, match=r"module:function"):
        load_tokenizer("gpt-9")
