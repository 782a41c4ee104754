"""The same blocks as markdown-it-py, an independent CommonMark parser, on 323 real documents."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

from tests.support import shared
from tests.unit.parse.support import doc
from withgrain.model import Block, Document

#: Ours, theirs, top level only.
KINDS = (
    ("heading", ("heading_open",), True),
    ("heading", ("heading_open",), False),
    ("code", ("fence", "code_block"), False),
    ("table", ("table_open",), False),
    ("list", ("bullet_list_open", "ordered_list_open"), True),
    ("list_item", ("list_item_open",), False),
    ("quote", ("blockquote_open",), False),
)
#: Bodies of admonitions that CommonMark takes for code or for text of the document.
INTENDED = {
    ("etcd__op-guide__configuration.md", "list"),
    ("ory__kratos__emails-sms__05_custom-email-templates.md", "list"),
    ("pd__during__during_an_incident.md", "code"),
    ("pd__oncall__whos_oncall.md", "code"),
}


def ours(document: Document, kind: str, *, top: bool) -> Counter[int]:
    """Return the lines at which blocks of a kind begin."""
    stack: list[Block] = list(document.blocks)
    lines: Counter[int] = Counter()
    while stack:
        block = stack.pop()
        if block.kind == kind:
            lines[document.text.count("\n", 0, block.span.start)] += 1
        if not top:
            stack.extend(block.children)
    return lines


def theirs(tokens: list[Token], types: tuple[str, ...], *, top: bool) -> Counter[int]:
    """Return the lines at which tokens of these types begin."""
    return Counter(
        token.map[0] for token in tokens if token.type in types and token.map and (not top or token.level == 0)
    )


def without_front_matter(document: Document) -> str:
    """Return the text with blank lines for its front matter."""
    end = next((block.span.end for block in document.blocks if block.kind == "front_matter"), 0)
    return "\n" * document.text.count("\n", 0, end) + document.text[end:]


def test_same_blocks_as_markdown_it() -> None:
    parser = MarkdownIt("commonmark").enable("table").enable("strikethrough").use(footnote_plugin)
    paths: list[Path] = sorted((shared() / "eval" / "corpus" / "techops").glob("*.md"))
    assert len(paths) == 323
    different: set[tuple[str, str]] = set()
    compared = 0
    for path in paths:
        document = doc(path.read_bytes())
        tokens = parser.parse(without_front_matter(document))
        for kind, types, top in KINDS:
            expected = theirs(tokens, types, top=top)
            compared += expected.total()
            if ours(document, kind, top=top) != expected:
                different.add((path.name, kind))
    assert different == INTENDED
    assert compared > 11_000
