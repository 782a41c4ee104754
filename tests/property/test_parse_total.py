"""Properties of every parser: blocks tile the text, children lie inside their parents, nothing is ever raised."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import shared
from withgrain.errors import DocumentError
from withgrain.model import Block, Document
from withgrain.parse import media_type_for, parse
from withgrain.parse.markdown.walk import MAX_DEPTH

SUFFIXES = st.sampled_from([".md", ".mdx", ".txt", ".log"])
#: Lines that begin, end or look like something, joined at random.
LINES = st.sampled_from(
    """# H|## H {#x}|Setext|===|---|text|more *text* [l](u "t")|||  |\t|- item|  - nested|   deeper|1. one|2) two
10. ten|* [x] done|> quote|> > deeper|>|> - in quote|> [!NOTE]|> [!warning] Title|```|```py title="a"|~~~|````|    in
\tcode|¦ a ¦ b ¦|¦---¦:-:¦|¦ c \\¦ d ¦|a ¦ b|-¦-|<div>|</div>|<details><summary>S</summary>|</details>|<!--|-->
<!-- c -->|<?php|<pre>|</pre>|<table>|<tr><td>x</td></tr>|</table>|:::|::: note|:::tip[Title]|:::info x :::|::::
!!! note "T"|    body|??? tip|=== "Tab"|$$|$$ x $$|\\[|\\]|a = b|[ref]: /url "t"|[^1]: note|see [^1] and [ref]|Term
: definition|:   other|import x from 'y'|export const a = {|}|<Tabs>|  <Tab value={1}>|</Tab>|</Tabs>|<>|{/*|*/}
{{% alert %}}|{{% /alert %}}|{{< note >}}|{{< /note >}}|![i](i.png)|[![b](b.svg)](x)|+++|title: x|4.2 Scope|1. SCOPE
ARTICLE IV|(a) x|(b) y|IN CAPITALS HERE|=====|Ünïcode «日本語» 👩‍👩‍👧|é|\u00a0|2031-01-02T03:04:05 ERROR x
see section 4.2 and Step 3|http://a.b/c).|***|_ _ _|\\|&amp; &#35;|`|[|](|<|$|<é|</ü>""".replace("\n", "|")
    .replace("¦", "\n")
    .split("|")
).map(lambda line: line.replace("\n", "|"))
INDENTED = st.tuples(st.sampled_from(["", "", "", "", " ", "   ", "    ", "- ", "> ", "1. "]), LINES).map("".join)
DOCUMENTS = st.lists(INDENTED, max_size=25).map("\n".join) | st.text(
    st.characters(exclude_categories=["Cc", "Cs"], include_characters="\n\t\r\0\x0c"), max_size=200
)


def tiles(document: Document) -> None:
    """Top-level blocks tile the text in order: no gap, no overlap; each ends behind the line break of its last line."""
    at = 0
    for block in document.blocks:
        assert block.span.start == at
        assert block.span.end > at
        assert document.text[block.span.end - 1] == "\n" or block.span.end == len(document.text)
        at = block.span.end
    assert at == len(document.text)


def nested(document: Document) -> None:
    """Children lie inside their parent, in order, without overlap; so does the content."""
    stack: list[tuple[Block, int]] = [(block, 0) for block in document.blocks]
    while stack:
        block, depth = stack.pop()
        assert depth <= MAX_DEPTH * 9
        if block.content is not None:
            assert block.span.contains(block.content), block
        at = block.span.start
        for child in block.children:
            assert at <= child.span.start <= child.span.end <= block.span.end, (block, child)
            at = child.span.end
            stack.append((child, depth + 1))


@settings(max_examples=1500)
@given(DOCUMENTS, SUFFIXES)
def test_blocks_tile_the_text_and_children_lie_inside(text: str, suffix: str) -> None:
    document = parse(text.encode("utf-8", "replace"), uri="a" + suffix)
    tiles(document)
    nested(document)


@settings(max_examples=300)
@given(DOCUMENTS, SUFFIXES)
def test_a_blank_block_is_blank_and_no_other_block_is(text: str, suffix: str) -> None:
    document = parse(text.encode("utf-8", "replace"), uri="a" + suffix)
    for block in document.blocks:
        assert (block.kind == "blank") == (not block.span.of(document.text).strip())


@given(DOCUMENTS, SUFFIXES)
def test_same_bytes_give_the_same_document(text: str, suffix: str) -> None:
    data = text.encode("utf-8", "replace")
    assert parse(data, uri="a" + suffix) == parse(data, uri="a" + suffix)


@settings(max_examples=500)
@given(DOCUMENTS)
def test_references_lie_in_the_text_in_order(text: str) -> None:
    document = parse(text.encode("utf-8", "replace"), uri="a.md")
    at = 0
    for link in document.links:
        assert at <= link.span.start < link.span.end <= len(document.text)
        at = link.span.start
        if link.resolved is not None:
            assert link.resolved.end <= len(document.text)


@settings(max_examples=500)
@given(st.binary(max_size=300), SUFFIXES)
def test_any_bytes_are_parsed_or_refused_as_binary(data: bytes, suffix: str) -> None:
    try:
        document = parse(data, uri="a" + suffix)
    except DocumentError as error:
        assert error.kind == "binary"
        return
    tiles(document)
    assert "\x00" not in document.text and "\r" not in document.text and "\ufeff" not in document.text


def test_every_document_of_the_corpora_tiles() -> None:
    count = 0
    for path in sorted((shared() / "eval" / "corpus").glob("*/*")):
        if media_type_for(path.name):
            document = parse(path.read_bytes(), uri=path.name)
            tiles(document)
            nested(document)
            count += 1
    assert count > 400
