"""What TypeScript has and its grammar does not know is read all the same."""

from __future__ import annotations

import pytest

from withgrain.model import sections
from withgrain.parse import parse

UNREAD = {
    "a type of an imported file": "export type Shown = import('./user').User<string>;\n",
    "the same in double quotes, in a class": 'class Desk {\n  seen: import("./user").User<Desk>[] = [];\n}\n',
    "global names inside of a module": 'declare module "desk" {\n  global {\n    interface Lamp { on: 1 }\n  }\n}\n',
}


@pytest.mark.parametrize("text", UNREAD.values(), ids=UNREAD)
@pytest.mark.parametrize("uri", ["a.ts", "a.tsx"])
def test_what_the_grammar_does_not_know_is_read(text: str, uri: str) -> None:
    """Code by syntax tree: ``import("…").Name<T>`` and ``global {`` hide nothing of what stands behind them."""
    document = parse((text + "export function after(): void {}\n").encode(), uri=uri)
    assert document.notices == ()
    assert ("after",) in [section.path for section in sections(document)]
    assert document.text == text + "export function after(): void {}\n"


def test_what_is_wrong_is_still_named() -> None:
    """A file that is no TypeScript says so."""
    document = parse(b"export type = = import('x').Y<;\n", uri="a.ts")
    assert [notice.kind for notice in document.notices] == ["parse_failed"]
