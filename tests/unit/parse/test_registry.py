"""The registry of formats, and the fast constructors."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from withgrain.errors import DocumentError
from withgrain.model import Block, Link, Span
from withgrain.parse import formats, media_type_for, parse
from withgrain.parse.build import make_block, make_heading, make_link, make_span


@pytest.mark.parametrize(
    ("path", "media_type"),
    [
        ("a/b.md", "text/markdown"),
        ("README.MARKDOWN", "text/markdown"),
        ("x.mdx", "text/mdx"),
        ("x.TXT", "text/plain"),
        ("x.text", "text/plain"),
        ("x.log", "text/x-log"),
        ("x.doc", None),
        ("Makefile", None),
    ],
)
def test_media_type_by_suffix(path: str, media_type: str | None) -> None:
    assert media_type_for(path) == media_type


def test_an_unknown_format_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(DocumentError, match=r"a\.xyz.*\.md") as raised:
        parse(b"x", uri="a.xyz")
    assert raised.value.kind == "unknown_format"
    with pytest.raises(DocumentError, match="application/x-none"):
        parse(b"x", uri="a.md", media_type="application/x-none")


def test_suffixes_are_unique_and_lower_case() -> None:
    suffixes = [suffix for entry in formats() for suffix in entry.suffixes]
    assert len(suffixes) == len(set(suffixes)) and all(s == s.lower() and s.startswith(".") for s in suffixes)


def test_source_is_passed_on() -> None:
    source = parse(b"x", uri="handbook/a.md", root="handbook", modified="2031-01-01T00:00:00Z").source
    assert (source.root, source.path, source.media_type, source.modified) == (
        "handbook",
        "a.md",
        "text/markdown",
        "2031-01-01T00:00:00Z",
    )


def test_fast_constructors_make_the_same_as_the_slow_ones() -> None:
    span = Span(start=1, end=5)
    assert make_span(1, 5) == span and hash(make_span(1, 5)) == hash(span)
    block = make_block("code", 1, 5, span, (), {"a": "b"}, "3")
    assert block == Block(kind="code", span=span, content=span, attrs={"a": "b"}, number="3")
    assert repr(block) == repr(Block(kind="code", span=span, content=span, attrs={"a": "b"}, number="3"))
    assert make_heading(1, 5, span, 2, "t", None, "t") == Block(
        kind="heading", span=span, content=span, level=2, anchor="t", attrs={"text": "t"}
    )
    assert make_link(1, 5, "x", "url") == Link(span=span, target="x", kind="url")
    with pytest.raises(FrozenInstanceError):
        block.kind = "html"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Dockerfile.dev", "text/x-dockerfile"),
        ("build/Dockerfile.shell.pass", "text/x-dockerfile"),
        ("Containerfile.arm64", "text/x-dockerfile"),
        ("nginx.conf.default", "text/x-nginx-conf"),
        (".env.production", "text/x-java-properties"),
        ("Dockerfile.md", "text/markdown"),
        ("readme.dev", None),
        ("Makefile.am", None),
    ],
)
def test_a_known_name_may_have_an_ending_of_its_own(name: str, kind: str | None) -> None:
    """`Dockerfile.dev` is a Dockerfile; an ending that says a format decides."""
    assert media_type_for(name) == kind
