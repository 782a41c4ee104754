"""What is asked for by its exact name comes first: identifiers, also inside longer tokens, keys, files."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.unit.search.build import Doc, Text, collection
from withgrain.model import Compare
from withgrain.search import Weights, search
from withgrain.search.analyse import analyse
from withgrain.search.files import files_in
from withgrain.search.literal import contains, plain
from withgrain.signals import detect
from withgrain.testing import HashEmbedder
from withgrain.types import Snapshot

EMBEDDER = HashEmbedder()
FILLER = tuple(
    Doc(path=f"filler/{n}.md", title=f"Filler {n}", chunks=(Text(body=f"An admin has role {n}. Nobody panics."),))
    for n in range(6)
)


def documents(*bodies: str) -> Snapshot:
    """Return a collection with a document for each text, ``0.md`` and so on, among others."""
    own = tuple(Doc(path=f"{n}.md", title=f"T{n}", chunks=(Text(body=body),)) for n, body in enumerate(bodies))
    return collection((*FILLER, *own), EMBEDDER)


def first(kb: Snapshot, query: str, count: int, **given: Any) -> list[str]:
    return [h.citation.document for h in search(kb, query, embedder=EMBEDDER, **given).hits[:count]]


@pytest.mark.parametrize(
    ("identifier", "longer", "look_alike"),
    [
        ("role/Admin", "arn:aws:iam::123456789012:role/Admin", "arn:aws:iam::123456789012:role/AdminReadOnly"),
        ("role/Admin", "see=role/Admin", "my/role/Admin"),
        ("kube-apiserver", "my.kube-apiserver:v1.2", "my.kube-apiserver-arm"),
        ("/api/v1/users", "POST:/api/v1/users", "/api/v1/users/{id}"),
        ("statuskey=1", "t.statuskey=1", "t.statuskey=11"),
        ("user_id", "x-user_id", "x-user_id_old"),
    ],
)
@pytest.mark.parametrize("sentence", ["{}", "what does `{}` mean"])
def test_an_identifier_inside_a_longer_token_is_there(
    identifier: str, longer: str, look_alike: str, sentence: str
) -> None:
    """Behind chunks that have it as a token of its own, in front of all others."""
    again = " ".join([look_alike] * 3)
    kb = documents(f"{again} {again}", f"The long text has {longer} in a sentence of many words, once and no more.")
    results = search(kb, sentence.format(identifier), embedder=EMBEDDER)
    assert results.hits[0].citation.document == "1.md"
    assert results.trace["identifiers"][identifier] == 1
    kb = documents(again, f"The text has {longer}.", f"A text of other words that has {identifier} far behind them.")
    assert first(kb, sentence.format(identifier), 2) == ["2.md", "1.md"]


_SEGMENTS = st.lists(st.from_regex(r"[A-Z]?[a-z]{3,8}", fullmatch=True), min_size=2, max_size=3)


@given(_SEGMENTS, st.sampled_from("-/"), st.sampled_from(":="), st.from_regex(r"[a-z]{2,5}", fullmatch=True))
def test_any_identifier_inside_any_longer_token_is_found(parts: list[str], sign: str, joint: str, before: str) -> None:
    identifier = sign.join(parts)
    longer, look_alike = f"{before}{joint}{identifier}", f"{before}{joint}{identifier}More"
    assume(identifier not in before and contains(longer, identifier))
    kb = documents(f"{look_alike} {look_alike}", f"There is {longer} among other words of a text that is not short.")
    assert first(kb, f"`{identifier}`", 1, mode="lexical") == ["1.md"]


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ('"don\'t panic"', "Don’t panic, he said."),
        ('"don’t panic"', "Don't panic, he said."),
        ("“don’t panic”", "Don't panic, he said."),
        ("„don't panic“", "Don’t panic, he said."),
        ("«don't panic»", "Don’t panic, he said."),
        ("`say “no” twice`", 'You say "no" twice there.'),
        ("kube-apiserver", "The kube‑apiserver starts."),
        ("“cert-manager”", "The cert-manager starts."),
        ('"naïve words"', "Two nai\u0308ve words."),
        ("USERKEY", "The user\u00adkey and USER\u00adKEY."),
    ],
)
def test_how_quotes_apostrophes_and_hyphens_are_set_makes_no_difference(asked: str, written: str) -> None:
    noise = "panic panic don't say no twice, kube apiserver, cert manager, naive, words"
    results = search(documents(noise, written), asked, embedder=EMBEDDER)
    assert sum(results.trace["identifiers"].values()) == 1
    assert results.hits[0].citation.document == "1.md"


@given(st.text(max_size=40))
def test_plain_signs_are_plain_at_once(text: str) -> None:
    assert plain(plain(text)) == plain(text)


@pytest.mark.parametrize(
    "query", ["requestkey", "what does requestkey mean?", "how are rows joined by requestkey and REQUEST tables"]
)
def test_a_key_in_small_letters_that_the_collection_states_is_an_identifier(query: str) -> None:
    kb = documents("REQUESTKEY, REQUESTKEY: request tables, rows joined.", "Here `requestkey` is a column of a table.")
    results = search(kb, query, embedder=EMBEDDER)
    assert results.hits[0].citation.document == "1.md"
    assert results.trace["keys"] == {"requestkey": 1}


def test_a_word_that_nobody_states_as_a_key_stays_a_word() -> None:
    kb = documents("The passkey is valid: avoid it.", "A passkey again, and how a passkey is made.")
    for query in ("passkey", "is a valid passkey to avoid"):
        results = search(kb, query, embedder=EMBEDDER)
        assert results.trace["keys"] == results.trace["names"] == results.trace["identifiers"] == {}
        assert {h.channels.get("exact") for h in results.hits} == {None}


def test_a_stated_key_that_many_have_decides_only_alone() -> None:
    stated = [f"Row {n} has `statuskey` set." for n in range(8)]
    kb = documents(*stated, "How rows are joined: rows joined by joins of rows.")
    assert first(kb, "how are rows joined by statuskey", 1, mode="lexical") == ["8.md"]
    assert "8.md" not in first(kb, "where is statuskey", 8)


@given(st.from_regex(r"[a-z]{1,8}(key|id|s|)", fullmatch=True))
def test_the_detectors_state_no_other_words_in_small_letters(word: str) -> None:
    """What the question's analysis takes for a possible key covers what ingestion may state."""
    forms = f"`{word}` {word}=1 `{word}=1`\n\n    {word} = 1\n\n{word}: 1, where {word} = 5\n\n```\n{word}\n```"
    stated = {i for i in detect(forms).identifiers() if re.fullmatch(r"[a-z]+", i)}
    assert stated <= set(analyse(f"what is {word} here").keys)


FILES = (
    *FILLER,
    Doc(path="okta/reset.md", title="One", chunks=(Text(body="First things."), Text(body="Second things."))),
    Doc(path="entra/reset.md", title="Two", domain="entra", chunks=(Text(body="Other things."),)),
    Doc(path="okta/preset.md", title="Three", chunks=(Text(body="Look into reset.md and okta/reset.md."),)),
    Doc(path="reset.md/notes.md", title="Four", chunks=(Text(body="reset.md reset.md reset.md"),)),
    Doc(path="okta/reset.md", root="old", title="Five", chunks=(Text(body="Old things."),)),
    Doc(path="My notes/a b.md", title="Six", chunks=(Text(body="Blank things."),)),
)
OKTA, ENTRA, OLD = "kb/okta/reset.md", "kb/entra/reset.md", "old/okta/reset.md"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("okta/reset.md", [OKTA, OKTA, OLD]),
        ("what is in okta/reset.md?", [OKTA, OKTA, OLD]),
        ("what does ./okta/reset.md#L1-L2 say", [OKTA, OKTA, OLD]),
        ("see (okta\\reset.md:12)", [OKTA, OKTA, OLD]),
        ("role of an admin by `okta/reset.md`'s text", [OKTA, OKTA, OLD]),
        ("what is in old/okta/reset.md", [OLD]),
        ("kb/okta/reset.md", [OKTA, OKTA]),
        ("reset.md", [OKTA, OKTA, ENTRA, OLD]),
        ("which admin has a role in reset.md", [OKTA, OKTA, ENTRA, OLD]),
        ('summary of "My notes/a b.md"', ["kb/My notes/a b.md"]),
        ("okta/reset.md domain:entra", []),
        ("reset.md domain:entra", [ENTRA]),
        ("no/such/reset.md", []),
    ],
)
@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
def test_a_document_that_is_named_by_its_file_comes_first(query: str, expected: list[str], mode: str) -> None:
    kb = collection(FILES, EMBEDDER)
    results = search(kb, query, embedder=EMBEDDER, mode=mode)  # type: ignore[arg-type]
    hits = [f"{h.citation.root}/{h.citation.document}" for h in results.hits]
    assert sorted(hits[: len(expected)]) == sorted(expected)
    assert sum(results.trace["documents"].values()) == len(expected)


def test_no_scope_is_left_for_a_named_document() -> None:
    kb = collection(FILES, EMBEDDER)
    scope = Compare(field="root", operator="eq", value="old")
    results = search(kb, "what is in reset.md", embedder=EMBEDDER, scope=scope)
    assert [h.citation.document for h in results.hits] == ["okta/reset.md"]


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("e.g. kubernetes.io, v1.2 and spec.template.spec; U.S. law, https://kb.example/a.md", ()),
        ("read a/b.md, c.PDF and `d e.html`.", ("a/b.md", "c.PDF", "d e.html")),
        (".md and /x/.md", ()),
    ],
)
def test_only_what_a_parser_reads_is_taken_for_a_file(text: str, files: tuple[str, ...]) -> None:
    assert files_in(text) == files


class Spy:
    """A snapshot that counts what is read of it."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot, self.read, self.texts_read = snapshot, Counter[str](), 0

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._snapshot, name)
        if not callable(found):
            return found

        def counted(*given: Any, **named: Any) -> Any:
            self.read[name] += 1
            self.texts_read += len(given[0]) if name == "texts" else 0
            return found(*given, **named)

        return counted


@pytest.mark.parametrize(
    ("query", "read", "texts"),
    [
        ("has an admin a valid role", {"lexical": 1}, 0),
        ("role/Admin", {"lexical": 1, "phrase": 1, "texts": 1}, 9),
        ("what is SELFREVOKE", {"lexical": 2, "texts": 1}, 1),
        ("selfRevoke of x-role/Admin", {"lexical": 2, "phrase": 1, "texts": 1}, 2),
        ("who starts the kube-apiserver", {"lexical": 2, "texts": 1}, 1),
        ("where is --tls set", {"lexical": 2, "texts": 1}, 0),
        ('"nobody panics"', {"lexical": 1, "phrase": 1, "texts": 1}, 6),
    ],
)
def test_a_search_reads_no_more_of_the_collection_than_it_did(query: str, read: dict[str, int], texts: int) -> None:
    """One search of the words, one look-up an identifier, one reading of texts; none where nothing is literal."""
    bodies = ("arn:x:role/Admin role/AdminReadOnly", "selfRevoke is a role of an admin.", "An Admin role")
    spy = Spy(documents(*bodies, "kube-apiserver now."))
    search(spy, query, embedder=EMBEDDER, weights=Weights())  # type: ignore[arg-type]
    counted = {"lexical", "phrase", "texts", "facets", "document", "leaves"}
    assert {name: number for name, number in spy.read.items() if name in counted} == read
    assert (spy.read["dense"], spy.read["candidates"], spy.read["statistics"]) == (1, 1, 2)
    assert spy.texts_read <= texts
