"""Lexical terms: what a question and a text must have in common to meet."""

from __future__ import annotations

import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from withgrain.errors import MissingExtra
from withgrain.tokens import terms as module  # the module, for what a test must switch off
from withgrain.tokens.terms import TERMS_VERSION, identifiers, terms

SAME = [
    ("Suspended users", "suspend user"),
    ("policies", "policy"),
    ("1,000", "1000"),
    ("$1,234,567", "1234567"),
    ("café", "cafe"),
    ("CAFÉ", "cafe\u0301"),
    ("Straße", "STRASSE"),
    ("ﬁle", "file"),
    ("ＡＢＣ１２３", "abc123"),
    ("user’s", "user's"),
    ("user's", "user"),
    ("APIs", "api"),
    ("_must_ **must** `must` (must), must!", "must must must must must"),
    ("soft\u00adhyphen", "softhyphen"),
    ("no‑break", "no-break"),
    ("ёлка", "елка"),
    ("[text](http://a.b)", "text http://a.b"),
    ("STATUSKEY=1", "statuskey=1"),
]

DIFFERENT = [
    ("USERKEY", "USERKEY_OLD"),
    ("statuskey=1", "statuskey=7"),
    ("AADSTS50011", "AADSTS50012"),
    ("C++", "C"),
    ("v1.2.3", "v1.2.4"),
    ("@@OKTA:USERS", "@@OKTA:GROUPS"),
]

WHOLE_AND_PARTS = [
    ("AADSTS50011", ["aadsts50011", "50011"]),
    ("/api/v1/users/{userId}/suspend", ["/api/v1/users/{userid}/suspend", "user", "suspend", "api"]),
    ("statuskey=1", ["statuskey=1", "statuskey", "1"]),
    ("@@OKTA:USERS", ["@@okta:users", "okta", "user"]),
    ("ROLE_ADMIN", ["role_admin", "role", "admin"]),
    ("kube-apiserver", ["kube-apiserver", "kube"]),
    ("--metrics-tls-cert-file", ["--metrics-tls-cert-file", "metrics-tls-cert-file", "tls", "cert", "file"]),
    ("--cert-file=/etc/x", ["--cert-file", "/etc/x", "cert", "etc"]),
    ("selfRevoke", ["selfrevoke", "self", "revok"]),
    ("metricsTLSConfig.filesystem.certFile", ["metricstlsconfig.filesystem.certfile", "tls", "config", "cert", "file"]),
    ("$HOME", ["$home", "home"]),
    ("v3.5.1", ["v3.5.1", "3.5.1"]),
    ("oauth2", ["oauth2", "oauth"]),
    ("user_id", ["user_id", "user", "id"]),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right"), SAME, ids=[left for left, _ in SAME])
def test_the_same_thing_gives_the_same_terms(left: str, right: str) -> None:
    """Case, inflection, accents, Unicode form, digit grouping and markup do not matter."""
    assert terms(left) == terms(right)


@pytest.mark.parametrize(("left", "right"), DIFFERENT, ids=[left for left, _ in DIFFERENT])
def test_different_identifiers_differ_as_wholes(left: str, right: str) -> None:
    """The whole identifier is exact but for case."""
    assert terms(left)[0] != terms(right)[0]


@pytest.mark.parametrize(("text", "expected"), WHOLE_AND_PARTS, ids=[text for text, _ in WHOLE_AND_PARTS])
def test_an_identifier_gives_the_whole_and_its_parts(text: str, expected: list[str]) -> None:
    """For identifiers the whole AND its parts."""
    assert set(expected) <= set(terms(text))


def test_an_identifier_typed_in_lower_case_is_found() -> None:
    """ "selfrevoke" is a word to the stemmer; the identifier gives that stem too."""
    assert set(terms("selfrevoke")) <= set(terms("selfRevoke"))
    assert set(terms("kubedaemonsets")) <= set(terms("KubeDaemonSets"))


@pytest.mark.parametrize("mark", ["{}", "`{}`,", "({}).", "**{}**:", '"{}"', "| {} |", "{}?", "see [{}](x)"])
def test_punctuation_around_an_identifier_does_not_matter(mark: str) -> None:
    """The terms of an identifier stand in a row in the terms of the text, so that a phrase finds it."""
    for identifier in ("statuskey=1", "/api/v1/users/{userId}", "ROLE_ADMIN", "--cert-file", "@@OKTA:USERS"):
        wanted, have = terms(identifier), terms(mark.format(identifier))
        assert any(have[i : i + len(wanted)] == wanted for i in range(len(have)))


def test_a_flag_with_a_value_has_the_phrase_of_the_flag() -> None:
    """Both sides of "=" give what they give alone, in a row."""
    have, wanted = terms("--cert-file=/etc/x"), terms("--cert-file")
    assert any(have[i : i + len(wanted)] == wanted for i in range(len(have)))


def test_no_stop_words_are_removed_and_numbers_stay() -> None:
    """BM25's inverse document frequency makes common words weightless."""
    assert terms("to be or not to be in 2024") == ["to", "be", "or", "not", "to", "be", "in", "2024"]


def test_scripts_without_spaces_give_pairs_of_characters() -> None:
    """Chinese, Japanese, Korean, Thai: character bigrams; a lone character stands for itself."""
    assert terms("東京都庁") == ["東京", "京都", "都庁"]
    assert terms("猫") == ["猫"]
    assert set(terms("東京")) <= set(terms("東京都庁に行く。"))
    assert terms("ภาษา") == ["ภา", "าษ", "ษา"]
    assert terms("API仕様") == ["api", "仕様"]


def test_signs_of_other_scripts_stay_with_their_word() -> None:
    """Vowel signs are no separators."""
    assert terms("हिन्दी भाषा।") == ["हिन्दी", "भाषा"]


def test_a_very_long_token_is_cut() -> None:
    """No term is longer than 256 characters, so a base64 blob does not fill the index."""
    assert max(map(len, terms("QUJD" * 100_000 + "/" + "x" * 1000 + "é" * 1000))) <= 256


def test_the_stems_are_those_of_this_version() -> None:
    """A new Snowball release that stems otherwise must raise TERMS_VERSION: stored terms would not match."""
    stems = "suspended deactivation policies generously running universities relational apiserver lying news"
    expected = ["suspend", "deactiv", "polici", "generous", "run", "universiti", "relat", "apiserv", "lie", "news"]
    assert (TERMS_VERSION, terms(stems)) == ("2", expected)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("What does statuskey=7 mean?", ("statuskey=7",)),
        ("who may POST /api/v1/users/{userId}?", ("/api/v1/users/{userId}",)),
        ('error "invalid grant" in AADSTS50011', ("invalid grant", "AADSTS50011")),
        ("use `kubectl get pods` with --force", ("kubectl get pods", "--force")),
        ("Is kube-apiserver's etcd.conf read-only?", ("kube-apiserver", "etcd.conf")),
        ("what is USERKEY in OpenShift", ("USERKEY", "OpenShift")),
        ("WHAT IS USERKEY", ()),
        ("ROLE_ADMIN, $HOME and @@OKTA:USERS", ("ROLE_ADMIN", "$HOME", "@@OKTA:USERS")),
        ("from 12:30 on 2024-01-15, 3rd, 100ms, $5,000 or 50%, e.g. and/or well-known", ()),
        ("how do I suspend a user", ()),
        ("", ()),
    ],
)
def test_identifiers_of_a_question(query: str, expected: tuple[str, ...]) -> None:
    """Identifier-like tokens as typed, and quoted phrases; plain words, numbers and everyday compounds are none."""
    assert identifiers(query) == expected


@given(st.text())
def test_terms_are_total_and_clean(text: str) -> None:
    """Any text has terms; none is empty, has white space, or is longer than 256 characters; equal on every call."""
    found = terms(text)
    assert found == terms(text)
    assert all(term and len(term) <= 256 and not any(c.isspace() for c in term) for term in found)
    assert isinstance(identifiers(text), tuple)


@given(st.text(), st.text())
def test_terms_of_a_text_are_the_terms_of_its_tokens(left: str, right: str) -> None:
    """Nothing depends on the neighbours: a text is the sum of what white space separates."""
    assert terms(f"{left} {right}") == terms(left) + terms(right)


@pytest.mark.parametrize(
    "unit", ["a", "=", "/", "-", "@", "a=", "/a", "aA", "A1", "1,", "é", "猫", "{", "a.b", "_", "'s"]
)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    """Four times the text takes about four times as long: a quadratic scan would take sixteen times."""
    small, large = (_seconds(unit * (size // len(unit))) for size in (50_000, 200_000))
    assert large < 0.25 or large / small < 9, (small, large)


def _seconds(text: str) -> float:
    best = 60.0
    for _ in range(3):
        start = time.process_time()
        terms(text)
        best = min(best, time.process_time() - start)
    return best


def test_a_missing_stemmer_names_the_line_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing extra is an error that names the line to type."""
    monkeypatch.setitem(sys.modules, "Stemmer", None)
    monkeypatch.delattr(module._local, "stemmers", raising=False)
    with pytest.raises(MissingExtra, match=r'Lexical search .* pip install "withgrain\[search\]"'):
        terms("word")
