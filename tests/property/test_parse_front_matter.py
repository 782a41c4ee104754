"""The fast reader of simple front matter means what YAML means, or leaves it to YAML."""

from __future__ import annotations

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from withgrain.parse.markdown.front_matter import _read_simple_yaml

SIGNS = st.sampled_from(list("abYNo0179 ':\"#-_,.!?&*%@/[]{}|>~=+`\\\té’日\u0085\u2028"))
WORDS = st.sampled_from(
    ["yes", "No", "null", "~", "1.5", "2031-01-02", "12:30", "0x1f", "1_000", ".inf", "it's", "/a/b"]
)
VALUE = st.lists(SIGNS | WORDS, max_size=8).map("".join)
QUOTED = VALUE.map(lambda text: f'"{text}"') | VALUE.map(lambda text: f"'{text}'")
KEY = st.sampled_from(["title", "a-b", "on", "Yes", "_x", "weight", "x1"])
LINE = st.builds("{}: {}".format, KEY, VALUE | QUOTED | WORDS | st.integers(0, 10**9).map(str))


@settings(max_examples=3000)
@given(st.lists(LINE, min_size=1, max_size=3))
def test_simple_front_matter_means_what_yaml_says(lines: list[str]) -> None:
    text = "\n".join(lines) + "\n"
    found = _read_simple_yaml(text)
    if found is not None:
        assert found == yaml.safe_load(text)


def test_it_reads_the_usual_lines() -> None:
    text = 'title: Rotate the key\nweight: 30\nowner: "a: b"\npath: /x/y\nwhy: etcd\'s way\n'
    assert _read_simple_yaml(text) == {
        "title": "Rotate the key",
        "weight": 30,
        "owner": "a: b",
        "path": "/x/y",
        "why": "etcd's way",
    }
