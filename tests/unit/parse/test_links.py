"""References and what they resolve to."""

from __future__ import annotations

from tests.unit.parse.support import doc
from withgrain.model import Document


def found(document: Document) -> list[tuple[str, str, str | None]]:
    """Return kind, target and the first line of what each reference resolves to."""
    return [
        (
            link.kind,
            link.target,
            link.resolved.of(document.text).splitlines()[0] if link.resolved is not None else None,
        )
        for link in document.links
    ]


def test_urls_relative_links_and_anchors() -> None:
    document = doc(
        "# Set up\n\n[a](https://x.y/ü?q=1) [b](../c.md#d) [e](#set-up) [f](#none) <mailto:g@h.i> ![j](k.png) [r]\n\n"
        "[r]: https://ref.example\n"
    )
    assert found(document) == [
        ("url", "https://x.y/ü?q=1", None),
        ("relative", "../c.md#d", None),
        ("anchor", "#set-up", "# Set up"),
        ("anchor", "#none", None),
        ("url", "mailto:g@h.i", None),
        ("relative", "k.png", None),
        ("url", "https://ref.example", None),
    ]


def test_bare_urls_but_not_in_code() -> None:
    document = doc("See https://a.b/c(d), (http://e.f). `http://no.code` x\n\n```\nhttp://nor.here\n```\n")
    assert found(document) == [("url", "https://a.b/c(d)", None), ("url", "http://e.f", None)]


def test_explicit_anchors() -> None:
    document = doc('## A {#own}\n\n<a id="spot"></a> text\n\n[x](#own) [y](#spot)\n')
    assert [place for _, _, place in found(document)] == ["## A {#own}", '<a id="spot"></a> text']


def test_footnote_references() -> None:
    document = doc("One[^a] two[^b].\n\n[^a]: Note A.\n[^b]: Note B, see[^a].\n")
    assert found(document) == [
        ("footnote", "a", "[^a]: Note A."),
        ("footnote", "b", "[^b]: Note B, see[^a]."),
        ("footnote", "a", "[^a]: Note A."),
    ]


def test_cross_references_resolve_by_number() -> None:
    document = doc(
        "# 4 Rules\n\n## 4.2 Retention\n\nAs in section 4.3 and Appendix B.\n\n## 4.3 Holds\n\n1. Stop.\n2. Wait.\n\n"
        "Repeat step 2. See § 4.2, clause 9.\n\n## Appendix B\n\n`section 4.2` in code is none.\n"
    )
    assert found(document)[:5] == [
        ("section", "4.3", "## 4.3 Holds"),
        ("section", "B", "## Appendix B"),
        ("section", "2", "2. Wait."),
        ("section", "4.2", "## 4.2 Retention"),
        ("section", "9", None),
    ]


def test_a_heading_is_no_reference_to_itself() -> None:
    assert found(doc("## Step 3: Restart\n\nIn Step 3 wait.\n")) == [("section", "3", "## Step 3: Restart")]


def test_references_keep_their_place_in_the_body_of_an_admonition() -> None:
    document = doc("a\n\n!!! note\n    See [x](y.md).\n")
    assert document.links[0].span.of(document.text) == "[x](y.md)"
