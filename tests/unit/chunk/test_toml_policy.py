"""Policies in TOML: read, extended, refused with path and nearest name, written back whole."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import fields, replace

import pytest

from withgrain.chunk import POLICIES, STRUCTURE_AWARE, Policy, load_policies, load_policy, to_toml
from withgrain.chunk.toml_policy import values
from withgrain.errors import ConfigError


def _where(keys: tuple[str, ...]) -> str:
    return f"withgrain.toml:{len(keys)}"


def _tables(text: str) -> dict[str, Policy]:
    return {k: v.policy for k, v in load_policies(tomllib.loads(text)["policy"], _where).items()}


@pytest.mark.parametrize("name", sorted(POLICIES))
def test_what_is_written_is_read_again(name: str) -> None:
    """`to_toml` writes every value; `load_policy` reads the same policy, with the same fingerprint."""
    text = to_toml(POLICIES[name])
    again = load_policy(tomllib.loads(text)["policy"][name], name=name)
    assert again == POLICIES[name]
    assert again.fingerprint == POLICIES[name].fingerprint


def test_every_field_of_a_policy_can_be_written() -> None:
    """A policy is writable as TOML: no field without a key."""
    keys = {key.partition(".")[0] for key in values(STRUCTURE_AWARE)}
    assert keys == {f.name for f in fields(Policy)} - {"name", "classes", "signals"} | {"class"}


def test_a_table_says_only_what_is_different() -> None:
    """`extends`: everything else stays; budgets change size by size, class by class."""
    mine = _tables(
        """
        [policy.mine]
        extends = "structure_aware"
        merge = "siblings"
        merge_never = ["table", "code"]
        bonds = ["list", "table"]
        overlap_at = ["sentence"]
        prefix = false
        table_mode = "records"
        budget.max = 500
        [policy.mine.class.sop]
        max = 400
        [policy.mine.class.default]
        """.replace("[policy.mine.class.default]", "")
    )["mine"]
    assert mine == replace(
        STRUCTURE_AWARE,
        name="mine",
        merge="siblings",
        merge_never=("table", "code"),
        bonds=("list", "table"),
        overlap_at=("sentence",),
        prefix=False,
        table_mode="records",
        budget=replace(STRUCTURE_AWARE.budget, maximum=500),
        classes=tuple((n, replace(b, maximum=400) if n == "sop" else b) for n, b in STRUCTURE_AWARE.classes),
    )


def test_a_class_that_the_base_does_not_have_begins_with_its_budget() -> None:
    """A new class takes the base's budget and changes it."""
    mine = load_policy({"extends": "token_only", "class": {"sop": {"target": 100}}}, name="mine")
    assert mine.budget_for("sop") == replace(POLICIES["token_only"].budget, target=100)
    assert mine.budget_for("faq") == POLICIES["token_only"].budget


def test_policies_extend_each_other_in_any_order() -> None:
    """`extends` may name a policy that is written below; the last in the chain is built in."""
    both = _tables("[policy.a]\nextends = 'b'\neven = false\n[policy.b]\nextends = 'page'\nmerge = 'siblings'\n")
    assert (both["a"].merge, both["a"].regions, both["a"].even) == ("siblings", "page", False)


def test_origins_say_where_each_value_is_written() -> None:
    """Each value is built in or comes from a place in the file, through `extends` as well."""
    tables = {"a": {"extends": "b", "even": False}, "b": {"budget": {"max": 400}, "class": {"json": {"min": 1}}}}
    origins = load_policies(tables, lambda keys: "file: " + ".".join(keys))["a"].origins
    assert origins["even"] == "file: a.even"
    assert origins["budget.max"] == "file: b.budget.max"
    assert origins["class.json.min"] == "file: b.class.json.min"
    assert origins["class.json.max"] == "built in"
    assert set(origins) == set(values(STRUCTURE_AWARE))


REFUSED: dict[str, tuple[str, str]] = {
    "unknown key": ("[policy.a]\nmerg = 'never'", r"policy\.a\.merg: there is no key 'merg'\. Did you mean merge\?"),
    "unknown size": ("[policy.a.budget]\nmaximum = 3", r"policy\.a\.budget\.maximum.*Did you mean max\?"),
    "unknown class": ("[policy.a.class.sopp]\nmax = 3", r"policy\.a\.class\.sopp: there is no class.*mean sop\?"),
    "unknown base": ("[policy.a]\nextends = 'fixd'", r"policy\.a\.extends: .*Did you mean fixed\?"),
    "wrong type": ("[policy.a]\nprefix = 'yes'", r"policy\.a\.prefix is 'yes'; it must be true or false"),
    "wrong choice": ("[policy.a]\nmerge = 'all'", r"policy\.a\.merge is 'all'; it must be one of never, siblings"),
    "wrong kind": ("[policy.a]\nbonds = ['tabel']", r"policy\.a\.bonds is .* a list of paragraph"),
    "wrong boundary": ("[policy.a]\noverlap_at = ['end']", r"policy\.a\.overlap_at"),
    "negative": ("[policy.a.budget]\nmin = -1", r"policy\.a\.budget\.min is -1"),
    "no number": ("[policy.a.budget]\nmin = true", r"policy\.a\.budget\.min is True"),
    "no table": ("[policy]\na = 'x'", r"policy\.a is 'x'; it must be a table"),
    "budget no table": ("[policy.a]\nbudget = 3", r"policy\.a\.budget is 3; it must be a table"),
    "built in": ("[policy.fixed]\neven = true", r"policy\.fixed is built in .*extends"),
    "bad name": ("[policy.use]\neven = true", r"'use' is no name for a policy"),
    "circle": ("[policy.a]\nextends='b'\n[policy.b]\nextends='a'", r"extend each other: a, b"),
    "contradiction": ("[policy.a.budget]\ntarget = 900", r"withgrain\.toml:1: policy a, class default: target 900"),
    "percentile": ("[policy.a]\ntopics = 101", r"a percentile is between 0 and 100"),
    "small parent": ("[policy.a]\nparent = 100", r"parent of 100 tokens is smaller than its children"),
}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_mistake_is_refused_with_its_path(name: str) -> None:
    """An unknown key is an error with its path and the nearest name; so is every wrong value."""
    text, message = REFUSED[name]
    with pytest.raises(ConfigError, match=message):
        _tables(text)


def test_any_change_is_another_fingerprint() -> None:
    """Versions and fingerprints: two policies of other values are told apart."""
    changes: list[Callable[[Policy], Policy]] = [
        lambda p: replace(p, name="other"),
        lambda p: replace(p, version="2"),
        lambda p: replace(p, topics=50),
        lambda p: replace(p, merge_never=("table",)),
        lambda p: replace(p, table_mode="records"),
    ]
    assert len({STRUCTURE_AWARE.fingerprint, *(c(STRUCTURE_AWARE).fingerprint for c in changes)}) == 6


def test_a_size_of_ones_own_is_not_overruled_by_an_inherited_one() -> None:
    """Only what is different is written: a target holds everywhere, and a smaller maximum bounds what stays whole."""
    mine = load_policy({"extends": "structure_aware", "class": {"sop": {"max": 300}}, "budget": {"target": 200}})
    assert (mine.budget.target, mine.budget.tables) == (200, 0)
    assert mine.budget_for("sop").whole == 300
    given = load_policy({"budget": {"target": 200, "whole": 250, "tables": 90}}).budget
    assert (given.whole, given.tables) == (250, 90)
