"""Hypothesis strategies for Markdown: a small grammar that nests, mixes and malforms on purpose. Needs `hypothesis`."""

from __future__ import annotations

from hypothesis import strategies as st

_WORDS = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "reset",
    "the",
    "user",
    "account",
    "before",
    "you",
    "rotate",
    "key",
    "statuskey=1",
    "USERKEY",
    "AADSTS50011",
    "/api/v1/users/{id}",
    "--force",
    "ROLE_ADMIN",
    "e.g.",
    "approx.",
    "4.2",
    "naïve",
    "Ünïcode",
    "日本語",
    "नमस्ते",
    "👩\u200d👩\u200d👧\u200d👦",
    "🇳🇴",
    "**bold**",
    "`code`",
    "[link](other.md#part)",
    "a_b_c",
    "x=1",
    "#",
    "#tag",
    "|",
    ">",
    "-",
    "*",
    "1.",
    "```",
    "~~~",
    "$x$",
    "<b>",
    "&amp;",
    "\\#",
    "@@OKTA:USERS",
]


def words(most: int = 40) -> st.SearchStrategy[str]:
    """Return prose of up to ``most`` words, sometimes with sentences."""
    word = st.sampled_from(_WORDS)
    ends = st.sampled_from(["", ".", "?", ":", ","])
    return st.lists(st.tuples(word, ends), min_size=1, max_size=most).map(
        lambda pairs: " ".join(w + e for w, e in pairs)
    )


def paragraphs() -> st.SearchStrategy[str]:
    """Return one paragraph of one to four lines."""
    return st.lists(words(30), min_size=1, max_size=4).map("\n".join)


def headings() -> st.SearchStrategy[str]:
    """Return an ATX or setext heading."""
    atx = st.builds(
        lambda level, text, close: f"{'#' * level} {text}{close}",
        st.integers(1, 6),
        words(6),
        st.sampled_from(["", " #", " ###", " {#anchor}"]),
    )
    setext = st.builds(lambda text, mark: f"{text}\n{mark * 5}", words(4), st.sampled_from("=-"))
    return st.one_of(atx, atx, setext)


def code_blocks() -> st.SearchStrategy[str]:
    """Return a fenced block, sometimes unclosed, or an indented one."""
    line = st.sampled_from(["# not a heading", "", "def f(x):", "    return x", "| a | b |", "```", "SELECT 1;", "- x"])
    lines = st.lists(line, max_size=30)
    fenced = st.builds(
        lambda mark, info, body, close: "\n".join([mark + info, *body, *([mark] if close else [])]),
        st.sampled_from(["```", "~~~", "````"]),
        st.sampled_from(["", "python", "yaml title=x"]),
        lines,
        st.sampled_from([True, True, True, False]),
    )
    indented = lines.map(lambda body: "\n".join("    " + text for text in body))
    return st.one_of(fenced, fenced, indented)


def tables() -> st.SearchStrategy[str]:
    """Return a table of two to four columns; some rows are ragged."""

    def build(columns: int, rows: list[list[str]]) -> str:
        head = "| " + " | ".join(f"col{i}" for i in range(columns)) + " |"
        rule = "|" + "---|" * columns
        body = ["| " + " | ".join((row * columns)[: max(1, columns - len(row) % 2)]) + " |" for row in rows]
        return "\n".join([head, rule, *body])

    cell = words(12).map(lambda text: text.replace("|", "\\|"))
    return st.builds(build, st.integers(2, 4), st.lists(st.lists(cell, min_size=1, max_size=2), max_size=25))


def lists(depth: int = 2) -> st.SearchStrategy[str]:
    """Return a bullet or numbered list, nested up to ``depth``, tight or loose, with code inside sometimes."""
    item = words(25)
    if depth:
        inner = st.one_of(lists(depth - 1), code_blocks(), paragraphs())
        item = st.one_of(item, st.builds(lambda text, block: f"{text}\n\n{block}", item, inner))

    def build(items: list[str], mark: str, loose: bool) -> str:
        lines = []
        for number, text in enumerate(items, 1):
            marker = f"{number}. " if mark == "1" else f"{mark} "
            lines.append(marker + text.replace("\n", "\n" + " " * len(marker)))
        return ("\n\n" if loose else "\n").join(lines)

    return st.builds(build, st.lists(item, min_size=1, max_size=12), st.sampled_from("1-*+"), st.booleans())


def odd_blocks() -> st.SearchStrategy[str]:
    """Return the rarer blocks: quotes, admonitions, comments, definitions, math, HTML, rules, footnotes."""
    quote = st.one_of(paragraphs(), lists(1), code_blocks()).map(lambda t: "> " + t.replace("\n", "\n> "))
    return st.one_of(
        quote,
        paragraphs().map(lambda t: "> [!WARNING]\n> " + t.replace("\n", "\n> ")),
        paragraphs().map(lambda t: f"::: note\n{t}\n:::"),
        paragraphs().map(lambda t: "!!! danger\n    " + t.replace("\n", "\n    ")),
        words(8).map(lambda t: f"<!-- {t} -->"),
        words(8).map(lambda t: f"Term\n: {t}"),
        words(8).map(lambda t: f"$$\n{t}\n\n# x\n$$"),
        words(8).map(lambda t: f"<div>\n{t}\n</div>"),
        words(8).map(lambda t: f"[^note]: {t}"),
        st.sampled_from(["---", "***", "[label]: https://example.com/a 'Title'", "<details>", "</details>", "\ttab"]),
    )


def blocks() -> st.SearchStrategy[str]:
    """Return one block of any kind."""
    return st.one_of(headings(), paragraphs(), lists(), tables(), code_blocks(), odd_blocks())


def documents(most: int = 14) -> st.SearchStrategy[str]:
    """Return a Markdown document: front matter sometimes, blocks, any of the usual line ends."""
    front = st.sampled_from(["", "", "---\ntitle: A title\ndomain: okta\n---\n", "---\nnot: [closed\n---\n"])
    gap = st.sampled_from(["\n\n", "\n\n", "\n", "\n\n\n"])

    def build(head: str, parts: list[tuple[str, str]], newline: str) -> str:
        return (head + "".join(block + space for block, space in parts)).replace("\n", newline)

    return st.builds(
        build,
        front,
        st.lists(st.tuples(blocks(), gap), min_size=1, max_size=most),
        st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"]),
    )
