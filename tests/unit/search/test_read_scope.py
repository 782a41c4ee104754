"""A scope that was given always binds something, and is written alike in Python, on the command line and for agents."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import withgrain
from tests.unit.search.build import collection
from tests.unit.search.test_scoped import DOCS
from withgrain.cli import application
from withgrain.errors import UsageError
from withgrain.model import And, Compare, Filter, Not, Or
from withgrain.search.filters import read_scope
from withgrain.search.scoped import scoped

LABEL = Compare(field="labels", operator="contains", value="tenant=a")
EMPTY: list[Any] = ["", " ", "\t", [], (), [""], ["tenant=a", ""], And(parts=()), Not(part=Or(parts=()))]


def test_a_name_that_is_no_field_is_a_label() -> None:
    assert read_scope("tenant=a") == read_scope(["tenant = a"]) == read_scope("tenant == 'a'") == LABEL
    spaced = Compare(field="labels", operator="contains", value="owner=Jane Doe")
    assert read_scope('owner="Jane Doe"') == spaced
    assert read_scope("path=a.md") == Compare(field="document", operator="eq", value="a.md")
    assert isinstance(read_scope(["tenant=a", "class=sop"]), And)


@pytest.mark.parametrize("scope", EMPTY)
def test_an_empty_scope_is_refused_wherever_it_is_given(scope: Any, tmp_path: Path) -> None:
    """An easy slip of a program, a computed list, must not open everything."""
    with pytest.raises(UsageError, match=r"scope|filter is empty"):
        withgrain.open(tmp_path, scope=scope)
    with pytest.raises(UsageError):
        withgrain.Library(tmp_path, scope=scope)
    if isinstance(scope, And | Or | Not):
        with pytest.raises(UsageError):
            scoped(collection(DOCS), scope)


def _holding_nothing() -> st.SearchStrategy[Filter]:
    empty = st.sampled_from([And(parts=()), Or(parts=())])
    return st.recursive(
        empty,
        lambda inner: st.one_of(
            inner.map(lambda f: Not(part=f)),
            st.lists(st.one_of(inner, st.just(LABEL)), max_size=3).map(lambda fs: And(parts=tuple(fs))),
            st.lists(st.one_of(inner, st.just(LABEL)), max_size=3).map(lambda fs: Or(parts=tuple(fs))),
        ),
        max_leaves=6,
    )


@given(_holding_nothing())
def test_no_tree_that_is_true_for_everything_is_a_scope(scope: Filter) -> None:
    """Whatever is true without a comparison has an empty group somewhere: that is what is looked for."""
    try:
        accepted = read_scope(scope)
    except UsageError:
        return
    assert _decided(accepted) is None


def _decided(part: Filter) -> bool | None:
    """Return what a filter is for every chunk; None where that depends on a comparison."""
    if isinstance(part, Compare):
        return None
    if isinstance(part, Not):
        inner = _decided(part.part)
        return None if inner is None else not inner
    values = [_decided(p) for p in part.parts]
    ends = isinstance(part, Or)
    if ends in values:
        return ends
    return None if None in values else not ends


def test_the_three_interfaces_mean_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    from withgrain.mcp.collections import Collections, States

    for tenant in "ab":
        (tmp_path / "docs" / tenant).mkdir(parents=True)
        (tmp_path / "docs" / tenant / "x.md").write_text(f"# X\n\nThe marmot of {tenant} is here.\n")
    monkeypatch.chdir(tmp_path)
    rules = [(f"{tenant}/", f"tenant={tenant}") for tenant in "ab"]
    withgrain.open("kb", embedder="none").ingest("docs", label_rules=rules)

    inside = withgrain.open("kb", scope="tenant=a", embedder="none").search("marmot")
    monkeypatch.setattr(sys, "argv", ["withgrain", "search", "marmot", "-c", "kb", "--scope", "tenant=a", "--json"])
    with pytest.raises(SystemExit) as ended:
        application.main()
    assert not ended.value.code
    told = json.loads(capsys.readouterr().out)["hits"]
    served = Collections(States({"kb": tmp_path / "kb"}, embedder="none"), scope=read_scope(["tenant=a"]))
    (view,) = served.views()
    found = view.library.search("marmot")
    assert [h.citation.document for h in inside.hits] == [h["document"] for h in told] == ["a/x.md"]
    assert [h.citation.document for h in found.hits] == ["a/x.md"]


@pytest.mark.parametrize("command", ["search", "mcp"])
def test_an_empty_scope_on_the_command_line_is_an_error(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kb").mkdir()
    words = ["marmot"] if command == "search" else []
    monkeypatch.setattr(sys, "argv", ["withgrain", command, *words, "-c", "kb", "--scope", ""])
    with pytest.raises(SystemExit) as ended:
        application.main()
    assert ended.value.code == 2
