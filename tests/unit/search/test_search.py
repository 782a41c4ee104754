"""Search over a small collection in memory, with a deterministic embedder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.unit.search.build import Doc, Text, collection
from withgrain.errors import ContractMismatch, UsageError
from withgrain.model import Compare, SectionRef, Span
from withgrain.search import After, Weights, search
from withgrain.search.analyse import analyse
from withgrain.testing import HashEmbedder
from withgrain.types import Snapshot

EMBEDDER = HashEmbedder()

DOCS = (
    Doc(
        path="runbooks/reset.md",
        title="Reset a factor",
        domain="okta",
        doc_class="sop",
        meta={"url": "https://kb.example/reset"},
        stale="the newer file cannot be read",
        chunks=(
            Text(path=("Reset a factor", "Before you start"), body="Check the identity of the caller by a call back."),
            Text(path=("Reset a factor", "Steps"), body="1. Open the user.\n2. Reset the enrolled factor.\n3. Log it."),
        ),
    ),
    Doc(
        path="api/users.md",
        title="Users API",
        domain="okta",
        doc_class="api_reference",
        chunks=(
            Text(path=("Users API", "Suspend"), body="POST /api/v1/users/{userId}/lifecycle/suspend suspends a user."),
            Text(path=("Users API", "List"), body="GET /api/v1/users lists users."),
            Text(path=("Users API", "Get"), body="GET /api/v1/users/{userId} returns one user."),
        ),
    ),
    Doc(
        path="schema/users.md",
        title="User tables",
        domain="warehouse",
        doc_class="schema",
        chunks=(
            Text(path=("User tables", "Keys"), body="USERKEY joins users to accounts."),
            Text(path=("User tables", "Old keys"), body="USERKEY_OLD is USERKEY_OLD: users, accounts, keys, joins."),
            Text(path=("User tables", "Status"), body="statuskey=1 means active."),
            Text(path=("User tables", "More status"), body="statuskey=11 means active, then active: status status."),
        ),
    ),
)


@pytest.fixture(scope="module")
def kb() -> Snapshot:
    return collection(DOCS, EMBEDDER)


def paths(kb: Snapshot, query: str, **given: object) -> list[tuple[str, ...]]:
    results = search(kb, query, embedder=EMBEDDER, **given)  # type: ignore[arg-type]
    return [h.citation.heading_path for h in results.hits]


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense"])
def test_the_section_with_the_words_comes_first(kb: Snapshot, mode: str) -> None:
    assert paths(kb, "reset the enrolled factor of a user", mode=mode)[0][-1] == "Steps"


@pytest.mark.parametrize(
    ("query", "section"),
    [
        ("USERKEY", "Keys"),
        ("what is USERKEY_OLD", "Old keys"),
        ("statuskey=1", "Status"),
        ("what does statuskey=11 mean", "More status"),
        ("GET /api/v1/users", "List"),
        ("/api/v1/users/{userId}", "Get"),
        ("/api/v1/users/{userId}/lifecycle/suspend", "Suspend"),
    ],
)
@pytest.mark.parametrize("mode", ["hybrid", "lexical"])
def test_the_literal_identifier_comes_first(kb: Snapshot, mode: str, query: str, section: str) -> None:
    """Quote: "`USERKEY` is not `USERKEY_OLD`, `statuskey=1` is not `statuskey=11`"."""
    assert paths(kb, query, mode=mode)[0][-1] == section


def test_a_hit_is_complete(kb: Snapshot) -> None:
    hit = search(kb, "reset the enrolled factor", embedder=EMBEDDER).hits[0]
    assert hit.rank == 1
    assert hit.body == DOCS[0].chunks[1].body == hit.text
    assert hit.citation.document == "runbooks/reset.md"
    assert hit.citation.title == "Reset a factor"
    assert hit.citation.lines == (2, 4)
    assert hit.citation.link == "runbooks/reset.md#L2-L4"
    assert hit.citation.url == "https://kb.example/reset"
    assert hit.stale == "the newer file cannot be read"
    assert {"lexical", "dense", "document"} <= set(hit.channels)
    assert all(rank >= 1 for rank, _ in hit.channels.values())


def test_the_trace_says_what_was_understood(kb: Snapshot) -> None:
    trace = search(kb, "where is USERKEY domain:warehouse", embedder=EMBEDDER).trace
    assert trace["mode"] == "hybrid"
    assert trace["text"] == "where is USERKEY"
    assert trace["identifiers"] == {"USERKEY": 1}
    assert trace["filter"] == "domain = warehouse"
    assert trace["chunks_inside_filter"] == 4
    assert trace["candidates"]["lexical"] >= 1
    assert trace["weights"]["lexical"] == 1.0
    assert trace["notices"] == []


def test_a_filter_keeps_every_channel_inside(kb: Snapshot) -> None:
    """Quote: "with a domain given, no chunk of another domain comes back, whatever the query says"."""
    where = Compare(field="domain", operator="eq", value="okta")
    for mode in ("hybrid", "lexical", "dense"):
        results = search(kb, "USERKEY statuskey=1 accounts", mode=mode, where=where, embedder=EMBEDDER)  # type: ignore[arg-type]
        assert {h.citation.document for h in results.hits} <= {"runbooks/reset.md", "api/users.md"}


def test_filters_in_the_question_narrow_and_never_widen(kb: Snapshot) -> None:
    where = Compare(field="domain", operator="eq", value="okta")
    results = search(kb, "users domain:warehouse", where=where, embedder=EMBEDDER)
    assert results.hits == ()
    assert "filter that is written in the question" in results.trace["notices"][-1]
    assert {h.citation.document for h in search(kb, "users path:api/", embedder=EMBEDDER).hits} == {"api/users.md"}


@pytest.mark.parametrize(
    ("field", "value", "query", "said"),
    [
        ("domain", "OKTAA", "users", ['No domain is "OKTAA". Did you mean okta?', "No chunk matches the filter."]),
        ("document", "api/user.md", "users", ['No document is "api/user.md". Did you mean api/users.md', ""]),
        ("domain", "okta", "zzzz", ["Chunks inside the filter: ", "none has a word of the question."]),
    ],
)
def test_nothing_inside_a_filter_is_told_apart_from_a_filter_that_holds_nothing(
    kb: Snapshot, field: str, value: str, query: str, said: list[str]
) -> None:
    where = Compare(field=field, operator="eq", value=value)
    results = search(kb, query, mode="lexical", where=where)
    assert results.hits == ()
    told = " ".join(results.trace["notices"])
    assert [part for part in said if part not in told] == []
    written = search(kb, f"{query} {field}:{value}", mode="lexical").trace["notices"]
    assert ("written in the question" in written[-1]) == (query != "zzzz")


def test_inside_one_document_its_title_says_nothing(kb: Snapshot) -> None:
    """Quote: "query terms that occur in its title left out"."""
    where = Compare(field="document", operator="eq", value="api/users.md")
    trace = search(kb, "Users API list", where=where, embedder=EMBEDDER).trace
    assert len(trace["terms"]) == 1
    assert len(trace["left_out_terms"]) == 2
    assert trace["chunks_inside_filter"] == 3


def test_without_vectors_hybrid_becomes_lexical_and_says_so() -> None:
    plain = collection(DOCS)
    results = search(plain, "reset the factor", embedder=EMBEDDER)
    assert results.trace["mode"] == "lexical"
    assert "no vectors" in results.trace["notices"][0]
    assert results.hits == search(plain, "reset the factor", mode="lexical").hits
    with pytest.raises(UsageError, match="no vectors"):
        search(plain, "reset", mode="dense", embedder=EMBEDDER)


def test_another_embedder_is_refused_for_vectors_only(kb: Snapshot) -> None:
    """Quote: "another embedder refuses dense search (lexical still works)"."""

    class Other(HashEmbedder):
        id = "other"

    other = Other()
    other.id = "other"
    with pytest.raises(ContractMismatch, match="cannot be compared"):
        search(kb, "reset", mode="dense", embedder=other)
    assert search(kb, "reset", embedder=other).trace["mode"] == "lexical"
    assert search(kb, "reset").trace["mode"] == "lexical"
    with pytest.raises(UsageError):
        search(kb, "reset", mode="dense")


@pytest.mark.parametrize("query", ["", " \t\n", "\x00\x01", "domain:okta", "\u00a0"])
def test_nothing_to_search_for_is_an_error(kb: Snapshot, query: str) -> None:
    with pytest.raises(UsageError):
        search(kb, query, embedder=EMBEDDER)


@pytest.mark.parametrize("given", [{"k": 0}, {"k": -3}, {"mode": "fast"}])
def test_settings_that_mean_nothing_are_errors(kb: Snapshot, given: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        search(kb, "reset", embedder=EMBEDDER, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "query",
    [
        '"unbalanced',
        "`",
        '""',
        "the of and",
        "* ? % _ [ ] ( ) \\ ' ; --",
        "' OR 1=1 --",
        "重置 身份验证 因素",
        "إعادة تعيين",
        "🙂🙃",
        "\ud800 lone",
        "a\x00b\x1bc",
        "Ⅷ ﬁ ²",
        "path:",
        ":::::",
    ],
)
@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense"])
def test_strange_questions_are_answered(kb: Snapshot, mode: str, query: str) -> None:
    results = search(kb, query, mode=mode, embedder=EMBEDDER)  # type: ignore[arg-type]
    assert len(results.hits) <= 10


def test_a_megabyte_is_cut_with_a_notice(kb: Snapshot) -> None:
    for query in ("reset factor " * 80_000, "x" * 1_000_000):
        results = search(kb, query, embedder=EMBEDDER)
        assert "characters; only the first" in results.trace["notices"][0]


def test_k_limits_the_hits_and_may_be_larger_than_the_collection(kb: Snapshot) -> None:
    assert len(search(kb, "user", k=2, embedder=EMBEDDER).hits) == 2
    every = search(kb, "user", k=10**9, embedder=EMBEDDER).hits
    assert [h.rank for h in every] == list(range(1, 10))


class Reversed:
    """A reranker that likes short texts."""

    name = "short"

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        del question
        return [-float(len(text)) for text in texts]


@pytest.mark.parametrize("after", [After(), After(diversity=0.9), After(reranker=Reversed()), After(collapse=True)])
@pytest.mark.parametrize("weights", [Weights(), Weights(fusion="rrf"), Weights(exact=False)])
@pytest.mark.parametrize("query", ["reset a user", "USERKEY", "status users statuskey=1 USERKEY_OLD", '"a user" keys'])
def test_sorting_by_score_keeps_the_order(kb: Snapshot, query: str, weights: Weights, after: After) -> None:
    """Whatever put the hits into their order: identifiers, a reranker, diversity."""
    hits = search(kb, query, embedder=EMBEDDER, weights=weights, after=after).hits
    assert len(hits) > 2
    assert sorted(hits, key=lambda h: -h.score) == list(hits)


def test_rrf_and_single_channels_are_selectable(kb: Snapshot) -> None:
    for weights in (Weights(fusion="rrf"), Weights(dense=0), Weights(lexical=0, document=0)):
        assert paths(kb, "reset the enrolled factor", weights=weights)[0][-1] == "Steps"


def test_a_phrase_in_quotes_comes_first(kb: Snapshot) -> None:
    assert paths(kb, 'status active "joins users to accounts"')[0][-1] == "Keys"


def test_of_several_sections_the_matching_one_is_cited() -> None:
    first, second = "## Retry\nTry three times.\n", "## Timeout\nWait ten seconds."
    middle = len(first)
    both = Text(
        path=("Client",),
        body=first + second,
        sections=(
            SectionRef(path=("Client", "Retry"), span=Span(start=0, end=middle)),
            SectionRef(path=("Client", "Timeout"), span=Span(start=middle, end=middle + len(second))),
        ),
    )
    kb = collection([Doc(path="client.md", title="Client", chunks=(both,))], EMBEDDER)
    citation = search(kb, "how many seconds to wait", embedder=EMBEDDER).hits[0].citation
    assert citation.heading_path == ("Client", "Timeout")
    assert citation.lines == (3, 4)


def test_quality_orders_equal_chunks() -> None:
    bodies = [Text(body="same words", path=("A",), quality=q) for q in (10, 90, 50)]
    kb = collection([replace(DOCS[0], path=f"{i}.md", title=f"T{i}", chunks=(b,)) for i, b in enumerate(bodies)])
    hits = search(kb, "same words", mode="lexical").hits
    assert [h.chunk.quality for h in hits] == [90, 50, 10]


def test_an_empty_collection_gives_no_hits() -> None:
    kb = collection([], EMBEDDER)
    for mode in ("hybrid", "lexical", "dense"):
        assert search(kb, "anything USERKEY", mode=mode, embedder=EMBEDDER).hits == ()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("query", "sure", "names"),
    [
        ("where is selfRevoke handled", ("selfRevoke",), ()),
        ("what does `quota` mean", ("quota",), ()),
        ('who logs "cluster mismatch"', ("cluster mismatch",), ()),
        ("kube-apiserver", ("kube-apiserver",), ()),
        ("TOKEN", ("TOKEN",), ()),
        ("404?", ("404",), ()),
        ("what does TOKEN mean and where is it used?", ("TOKEN",), ()),
        ("what is 404", ("404",), ()),
        ("explain infra0", ("infra0",), ()),
        ("where is Retention described", (), ()),
        ("how is the TOKEN rotated", (), ()),
        ("what does it mean", (), ()),
        ("Retention", (), ()),
        ("retention", (), ()),
        ("??", (), ()),
        ("how does kube-apiserver start on OpenShift", (), ("kube-apiserver", "OpenShift")),
        ("may HONEYWELL INTERNATIONAL assign", (), ()),
        ("set --snapshot-count and user_id", ("--snapshot-count", "user_id"), ()),
    ],
)
def test_identifiers_are_told_from_ordinary_names(query: str, sure: tuple[str, ...], names: tuple[str, ...]) -> None:
    question = analyse(query)
    assert (set(question.identifiers), question.names) == (set(sure), names)


def test_a_name_decides_only_where_it_is_rare() -> None:
    """Quote: "of the mere names those that are rare"."""
    common = [Text(path=(f"Part {i}",), body=f"OpenShift text {i}") for i in range(8)]
    rare = Text(path=("Rare",), body="The kube-apiserver of the cluster has quite a lot of other words in its text.")
    plain = Text(path=("Install",), body="How to install the cluster: install install.")
    kb = collection([Doc(path="a.md", title="A", chunks=(*common, rare, plain))])
    assert search(kb, "install the kube-apiserver", mode="lexical").hits[0].citation.heading_path == ("Rare",)
    hit = search(kb, "install how to install OpenShift", mode="lexical").hits[0]
    assert hit.citation.heading_path == ("Install",)
