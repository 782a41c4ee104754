"""``get`` by a place: lines, headings, clauses, pages, retired ids, and what stands around."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Literal

import pytest

from withgrain.app import Library
from withgrain.errors import UsageError
from withgrain.model import Compare
from withgrain.store import memory_store
from withgrain.testing.embedders import HashEmbedder

POLICY = """# Retention

## 4.1 Periods

Audit events are kept for 400 days.

## 4.2 Legal hold

A hold stops the purge job for every custodian.

## Rotating the keys

Rotate the keys each quarter, and tell the owner.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "docs"
    place.mkdir()
    (place / "policy.md").write_text(POLICY)
    return place


@pytest.fixture
def library(folder: Path) -> Library:
    lib = Library(embedder=HashEmbedder(dims=16), tokenizer="words", store=memory_store())
    lib.ingest(folder)
    return lib


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("policy.md#L9", "A hold stops"),
        ("policy.md#L8-L9", "A hold stops"),
        ("policy.md#L5-L9", "400 days"),
        ("./policy.md#4.2", "A hold stops"),
        ("policy.md#4.2-legal-hold", "A hold stops"),
        ("policy.md#rotating-the-keys", "each quarter"),
        ("docs/policy.md#Rotating%20the%20keys", "each quarter"),
        ("policy.md", "# Retention"),
    ],
)
def test_a_place_is_found_by_lines_heading_and_clause(library: Library, place: str, words: str) -> None:
    found = library.get(place)
    assert words in found.text
    assert found.citation.document == "policy.md"


def test_a_deep_link_of_a_hit_leads_back_to_it(library: Library) -> None:
    """Quote: "a deep link (`file.md#L12-L18` …)"."""
    hit = library.search("purge job of a custodian").hits[0]
    assert hit.citation.link is not None
    assert hit.chunk.id in {c.id for c in library.get(hit.citation.link).chunks}


def test_an_unknown_part_names_the_headings(library: Library) -> None:
    with pytest.raises(UsageError, match="Rotating the keys"):
        library.get("policy.md#rotating-keyz")


def test_pages_and_anchors_of_rendered_documents(folder: Path, library: Library) -> None:
    """Quote: "`page.html#anchor`, `doc.pdf#page=4`": the links of hits, and `get` takes them."""
    pytest.importorskip("reportlab")
    from tests.unit.parse.made_pdf import lines, pdf

    pages = [f"The vault of region {n} is opened by two people." for n in ("one", "two", "three")]
    (folder / "vault.pdf").write_bytes(pdf(*[lambda c, t=t: lines(c, [t]) and None for t in pages]))
    html = "<h1>Teams</h1><p>All of them.</p><h2 id='north'>North</h2><p>Snowploughs clear the yard.</p>"
    (folder / "teams.html").write_text(f"<html><body>{html}</body></html>")
    library.ingest(folder)
    found = library.get("vault.pdf#page=2")
    assert "region two" in found.text
    with pytest.raises(UsageError, match="page=9"):
        library.get("vault.pdf#page=9")
    (hit, *_) = library.search("snowploughs clear", filter="document=teams.html").hits
    assert (hit.citation.anchor, hit.citation.link) == ("north", "teams.html#north")
    assert "Snowploughs" in library.get("teams.html#north").text
    (hit, *_) = library.search("vault region three page:3").hits
    assert hit.citation.document == "vault.pdf"
    assert 3 in hit.chunk.pages
    assert hit.citation.link == f"vault.pdf#page={hit.citation.page}"
    packed = library.pack("snowploughs clear", max_tokens=60, filter="document=teams.html", tokenizer="words")
    assert "teams.html#north" in {item.citation.link for item in packed.items}


@pytest.mark.parametrize(
    ("around", "has", "has_not"),
    [
        ("none", ["A hold"], ["400 days", "each quarter"]),
        ("neighbours", ["A hold", "400 days", "each quarter"], []),
        ("section", ["A hold"], ["each quarter"]),
        ("document", ["# Retention", "400 days", "A hold", "each quarter"], []),
    ],
)
def test_around(library: Library, around: str, has: list[str], has_not: list[str]) -> None:
    found = library.get("policy.md#4.2", around=around)  # type: ignore[arg-type]
    assert [w for w in has if w not in found.text] == []
    assert [w for w in has_not if w in found.text] == []


def test_a_retired_id_follows_its_successor_or_says_gone(library: Library, folder: Path) -> None:
    """Quote: "a retired id follows its successor or says moved/changed/gone"."""
    (before,) = library.get("policy.md#4.1").chunks
    (held,) = library.get("policy.md#4.2").chunks
    (folder / "policy.md").write_text(POLICY.replace("400 days", "500 days"))
    library.ingest(folder)
    found = library.get(before.id)
    assert "500 days" in found.text
    assert found.retired.startswith("changed")
    (folder / "policy.md").write_text("# Retention\n\nNothing of it is left here at all.\n")
    (folder / "other.md").write_text("# Other\n\nRain.\n")
    library.ingest(folder)
    with pytest.raises(UsageError, match="gone"):
        library.get(held.id)


ODD = "# Odd\n\nIntroduction to it.\n\n## 7. Term\n\n7.1 Five years pass.\n\n7.2 Notice takes ninety days.\n"
NAMES = ("a #2 (x).md", "100%25.md", "c#/notes#1.md", "größe.md")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_path_is_found_as_it_is_written(
    folder: Path, library: Library, name: str, form: Literal["NFC", "NFD"]
) -> None:
    """A path that a hit shows is an address, whatever signs it holds and however the keyboard composes letters."""
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(ODD)
    library.ingest(folder)
    written = unicodedata.normalize(form, name)
    assert library.get(written).citation.document == name
    assert library.get(f"docs/{written}#odd").citation.document == name
    (hit,) = library.search(
        "notice takes ninety", filter=Compare(field="document", operator="eq", value=name), k=1
    ).hits
    assert hit.chunk.id in {c.id for c in library.get(hit.citation.link).chunks}


@pytest.mark.parametrize(
    ("part", "words"), [("7.2", "ninety days"), ("L5", "Five years"), ("L1-L2", "Introduction"), ("L9-L7", "ninety")]
)
def test_a_part_that_begins_no_chunk_is_found_in_the_one_that_holds_it(
    folder: Path, library: Library, part: str, words: str
) -> None:
    """The second clause of a chunk, the line of a heading, a blank line, lines the wrong way round."""
    (folder / "odd.md").write_text(ODD)
    library.ingest(folder)
    assert words in library.get(f"odd.md#{part}").text


@pytest.mark.parametrize("part", ["7.3", "L0", "L10", "L999", "2"])
def test_a_part_that_is_nowhere_is_an_error(folder: Path, library: Library, part: str) -> None:
    (folder / "odd.md").write_text(ODD)
    library.ingest(folder)
    with pytest.raises(UsageError, match="has no part"):
        library.get(f"odd.md#{part}")


def test_an_anchor_that_is_not_made_of_the_heading_leads_back_to_its_hit(folder: Path, library: Library) -> None:
    """Quote: "a deep link (… `page.html#anchor` …)"."""
    page = "<h1 id='top'>Teams</h1><p>All of them.</p><h2 id='sec-2'>North of the yard</h2><p>Snowploughs wait.</p>"
    (folder / "teams.html").write_text(f"<html><body>{page}</body></html>")
    library.ingest(folder)
    (hit,) = library.search("snowploughs wait", k=1).hits
    assert hit.citation.link == "teams.html#sec-2"
    assert hit.chunk.id in {c.id for c in library.get(hit.citation.link).chunks}


def test_a_copy_is_found_by_its_own_path(folder: Path, library: Library) -> None:
    """Files with the same bytes are one document with several names."""
    (folder / "twin.md").write_text(POLICY)
    library.ingest(folder)
    names = {library.get(name).id for name in ("policy.md", "twin.md", "docs/twin.md", "twin.md#4.2")}
    assert len(names) == 2


def test_a_path_in_the_wrong_case_is_suggested_in_the_right_one(library: Library) -> None:
    with pytest.raises(UsageError, match=r"Did you mean policy\.md\?"):
        library.get("POLICY.MD#4.2")


def test_an_id_of_a_section_that_moved_to_another_document_leads_there(folder: Path, library: Library) -> None:
    """Not to what is a little like it at the old place: the same words stand elsewhere now."""
    (held,) = library.get("policy.md#4.2").chunks
    start, end = POLICY.index("## 4.2"), POLICY.index("## Rotating")
    left = POLICY[:start] + "## 4.3 Purge\n\nThe purge job runs for every custodian.\n\n" + POLICY[end:]
    (folder / "policy.md").write_text(left)
    (folder / "holds.md").write_text(f"# Holds\n\n{POLICY[start:end]}")
    library.ingest(folder)
    found = library.get(held.id)
    assert found.citation.document == "holds.md"
    assert found.retired.startswith("moved")


@pytest.mark.parametrize("name", [" first.md", "two  spaces.md", "#sign.md", "50%25.md", "-dash.md"])
def test_every_name_of_a_file_is_a_path(name: str, folder: Path, library: Library) -> None:
    (folder / name).write_text("# Odd\n\nIts words.\n")
    library.ingest(folder)
    for asked in (name, f"docs/{name}", f"{name}#L3"):
        assert library.get(asked).citation.document == name
    assert library.get("  policy.md ").citation.document == "policy.md"


def test_a_removed_section_is_gone_however_like_it_its_neighbour_is(folder: Path, library: Library) -> None:
    """What stood there already has not taken its place: a citation must not lead to another section."""
    sections = [f"## Valve {n}\n\nTurn the red valve number {n} to the left and wait.\n\n" for n in range(5)]
    (folder / "valves.md").write_text("# Valves\n\n" + "".join(sections))
    library.ingest(folder)
    (second,) = library.get("valves.md#valve-2").chunks
    (folder / "valves.md").write_text("# Valves\n\n" + "".join(sections[:2] + sections[3:]))
    library.ingest(folder)
    with pytest.raises(UsageError, match="gone"):
        library.get(second.id)


@pytest.mark.parametrize("order", [("rename", "edit"), ("edit", "rename"), ("edit", "rename", "edit"), ("both",)])
def test_an_id_whose_text_changed_is_changed_wherever_it_moved(
    order: tuple[str, ...], folder: Path, library: Library
) -> None:
    """Quote: "says moved/changed/gone": who quotes the old words must know that they are other ones now."""
    (before,) = library.get("policy.md#4.1").chunks
    for step in order:
        (place,) = (p for p in folder.iterdir() if "days" in p.read_text())
        text = place.read_text()
        if step != "rename":
            text = text.replace("400 days", "500 days") if "400 days" in text else text.replace("500 days", "600 days")
        place.unlink()
        (folder / (place.name if step == "edit" else f"new-{place.name}")).write_text(text)
        library.ingest(folder)
    found = library.get(before.id)
    assert "400 days" not in found.text
    assert found.retired.startswith("changed")


def test_an_old_id_leads_to_what_is_related_and_alike(folder: Path, library: Library) -> None:
    """Quote: "a retired id follows its successor": from every call that takes ids."""
    (before,) = library.get("policy.md#4.1").chunks
    (folder / "policy.md").write_text(POLICY.replace("400 days", "500 days"))
    library.ingest(folder)
    now = library.get(before.id).id
    assert library.related(before.id) == library.related(now) == library.related("policy.md#4.1")
    assert [h.chunk.id for h in library.like(before.id).hits] == [h.chunk.id for h in library.like(now).hits]


@pytest.mark.parametrize("example", ["0" * 32, "polici.md", "runbooks/absent.md"])
def test_more_like_an_id_or_a_path_that_nothing_has_is_an_error(library: Library, example: str) -> None:
    """It is no text, so what is like its letters is no answer."""
    with pytest.raises(UsageError, match="Nothing in the collection has"):
        library.like(example)
    assert library.like("rotate the keys").hits


def test_what_is_related_to_several_chunks_is_not_guessed(library: Library) -> None:
    with pytest.raises(UsageError, match="is 3 chunks"):
        library.related("policy.md")


FOUR_PAGES = [
    f"Pump model PX-{n}003 on page {n} lifts {n}00 litres a minute; its {name} seal is changed each year by two people."
    for n, name in enumerate(("red", "blue", "green", "white"), 1)
]


@pytest.fixture
def pumps(folder: Path) -> Library:
    """A PDF of four pages in two chunks or one."""
    pytest.importorskip("reportlab")
    from tests.unit.parse.made_pdf import lines, pdf

    drawn = [
        lambda c, t=t: lines(c, [t, "It is checked every week, and noted in the book."]) and None for t in FOUR_PAGES
    ]
    (folder / "pumps.pdf").write_bytes(pdf(*drawn))
    lib = Library(embedder=HashEmbedder(dims=16), tokenizer="words", store=memory_store())
    lib.ingest(folder)
    return lib


@pytest.mark.parametrize("page", [1, 2, 3, 4])
def test_citations_lead_to_the_page_of_what_matched(pumps: Library, page: int) -> None:
    """A chunk over several pages: the link leads to the page of the words, and all pages are named."""
    chunks = pumps.get("pumps.pdf").chunks
    assert any(len(c.pages) > 1 and len(c.page_starts) == len(c.pages) - 1 for c in chunks)
    hit = next(h for h in pumps.search(f"PX-{page}003").hits if page in h.chunk.pages)
    assert (hit.citation.page, hit.citation.link) == (page, f"pumps.pdf#page={page}")
    assert hit.citation.pages == (hit.chunk.pages[0], hit.chunk.pages[-1])
    assert f"pages {hit.chunk.pages[0]}-{hit.chunk.pages[-1]}" in str(hit.citation)
    (quote,) = pumps.cite(FOUR_PAGES[page - 1])
    assert (quote.citation.page, quote.citation.pages) == (page, (page, page))
    assert quote.citation.link == f"pumps.pdf#page={page}"
    found = pumps.get(f"pumps.pdf#page={page}")
    assert (found.citation.page, found.citation.link) == (page, f"pumps.pdf#page={page}")
    assert found.citation.pages is not None
    assert found.citation.pages[0] <= page <= found.citation.pages[1]


def test_a_quote_over_two_pages_names_both(pumps: Library) -> None:
    (quote,) = pumps.cite(f"noted in the book. {FOUR_PAGES[1]}")
    assert (quote.citation.page, quote.citation.pages) == (1, (1, 2))


HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"


def test_every_heading_is_an_address_that_gives_the_same_again(tmp_path: Path) -> None:
    """What `get` says of a chapter is about the chapter: headings, lines, and an id for the same range."""
    lib = Library(embedder="none", tokenizer="words", store=memory_store())
    lib.ingest(HANDBOOK / "policies")
    for document in lib.snapshot().documents():
        paths = {c.heading_path[:n] for c in lib.get(document.path).chunks for n in range(1, len(c.heading_path) + 1)}
        names = [path[-1] for path in paths]
        for path in (p for p in paths if names.count(p[-1]) == 1):
            found = lib.get(f"{document.path}#{path[-1]}")
            again = lib.get(found.id)
            assert (again.span, again.text, again.chunks) == (found.span, found.text, found.chunks), path
            if found.kind == "section":
                assert again.citation == found.citation
                assert found.citation.heading_path == path


def test_a_chapter_is_cited_by_its_own_number(tmp_path: Path) -> None:
    lib = Library(embedder="none", tokenizer="words", store=memory_store())
    lib.ingest(HANDBOOK / "policies")
    found = lib.get("data-retention.md#4")
    assert (found.citation.clause, found.citation.heading_path[-1]) == ("4", "4 Deletion and exceptions")
    assert found.citation.lines == (60, 92)


def test_a_section_that_is_no_longer_there_leads_on_or_says_what_became_of_it(library: Library, folder: Path) -> None:
    """Ids of sections are retired as those of chunks are: by another heading, by a move, by a deletion."""
    section = library.get("policy.md#4.2").section
    assert section is not None
    (folder / "policy.md").write_text(POLICY.replace("4.2 Legal hold", "4.2 Holds"))
    library.ingest(folder)
    found = library.get(section)
    assert "A hold stops" in found.text
    assert found.retired.startswith(("changed", "moved"))
    (folder / "policy.md").rename(folder / "rules.md")
    library.ingest(folder)
    found = library.get(section)
    assert (found.citation.document, "A hold stops" in found.text) == ("rules.md", True)
    (folder / "rules.md").write_text("# Weather\n\nRain falls on Mondays.\n")
    library.ingest(folder)
    with pytest.raises(UsageError, match=f"{section}.* gone"):
        library.get(section)
    (folder / "rules.md").unlink()
    (folder / "policy.md").write_text(POLICY)
    library.ingest(folder)
    found = library.get(section)
    assert (found.id, found.retired) == (section, "")


def test_the_path_of_a_moved_document_leads_on_and_that_of_a_deleted_one_says_so(
    library: Library, folder: Path
) -> None:
    (folder / "sub").mkdir()
    (folder / "policy.md").rename(folder / "sub" / "moved.md")
    (folder / "other.md").write_text("# Other\n\nRain.\n")
    library.ingest(folder)
    for asked in ("policy.md", "docs/policy.md", "./policy.md#4.2", "policy.md#legal%20hold"[:9]):
        found = library.get(asked)
        assert found.citation.document == "sub/moved.md"
        assert found.retired == "moved: it stood in policy.md, it is now sub/moved.md"
    assert "A hold stops" in library.get("policy.md#4.2").text
    with pytest.raises(UsageError, match="has no part"):
        library.get("policy.md#9.9")
    (folder / "sub" / "moved.md").unlink()
    library.ingest(folder)
    for asked in ("policy.md", "sub/moved.md", "docs/sub/moved.md#4.2"):
        with pytest.raises(UsageError, match="is gone: it stood in"):
            library.get(asked)
    with pytest.raises(UsageError, match="Nothing in the collection"):
        library.get("never.md")
