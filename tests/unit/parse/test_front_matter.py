"""Front matter."""

from __future__ import annotations

import json

import pytest

from tests.unit.parse.support import doc, headings, kinds


def test_yaml_becomes_metadata_with_json_able_values() -> None:
    document = doc("---\ntitle: A\ndate: 2031-01-02\ntags: [x, y]\nn: {a: 1.5, b: null}\non: yes\n---\n# H\n")
    assert document.meta == {
        "title": "A",
        "date": "2031-01-02",
        "tags": ["x", "y"],
        "n": {"a": 1.5, "b": None},
        "true": True,
    }
    assert json.loads(json.dumps(document.meta)) == document.meta
    assert kinds(document) == ["front_matter", "heading"]


def test_toml_becomes_metadata() -> None:
    document = doc('+++\ntitle = "Kiln"\nweight = 3\nday = 2031-01-02T03:04:05Z\n[a]\nb = [1]\n+++\nx\n')
    assert document.meta == {"title": "Kiln", "weight": 3, "day": "2031-01-02T03:04:05+00:00", "a": {"b": [1]}}


@pytest.mark.parametrize(
    "text",
    [
        "---\n\n# After a rule\n\nKey: value\n",
        "---\n\nJust prose.\n\n---\n",
        "text\n---\na: b\n---\n",
        "---\n- a\n- b\n---\n",
    ],
)
def test_a_rule_is_no_front_matter(text: str) -> None:
    document = doc(text)
    assert document.meta == {} and "front_matter" not in kinds(document)
    assert document.notices == ()


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: a: b\nx: [\n---\n# H\n",
        "+++\ntitle = \n+++\n# H\n",
        "---\na: " + "[" * 5_000 + "\n---\n# H\n",
        "---\n" + "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
            f"{b}: &{b} [{','.join(['*' + a] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
        ) + "---\n# H\n",
    ],
)  # fmt: skip
def test_malformed_front_matter_stays_content_and_says_so(text: str) -> None:
    document = doc(text)
    assert document.meta == {}
    assert [notice.kind for notice in document.notices] == ["front_matter_malformed"]
    assert headings(document) == [(1, "H")]
    assert kinds(document) == ["rule", "paragraph", "rule", "heading"]


def test_front_matter_behind_a_byte_order_mark_with_windows_newlines() -> None:
    assert doc(b"\xef\xbb\xbf---\r\ntitle: A\r\n---\r\nx\r\n").meta == {"title": "A"}


def test_data_of_a_megabyte_is_not_metadata() -> None:
    assert doc("---\n" + "a: b\n" * 200_000 + "---\n").meta == {}


def test_a_json_object_becomes_metadata() -> None:
    """As Hugo has it: the object's braces stand alone on their lines, the first of them is the first of the file."""
    document = doc('{\n  "title": "Kiln",\n  "tags": ["a", "}"],\n  "o": {\n    "n": 1\n  }\n}\n# H\n')
    assert document.meta == {"title": "Kiln", "tags": ["a", "}"], "o": {"n": 1}}
    assert kinds(document) == ["front_matter", "heading"]


@pytest.mark.parametrize("text", ["{note} x\n", '{\n  "a": 1\n}\n', "{\n  x\n}\ny\n", '{"a": 1}\n\ny\n'])
def test_other_braces_stay_content(text: str) -> None:
    """Text in braces, and a page that is nothing but an object, are content."""
    document = doc(text)
    assert document.meta == {} and "front_matter" not in kinds(document)


def test_malformed_json_stays_content_and_says_so() -> None:
    document = doc('{\n  "a": [1,\n}\n\ny\n')
    assert document.meta == {}
    assert [notice.kind for notice in document.notices] == ["front_matter_malformed"]


@pytest.mark.parametrize(
    "text",
    [
        "---\nn: 0x" + "f" * 10_000 + "\n---\nx\n",
        "---\nn: " + ":".join(["1"] * 5_000) + "\n---\nx\n",
        "+++\nn = 0x" + "f" * 10_000 + "\n+++\nx\n",
    ],
)
def test_numbers_of_thousands_of_digits_stay_writable(text: str) -> None:
    """Metadata is JSON-able: a number that no reader of JSON takes (Python stops at 4300 digits) becomes a text."""
    document = doc(text)
    assert kinds(document)[0] == "front_matter"
    assert json.loads(json.dumps(document.meta)) == document.meta
