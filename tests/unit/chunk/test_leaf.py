"""Leaves: what gets a vector."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from withgrain.chunk import LEAVES, LeafShape, chunk_document, leaves
from withgrain.model import Leaf
from withgrain.parse import parse
from withgrain.testing.markdown import documents
from withgrain.tokens import wordpiece


def leaves_of(text: str, window: int = 254, shape: LeafShape = LEAVES) -> list[Leaf]:
    """Return the leaves of all chunks of a Markdown text."""
    document = parse(text.encode(), uri="doc.md")
    tokenizer = wordpiece()
    chunks = chunk_document(document, tokenizer=tokenizer).chunks
    return [leaf for chunk in chunks for leaf in leaves(document, chunk, tokenizer, window, shape)]


def test_sentences_of_a_long_paragraph_share_a_leaf() -> None:
    """A paragraph over the leaf size is cut at sentences and packed, not one sentence a vector."""
    text = "# Pumps\n\n" + " ".join(f"Sentence number {i} says that the pump is off." for i in range(30))
    found = leaves_of(text)
    tokens = [wordpiece().count(leaf.text) for leaf in found]
    assert len(found) <= 5
    assert max(tokens) <= 124


def test_items_rows_and_labels() -> None:
    """Items and rows have leaves of their own unless they are very short; a label joins what it names."""
    items = "\n".join(
        f"- item {i} " + "says something of a dozen words so that it stands alone here " for i in range(4)
    )
    text = f"# A\n\nExample:\n\n{items}\n\n| Key | Meaning |\n|---|---|\n| a | the first of the keys in the table |\n"
    found = [leaf.text for leaf in leaves_of(text)]
    assert any(leaf.startswith("A\nExample:\n\n- item 0") for leaf in found)
    assert sum("- item" in leaf for leaf in found) == 4
    assert any("| Key | Meaning |" in leaf and "first of the keys" in leaf for leaf in found)


def test_path_in_front() -> None:
    """The last three headings stand in front of a leaf."""
    (leaf,) = leaves_of("# A\n\n## B\n\n### C\n\n#### D\n\nText.\n")
    assert leaf.text == "B > C > D\nText."


def test_the_title_stands_in_front_when_it_is_asked_for() -> None:
    """A title that the headings do not have comes first, and once; the default has it only where there are none."""
    text, titled = "---\ntitle: Pumps\n---\n\n## Seals\n\nReplace them.\n", LeafShape(title=True)
    assert leaves_of(text)[0].text == "Seals\nReplace them."
    assert leaves_of(text, shape=titled)[0].text == "Pumps > Seals\nReplace them."
    assert leaves_of("# Pumps\n\n## Seals\n\nReplace them.\n", shape=titled)[0].text == "Pumps > Seals\nReplace them."
    assert leaves_of("---\ntitle: Pumps\n---\n\nReplace them.\n")[0].text == "Pumps\nReplace them."


def test_larger_leaves_take_in_what_follows() -> None:
    """With a label as long as a leaf, blocks share leaves up to that size."""
    text = "# A\n\n" + "\n\n".join(
        f"Paragraph {n} says that the pump is off and must stay off until noon." for n in range(6)
    )
    assert len(leaves_of(text)) == 6
    assert len(leaves_of(text, shape=LeafShape(tokens=200, small=200, label=200))) == 1


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow])
@given(text=documents(8))
def test_leaves_hold_every_word_and_fit(text: str) -> None:
    """Together the leaves hold every word of the bodies; none is longer than the window; ids are distinct."""
    document = parse(text.encode(), uri="doc.md")
    tokenizer = wordpiece()
    for chunk in chunk_document(document, tokenizer=tokenizer).chunks:
        found = leaves(document, chunk, tokenizer, 40)
        assert len({leaf.id for leaf in found}) == len(found)
        assert chunk.span is not None
        covered = set()
        for leaf in found:
            assert leaf.span is not None
            assert chunk.span.contains(leaf.span)
            covered.update(range(leaf.span.start, leaf.span.end))
            assert tokenizer.count(leaf.text) <= 40 or len(leaf.span) <= 12
        rest = [document.text[i] for i in range(chunk.span.start, chunk.span.end) if i not in covered]
        assert not "".join(rest).strip()
