"""Constructs beyond CommonMark: admonitions, tabs, shortcodes, math, MDX, HTML containers."""

from __future__ import annotations

import pytest

from tests.unit.parse.support import doc, every, headings, kinds, one


@pytest.mark.parametrize(
    ("text", "kind", "title"),
    [
        ("::: warning\nHot.\n\nVery.\n:::\n", "warning", ""),
        (":::note[Read this]\nHot.\n\nVery.\n:::\n", "note", "Read this"),
        ("::: {.tip}\nHot.\n\nVery.\n:::\n", "tip", ""),
        (":::{danger} Mind\nHot.\n\nVery.\n:::\n", "danger", "Mind"),
        ('!!! note "Second"\n    Hot.\n\n    Very.\n', "note", "Second"),
        ("??? tip\n\n    Hot.\n\n\tVery.\n", "tip", ""),
        ('=== "Linux"\n\n    Hot.\n\n    Very.\n', "tab", "Linux"),
        ('{{% alert title="Mind" color="x" %}}\nHot.\n\nVery.\n{{% /alert %}}\n', "alert", "Mind"),
        ("{{< warning >}}\nHot.\n\nVery.\n{{< /warning >}}\n", "warning", ""),
    ],
)
def test_admonitions_are_one_block_with_their_blocks_inside(text: str, kind: str, title: str) -> None:
    document = doc(f"before\n{text}after\n")
    assert kinds(document) == ["paragraph", "admonition", "paragraph"]
    block = one(document, "admonition")
    assert block.attrs == {"type": kind, "title": title}
    assert block.span.of(document.text) == text
    assert [child.span.of(document.text).strip() for child in block.children] == ["Hot.", "Very."]


def test_headings_in_an_admonition_are_not_sections() -> None:
    document = doc("# T\n\n!!! note\n    # not a title\n\n::: tip\n## nor this\n:::\n\nend\n")
    assert headings(document) == [(1, "T")]


def test_a_container_that_is_no_admonition_leaves_its_headings_to_the_document() -> None:
    document = doc("::: {.section}\n## Real\ntext\n:::\n")
    assert headings(document) == [(2, "Real")]
    assert kinds(document) == ["html", "heading", "paragraph", "html"]


def test_admonitions_nest() -> None:
    outer, inner = every(doc(":::: info\na\n\n::: tip\nb\n:::\n\n::::\n"), "admonition")
    assert (outer.attrs["type"], inner.attrs["type"]) == ("info", "tip")
    assert inner in outer.children


def test_markers_in_code_and_without_an_end_are_text() -> None:
    assert kinds(doc("```\n::: note\nx\n:::\n```\n")) == ["code"]
    assert kinds(doc("::: note\nnever closed\n")) == ["paragraph"]
    assert kinds(doc("!!! note\nno body\n")) == ["paragraph"]


def test_an_admonition_in_a_list_item_does_not_cut_the_list() -> None:
    document = doc("1. a\n\n   :::tip\n\n   Use b.\n\n   :::\n\n2. c\n\n   !!! note\n       d\n")
    assert kinds(document) == ["list"]
    assert [block.attrs["type"] for block in every(document, "admonition")] == ["tip", "note"]


def test_indented_bodies_are_read_without_their_indentation() -> None:
    document = doc("!!! note\n    - a\n\n        deeper\n\n    ```sh\n    # x\n    ```\n")
    assert [child.kind for child in one(document, "admonition").children] == ["list", "code"]
    code = one(document, "code")
    assert code.content is not None and code.content.of(document.text) == "    # x\n"


@pytest.mark.parametrize(
    "text",
    [
        "$$\na\n% # b\n\nc\n$$\n",
        "\\[\na = b\n\n# c\n\\]\n",
        "$$ E = mc^2 $$\n",
        "\\[ x_1 = 2 \\]\n",
        "$$\nx\n$$ {#eq:one}\n",
    ],
)
def test_display_math_is_one_block(text: str) -> None:
    document = doc(f"The loss is\n\n{text}\nwhere\n")
    assert kinds(document) == ["paragraph", "math", "paragraph"]
    assert one(document, "math").span.of(document.text) == text


@pytest.mark.parametrize("text", ["$$ is the pid\n\nlater $$ again\n", "\\[not a link\\]\n", "costs $5 or $6\n"])
def test_what_is_no_math(text: str) -> None:
    assert "math" not in kinds(doc(text))


def test_mdx() -> None:
    text = (
        "import { A } from 'b'\n\nexport const x = {\n  a: 1,\n}\n\n# T\n\n<A n={x > 1}>\n  <B\n    t=\"# no\"\n  >\n\n"
        "      Text.\n\n      ```sh\n      # c\n      ```\n\n  </B>\n</A>\n\n{/* ## hidden\n */}\n\n## Next\n"
    )
    document = doc(text, ".mdx")
    assert kinds(document) == [
        "html", "html", "heading", "html", "html", "paragraph", "code", "html", "html", "comment", "heading",
    ]  # fmt: skip
    assert [block.attrs["tag"] for block in every(document, "html")] == ["import", "export", "A", "B", "B", "A"]
    assert headings(document) == [(1, "T"), (2, "Next")]


def test_prose_that_begins_like_mdx_is_prose() -> None:
    assert kinds(doc("import the data first\n\nexport your keys\n\n<A>text</A>\n", ".mdx")) == ["paragraph"] * 3


def test_details_is_one_block_with_its_summary() -> None:
    document = doc("<details>\n<summary>More <b>x</b></summary>\n\nHidden.\n\n- a\n\n</details>\n\nend\n")
    assert kinds(document) == ["admonition", "paragraph"]
    assert one(document, "admonition").attrs == {"type": "details", "title": "More x"}


def test_details_with_headings_stay_open() -> None:
    assert headings(doc("<details>\n\n## In\n\ntext\n\n</details>\n")) == [(2, "In")]


def test_a_table_of_html_is_one_block_over_blank_lines() -> None:
    document = doc("<table>\n\n<tr>\n    <td>a</td>\n\n    <td>b</td>\n</tr>\n\n</table>\n\nend\n")
    assert kinds(document) == ["html", "paragraph"]


def test_mermaid_is_code() -> None:
    document = doc("```mermaid\nA -->|yes| B\n%% # c\n```\n")
    assert document.blocks[0].attrs["language"] == "mermaid"
