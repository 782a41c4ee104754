"""Quotes that were copied from how a text looks: a rendered page, not its Markdown."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.unit.search.build import Doc, Text, collection
from withgrain.search import cite
from withgrain.search.quotes.places import Looks, find

HANDBOOK = sorted((Path(__file__).parents[3] / "examples" / "handbook").rglob("*.md"))
RENDERER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
BLOCKS = frozenset(["p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "pre", "blockquote", "table", "ul", "ol"])


class _Seen(HTMLParser):
    """The text of each block of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.parts.append("\0" if tag in BLOCKS else " " if tag in ("br", "td", "th") else "")

    def handle_endtag(self, tag: str) -> None:
        self.handle_starttag(tag, None)

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def seen(markdown: str) -> Iterator[str]:
    """Yield the blocks and sentences of a text as a browser shows them."""
    page = _Seen()
    page.feed(RENDERER.render(re.sub(r"\A---\n.*?\n---\n", "", markdown, flags=re.DOTALL)))
    for block in "".join(page.parts).split("\0"):
        for part in dict.fromkeys((block.strip(), *re.split(r"(?<=[.!?])\s+", block.strip()))):
            # Descriptions and boxes are beyond CommonMark: there its page is not what readers see.
            if any(c.isalnum() for c in part) and not re.search(r":::|^: |\n: ", part) and len(part) <= 2000:
                yield part


def typeset(text: str) -> str:
    """Return a text on one line, with typographic quotation marks."""
    return re.sub(r"\s+", " ", re.sub(r'"(?=\w)', "“", text).replace('"', "”").replace("'", "’"))


def altered(quote: str) -> Iterator[str]:
    """Yield a quote with another number, name or negation, each."""
    for digit in re.finditer(r"\d", quote):
        yield f"{quote[: digit.start()]}{(int(digit[0]) + 3) % 10}{quote[digit.end() :]}"
    for part in re.finditer(r"(?<!\d)\d+[.,]?(?=\d)", quote):
        yield quote[part.end() :]
        yield quote[: part.end()].rstrip(".,")
    for verb in re.finditer(r"\b(?:is|are|must|may|can|does|has|will)\b(?! not)", quote):
        yield f"{quote[: verb.end()]} not{quote[verb.end() :]}"
    for negation in re.finditer(r" not\b", quote):
        yield quote[: negation.start()] + quote[negation.end() :]
    for name in re.finditer(r"\b[A-Z][\w-]+", quote):
        yield f"{quote[: name.start()]}Xanadu{quote[name.end() :]}"


@pytest.mark.parametrize("path", HANDBOOK, ids=lambda p: p.stem)
def test_what_a_reader_sees_is_found(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    looks = Looks(text)
    lost = [q for part in seen(text) for q in (part, typeset(part)) if find(q, looks) is None]
    assert lost == []


@pytest.mark.parametrize("path", HANDBOOK[::6], ids=lambda p: p.stem)
def test_what_says_something_else_is_not_found(path: Path) -> None:
    """Another number, name or negation stands there only where it does, letter for letter."""
    text = path.read_text(encoding="utf-8")
    looks = Looks(text)
    wrong = [
        (quote, text[found.spans[0].start : found.spans[0].end])
        for part in seen(text)
        if len(part) < 300
        for quote in altered(part)
        if (found := find(quote, looks)) is not None and found.how != "exact"
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("from the token endpoint. Basic", "come from the [token endpoint](tokens.md). **Basic** is off"),
        ("the token endpoint (new)", "the [token endpoint](tokens.md#a(b) 'Tokens')(new)".replace(")(", ") (")),
        ("at https://status.example.com today", "Look at <https://status.example.com> today."),
        ("mail ops@example.com first", "Please mail <ops@example.com> first."),
        ("fhctl reset <user> now", "Call `fhctl reset <user>` now."),
        ("fhctl reset <user> now", "Call fhctl reset <user> now, **please**."),
        ("map<String, Int> holds", "A `map<String, Int>` holds it."),
        ("a map<String, Int> {", "```java\na map<String, Int> {\n```\n"),
        ("the dogs bark", "See the **dog**s bark."),
        ("the first point is", "See the [first point][ref] is.\n\n[ref]: https://example.org 'Title'\n"),
        ("the first point is", "See the [First point][] is.\n\n[first point]: x.md\n".replace("First", "first")),
        ("the first point is", "See the [first point] is.\n\n[First Point]: x.md\n"),
        ("point[1][2] is", "The value of point[1][2] **is** known."),
        ("a & b < c", "So a &amp; b &lt; c holds."),
        ("snake_case_name and _x", r"A snake\_case\_name and \_x."),
        ("2 * 3 * 4 is", "Here 2 * 3 * 4 **is** 24."),
        ("the word (here), said", "It is the _word_ (_here_), said ~~once~~."),
        ("before after", "Text before <!-- hidden --> after it."),
        ("one two", "Text one<br/>two it."),
        ("Press Ctrl+C now", "Press <kbd>Ctrl</kbd>+<kbd>C</kbd> now."),
        ("as shown.1 Then", "as shown.1 Then".replace(" ", "\n> ")),
        ("as shown. Then", "It is as shown.[^1] Then\n\n[^1]: A note.\n"),
        ("Heading two Text", "## Heading *two* ##\n\nText below.\n"),
        ("Heading Text", "Heading\n-------\n\nText below.\n"),
        ("an item another", "* an item\n* another\n"),
        ("1. an item 2. another", "1. an item\n2. another\n"),
        ("1. an item\n2. another", "1. an `item`\n1. another\n"),
        ("done open", "- [x] done\n- [ ] open\n"),
        ("Term Valid for 15 minutes", "Access Term\n: Valid for 15 minutes\n"),
        ("Term: Valid for 15 minutes", "Access Term\n\n:   Valid for *15* minutes\n"),
        ("never mind -- it", "But never mind — **it** works."),
        ("from 1–2 pages…", "Take from 1--2 *pages*... at most."),
        ("read the picture below", "Please read the ![icon](x.png)\n[picture](y.png) below."),
        ("a b c d", "| a | b |\n|---|---|\n| `c` | d |\n"),
        ("a b c d", "a | b\n--|--\n`c` | d\n"),
        ("a|b c", "| x |\n|---|\n| `a\\|b` c |\n"),
    ],
)
def test_kinds_of_marks(quote: str, text: str) -> None:
    found = find(quote, text)
    assert found is not None
    assert found.how in ("exact", "normalised")


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("5 hours of work", "It takes 15 hours of work."),
        ("5 hours of work", "It takes 1.5 hours of work."),
        ("5 degrees below", "It is -5 degrees below."),
        ("it takes 1", "it takes 15 hours"),
        ("it takes 1", "it takes 1,500 hours"),
        ("possible to delete", "It is impossible to delete."),
        ("compliant with it", "It is non-compliant with it."),
        ("users can", "So users can't delete."),
        ("USERKEY", "A USERKEY_OLD is kept."),
        ("cafe", "The cafe\u0301 is open."),
        ("3. Check it out", "1. Sign in\n2. Check it out\n"),
        ("1. Check it out", "Check it out"),
        ("see [it](b.md) there", "see [it](a.md) there"),
        ('<a href="b">it there</a>', '<a href="a">it there</a>'),
        ("value of x12 is", "value of x[1][2] is"),
        ("23 is 6", "2*3 is 6"),
        ("106 of them", "10<sup>6</sup> of them"),
        ("signin here", "sign in here"),
    ],
)
def test_what_is_no_quote(quote: str, text: str) -> None:
    """Parts of words and numbers, other numbers of items, other targets of links."""
    assert find(quote, text) is None


@pytest.mark.parametrize("marks", ['""', "“”", "„“", "«»", "''", "‘’", "``"])
def test_quotation_marks_around_a_quote_are_not_part_of_it(marks: str) -> None:
    text = "A legal hold suspends **every** period."
    found = find(f"{marks[0]}hold suspends every period{marks[1]}", text)
    assert found is not None
    assert found.spans[0].of(text) == "hold suspends **every** period"
    assert find(f"{marks[0]}hold suspends some period{marks[1]}", text) is None


def test_words_without_a_difference_are_no_near_text() -> None:
    kb = collection(
        [Doc(path="a.md", chunks=(Text(path=("A",), body="Access token\n: Valid for 15 minutes, no more."),))]
    )
    for quote in (
        "Access token : Valid for 15 minutes",
        "Access token: Valid for 15 minutes , no more",
        "Valid for 15",
    ):
        (found,) = cite(kb, quote)
        assert found.found in ("exact", "normalised")
    (found,) = cite(kb, "Access token: Valid for 25 minutes")
    assert found.found == "near"
    assert [(d.quote, d.document) for d in found.differences] == [("25", "15")]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Add 1/2 cups of sugar", "2 cups of sugar"),
        ("It costs 1\u00a0500 euros a month", "500 euros a month"),
        ("It costs 1\u202f500 euros a month", "500 euros a month"),
        ("It costs 1'500 francs a month", "500 francs a month"),
        ("It costs 1’500 francs a month", "It costs 1"),
        ("It costs 5\u00a0000 euros a month", "It costs 5"),
        ("Keep it at \u20135 degrees", "5 degrees"),
        ("Set t=-5 degrees", "5 degrees"),
        ("A rate of .5 percent", "5 percent"),
        ("A rate of ٥٫٣ percent", "A rate of ٥"),
        ("It is non\u2011refundable in all cases", "refundable in all cases"),
        ("It is in\u00advalid in all cases", "valid in all cases"),
        ("It is 1\u20605 hours long", "5 hours long"),
    ],
)
def test_a_part_of_a_number_or_a_word_is_no_quote(text: str, part: str) -> None:
    """However the number or the word is set: with hard spaces, dashes, signs that nobody sees."""
    assert find(part, text) is None
    assert find(text, text) is not None


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Connect to 10.0.0.1:8080 now", "Connect to 10.0.0.1"),
        ("The net 10.0.0.0/8 is ours", "The net 10.0.0.0"),
        ("Wait 5–10 days for it", "10 days for it"),
        ("It ended. 5 days passed", "5 days passed"),
        ("x\u00a0500 euros a month", "500 euros a month"),
    ],
)
def test_whole_numbers_are_quotes(text: str, part: str) -> None:
    found = find(part, text)
    assert found is not None
    assert found.how == "exact"


def test_an_item_has_no_number_that_its_list_does_not_reach() -> None:
    same, counted = "1. One step here\n1. Two step here\n", "1. One step here\n2. Two step here\n"
    assert find("2. Two step here", same) is not None
    assert find("1. One step here\n2. Two step here", same) is not None
    assert find("7. Two step here", same) is None
    assert find("2. One step here", counted) is None


SIGNS = [
    "`",
    "```",
    "~~~",
    "[",
    "](",
    ")",
    "][",
    "]",
    "<",
    ">",
    "<a",
    "&",
    ";",
    "*",
    "**",
    "_",
    "\\",
    "\n",
    "|",
    "-",
    "a",
    " ",
]


@given(
    st.lists(st.sampled_from(SIGNS), max_size=40).map("".join),
    st.lists(st.sampled_from(SIGNS), max_size=60).map("".join),
)
def test_places_are_inside_of_any_text(quote: str, text: str) -> None:
    found = find(quote, text)
    assert all(0 <= s.start < s.end <= len(text) for s in (found.spans if found else ()))


@pytest.mark.parametrize(
    "sign",
    [*SIGNS, "[a](", "<a ", "`` ` ", "*a _b ", "[^a", "<!--", "&#1", "⟦U+", "\u0301", "> ", "]: ", "a--", "~~~\n"],
)
def test_time_grows_with_the_text_alone(sign: str) -> None:
    """Marks that never end, tens of thousands of them, take no more than a few seconds."""
    start = time.process_time()
    find("one two", "one " + sign * 20_000 + " *two")
    find("a " + (sign * 1000)[:1900] + " b", "a " + sign * 10_000 + " *b")
    assert time.process_time() - start < 5


@pytest.mark.parametrize(("text", "quote"), [("a b ", "a [b](u)"), ("1. a\n", "9. a")])
def test_time_does_not_grow_with_the_places_of_what_is_left_out(text: str, quote: str) -> None:
    start = time.process_time()
    find(quote, text * 50_000)
    assert time.process_time() - start < 5
