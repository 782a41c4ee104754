"""Inside one document, what only names it says nothing about the place."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.search.build import Doc, Text, collection
from withgrain.model import And, Compare, Filter
from withgrain.search import search
from withgrain.search.analyse import analyse
from withgrain.search.naming import beside_the_name
from withgrain.search.scoped import ScopedSnapshot
from withgrain.testing.embedders import HashEmbedder

PARTIES = "This Reseller Agreement is made between Detto Technologies, Inc. and Adia Nutrition LLC (the Company)."
BODIES = (
    PARTIES,
    *(f"Clause {n}. The party keeps its books for {n} years, and shows them when asked." for n in range(20)),
)
DOCS = (
    Doc(path="one.md", title="Reseller Agreement", chunks=tuple(Text(body=body) for body in BODIES)),
    Doc(path="two.md", title="Lease", chunks=(Text(body="Detto Technologies shows its books."),)),
)
INSIDE = Compare(field="document", operator="eq", value="one.md")
ASKED = "Who may see the books under the Reseller Agreement with Detto Technologies, Inc.?"


def left(question: str, docs: tuple[Doc, ...] = DOCS, where: Filter | None = INSIDE) -> str:
    return beside_the_name(collection(docs), analyse(question, ("en",)), where).text


def test_title_and_names_at_the_head_are_left_out() -> None:
    assert left(ASKED) == "Who may see the books under the with , ?"


def test_without_the_name_of_one_document_the_question_stays() -> None:
    assert left(ASKED, where=None) == ASKED
    assert left(ASKED, where=Compare(field="title", operator="eq", value="Reseller Agreement")) == ASKED


def test_the_filter_finds_the_document_not_the_words() -> None:
    """The document is read by the id that its path gives; a path of two roots names none, a root beside it does."""
    kb = collection((*DOCS, replace(DOCS[1], path="one.md", root="other")))
    asked = analyse(ASKED, ("en",))
    assert beside_the_name(kb, asked, INSIDE).text == ASKED
    one = next(d for d in kb.documents() if d.uri == "kb/one.md")
    by_id = Compare(field="doc_id", operator="in", value=(one.id,))
    with_root = And(parts=(INSIDE, Compare(field="root", operator="eq", value="kb")))
    for where in (by_id, And(parts=(INSIDE, by_id)), And(parts=(by_id, INSIDE)), with_root):
        assert beside_the_name(kb, asked, where).text == "Who may see the books under the with , ?"

    class NoWords(ScopedSnapshot):
        def lexical(self, *_: object) -> list[tuple[str, float]]:  # type: ignore[override]
            raise AssertionError

    everything = Compare(field="title", operator="prefix", value="")
    assert beside_the_name(NoWords(kb, everything), asked, by_id).text != ASKED


def test_what_is_no_name_stays() -> None:
    """The first word of a question, small letters, and names that the document's head does not have."""
    asked = "Detto books: does a party show them to Acme?"
    assert left(asked) == asked


def test_names_that_other_documents_have_too_stay() -> None:
    """A term of art with capitals names no document; in a row with the document's own words it does."""
    body = "Free Cash Flow of Detto."
    others = tuple(Doc(path=f"{n}.md", chunks=(Text(body="Free Cash Flow is what is left."),)) for n in range(9))
    docs = (replace(DOCS[0], chunks=(Text(body=body), *DOCS[0].chunks)), *others)
    assert left("What is the Free Cash Flow?", docs) == "What is the Free Cash Flow?"
    assert left("What is left of Free Cash Flow of Detto?", docs) == "What is left of of ?"


def test_a_question_that_only_names_the_document_stays() -> None:
    for asked in ("the Reseller Agreement", "Reseller", "What does the Company mean?", "who is Detto Technologies?"):
        assert left(asked) == asked


def test_capitals_of_german_nouns_are_no_names() -> None:
    """Where every noun has a capital, the title alone names a document."""
    docs = (replace(DOCS[0], language="de"), DOCS[1])
    assert left("Who sees the Company in the Reseller Agreement?", docs) == "Who sees the Company in the ?"
    assert left("Who sees the Company in the Reseller Agreement?") == "Who sees the in the ?"


def test_no_channel_sees_the_name() -> None:
    """Quote: "no title terms when a filter names the document": words, vectors and tokens are asked the same."""

    class Told(HashEmbedder):
        asked: tuple[str, ...] = ()

        def embed_query(self, text: str) -> tuple[float, ...]:
            self.asked = (*self.asked, text)
            return super().embed_query(text)

    embedder = Told()
    results = search(collection(DOCS, embedder), ASKED, where=INSIDE, embedder=embedder)
    assert embedder.asked == ("Who may see the books under the with , ?",)
    assert not {"resel", "agreement", "detto"} & set(results.trace["terms"])
    assert {"detto", "agreement"} <= set(results.trace["left_out_terms"])
    assert results.trace["text"] == ASKED
