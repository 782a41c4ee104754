"""The policies that do one step before or after the packer: page, semantic, parent_child, strict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.unit.parse.made_pdf import lines, read
from withgrain.chunk import POLICIES, Chunked, Context, chunk_document, within_window
from withgrain.chunk.semantic import Embed
from withgrain.errors import ConfigError
from withgrain.model import Block, Document
from withgrain.parse import parse
from withgrain.testing.embedders import HashEmbedder

CATS = [f"Cats purr softly on warm cats blankets while cats dream for {i} hours." for i in range(6)]
TAXES = [f"Taxes fall due in spring when taxes and duties are filed in {i} parts." for i in range(6)]
TOPICS = f"# Mixed\n\n## One section\n\n{' '.join(CATS + TAXES)}\n\n## Short\n\nTwo words.\n"


def _by_word(texts: Sequence[str]) -> list[tuple[float, float]]:
    """Embed by what a text is about."""
    return [(float(t.count("ats")), float(t.count("axes"))) for t in texts]


def _cut(text: str, name: str, embed: Embed | None = None) -> tuple[Document, Chunked]:
    document = parse(text.encode(), uri="a.md")
    return document, chunk_document(document, POLICIES[name], context=Context(embed=embed))


def test_semantic_cuts_inside_a_section_where_the_topic_changes() -> None:
    """`semantic`: embedding-distance boundaries inside a section, the embedder passed in as a callable."""
    policy = replace(POLICIES["semantic"].with_sizes(minimum=10), topics=90)
    document = parse(TOPICS.encode(), uri="a.md")
    chunks = chunk_document(document, policy, context=Context(embed=_by_word)).chunks
    first, second, short = chunks
    assert "Taxes" not in first.body
    assert "Cats" not in second.body
    assert (first.boundary.end, second.boundary.start, second.boundary.end) == ("topic", "topic", "section")
    assert short.body == "Two words."
    assert {c.heading_path for c in (first, second)} == {("Mixed", "One section")}


def test_semantic_does_not_cut_below_the_minimum() -> None:
    """No topic is shorter than the minimum of the policy."""
    _, chunked = _cut("# A\n\nCats purr. Taxes fall. Cats sleep.\n", "semantic", _by_word)
    assert len(chunked.chunks) == 1


def test_the_percentile_decides_how_many_cuts() -> None:
    """A lower percentile gives more topics."""
    text = "# A\n\n" + " ".join(s for pair in zip(CATS, TAXES, strict=True) for s in pair)
    document = parse(text.encode(), uri="a.md")
    counts = []
    for percentile in (100, 80, 20):
        policy = replace(POLICIES["semantic"].with_sizes(minimum=10), topics=percentile)
        embed = HashEmbedder().embed_documents
        counts.append(len(chunk_document(document, policy, context=Context(embed=embed)).chunks))
    assert counts[0] == 1
    assert counts[0] < counts[1] < counts[2]


def test_semantic_without_an_embedder_says_what_to_do() -> None:
    """The embedder is passed in; without one the error names a way out."""
    with pytest.raises(ConfigError, match=r"needs an embedder.*structure_aware"):
        _cut(TOPICS, "semantic")


def test_sentences_longer_than_the_window_are_no_error() -> None:
    """`within_window` gives the embedder what it reads."""
    embedder = HashEmbedder(window=20)
    _cut(f"# A\n\n{'word ' * 300}. Then a second. And a third.\n", "semantic", within_window(embedder))
    assert all(embedder.tokenizer.count(t) <= 20 for t in embedder.embedded)


def test_an_edit_moves_topics_in_its_own_section_only() -> None:
    """6: the percentile is taken section by section."""
    policy = POLICIES["semantic"].with_sizes(minimum=10)
    embed = Context(embed=HashEmbedder().embed_documents)
    text = TOPICS.replace("Two words.", " ".join(CATS))
    before = chunk_document(parse(text.encode(), uri="a.md"), policy, context=embed).chunks
    edited = text.replace("## Short\n\n", "## Short\n\nSomething else entirely. ")
    after = chunk_document(parse(edited.encode(), uri="a.md"), policy, context=embed).chunks
    kept = {c.id for c in before if c.heading_path[-1] == "One section"}
    assert kept <= {c.id for c in after}


LONG = "# Guide\n\n" + "\n\n".join(
    f"## Part {i}\n\n"
    + "\n\n".join(f"Paragraph {j} of part {i}. " + "It has a few plain words. " * 12 for j in range(n))
    for i, n in enumerate((1, 2, 20))
)


def test_children_are_small_and_parents_are_sections() -> None:
    """`parent_child`: children of 100-200 tokens; the parent is the largest section up to 800 tokens."""
    document, chunked = _cut(LONG, "parent_child")
    tokens = [c.tokens or 0 for c in chunked.chunks]
    assert max(tokens) <= 200
    assert sum(tokens) / len(tokens) > 80
    sizes: dict[str, int] = {}
    for chunk in chunked.chunks:
        assert chunk.parent_id
        sizes[chunk.parent_id] = sizes.get(chunk.parent_id, 0) + len(chunk.body.split())
    long_parents = {c.parent_id for c in chunked.chunks if c.heading_path[-1] == "Part 2"}
    assert len(long_parents) > 1
    assert all(words <= 800 for words in sizes.values())
    assert document.text


def test_small_sections_share_the_parent_around_them() -> None:
    """A parent reaches up to the largest enclosing section that fits."""
    text = (
        "# Doc\n\n"
        + "filler words here. " * 300
        + "\n\n## Group\n\n"
        + "".join(f"### Small {i}\n\nA few words of {i}.\n\n" for i in range(4))
    )
    _, chunked = _cut(text, "parent_child")
    group = {c.parent_id for c in chunked.chunks if "Group" in c.heading_path}
    assert len(group) == 1
    assert group.isdisjoint({c.parent_id for c in chunked.chunks if "Group" not in c.heading_path})


def test_an_edit_at_the_top_of_a_long_section_keeps_the_parents_behind() -> None:
    """Stable parent ids: parts of a long section are cut at content anchors."""
    _, before = _cut(LONG, "parent_child")
    _, after = _cut(LONG.replace("Paragraph 0 of part 2.", "Paragraph 0 of part 2 was edited."), "parent_child")
    old, new = ({c.parent_id for c in x.chunks} for x in (before, after))
    assert len(old - new) <= 1


def _paged(text: str, pages: dict[str, int]) -> Document:
    """Parse Markdown and put its blocks on pages by their first words."""
    document = parse(text.encode(), uri="a.md")
    blocks: list[Block] = []
    page = 1
    for block in document.blocks:
        start = block.span.of(text)
        page = next((p for head, p in pages.items() if start.startswith(head)), page)
        blocks.append(replace(block, page=page))
    return replace(document, blocks=tuple(blocks))


def test_page_cuts_where_a_page_begins() -> None:
    """`page`: chunks by page of paged formats; headings stay in the body, `pages` says which."""
    text = "# Report\n\nIntro.\n\n## Costs\n\nFirst half.\n\nSecond half.\n\n## Staff\n\nMany people.\n"
    document = _paged(text, {"# Report": 1, "Second half": 2})
    chunked = chunk_document(document, POLICIES["page"])
    one, two = chunked.chunks
    assert one.body == "# Report\n\nIntro.\n\n## Costs\n\nFirst half."
    assert two.body == "Second half.\n\n## Staff\n\nMany people."
    assert (one.pages, two.pages) == ((1,), (2,))
    assert (two.boundary.start, two.boundary.end) == ("page", "page")
    assert two.heading_path == ("Report", "Costs")
    assert [s.path for s in two.sections] == [("Report", "Costs"), ("Report", "Staff")]
    assert chunked.audit.words_lost == 0
    assert one.embed_text.startswith("Report\n# Report")
    assert two.embed_text.startswith("Report > Costs\nSecond half.")


def test_page_names_the_section_that_each_piece_of_a_long_page_begins_in() -> None:
    """Invariant 5 for `page`: a page over the limit is cut, and each piece carries its own heading path."""
    sections = [f"## Part {i}\n\n{f'Words of part {i} stand here. ' * 40}" for i in range(8)]
    document = _paged("# Report\n\n" + "\n\n".join(sections) + "\n", {"# Report": 1, "## Part 6": 2})
    chunks = chunk_document(document, POLICIES["page"].with_maximum(300)).chunks
    assert len(chunks) > 4
    for chunk in chunks:
        assert all(name in chunk.embed_text for name in (chunk.title, *chunk.heading_path)), chunk.embed_text[:80]


def test_page_without_pages_cuts_at_sections() -> None:
    """A document of a format without pages is cut by its sections."""
    _, chunked = _cut(LONG, "page")
    assert {c.heading_path for c in chunked.chunks} == {("Guide", f"Part {i}") for i in range(3)}


def test_strict_drops_small_sections_with_their_headings() -> None:
    """`strict` reproduces drop-below-minimum; what is dropped is declared, so that the effect can be measured."""
    text = f"# A\n\n## Tiny\n\nFew words.\n\n## Long\n\n{'Many plain words stand here. ' * 60}\n\n## Empty\n"
    _, chunked = _cut(text, "strict")
    assert [c.heading_path for c in chunked.chunks] == [("A", "Long")]
    assert [d.text.strip() for d in chunked.audit.dropped] == ["## Tiny", "Few words.", "## Empty", "## Empty"] or [
        d.text.strip() for d in chunked.audit.dropped
    ] == ["## Tiny", "Few words.", "## Empty"]
    assert chunked.audit.words_lost == 0
    _, kept = _cut(text, "structure_aware")
    assert len(kept.chunks) == 3


def test_page_of_a_real_pdf() -> None:
    """`page` on a PDF: a chunk a page, nothing lost, each with its page; a paragraph that runs on stays whole."""

    def first(canvas: Canvas) -> None:
        lines(canvas, ["Storage report"], y=760, font="Helvetica-Bold", size=20)
        lines(canvas, ["Costs rose in spring.", "They fell in autumn."])

    def second(canvas: Canvas) -> None:
        lines(canvas, ["Staff"], y=760, font="Helvetica-Bold", size=16)
        lines(canvas, ["Many people joined.", "Few people left."])

    document = read(first, second, second)
    chunked = chunk_document(document, POLICIES["page"])
    assert [c.pages for c in chunked.chunks] == [(1,), (2,), (3,)]
    assert "Costs rose" in chunked.chunks[0].body and "Many people" in chunked.chunks[1].body
    assert chunked.audit.words_lost == 0
    assert all(c.span is not None and c.span.of(document.text) == c.body for c in chunked.chunks)
