"""Profiles: vocabularies as data that users can add."""

from __future__ import annotations

import pytest

from withgrain.errors import ConfigError
from withgrain.signals import compile_vocabulary, detect, read_profile, shipped_profile
from withgrain.signals.vocabulary import inflect_verb, plural

WAREHOUSE = """
name = "warehouse"
version = "1"
[operations]
ship = ["dispatch", "send out"]
[entities]
pallet = ["skid"]
"""


def test_a_user_adds_a_vocabulary() -> None:
    """A profile is data: its words are found in all forms and under their canonical names."""
    vocabulary = compile_vocabulary(shipped_profile("iam"), read_profile(WAREHOUSE))
    facts = detect("Dispatching two skids; users send out pallets.", vocabulary=vocabulary)
    assert facts.operations == ("ship",)
    assert facts.entities == ("pallet", "user")


def test_only_leaves_the_canonical_word_out() -> None:
    """``{ only = [...] }``: the canonical word alone is too common to count."""
    profile = read_profile('name = "x"\nversion = "1"\n[entities]\nbox = { only = ["parcel box"] }')
    vocabulary = compile_vocabulary(profile)
    assert detect("a box", vocabulary=vocabulary).entities == ()
    assert detect("two Parcel  boxes, one parcel box", vocabulary=vocabulary).entities == ("box",)


@pytest.mark.parametrize(
    ("verb", "form"),
    [
        ("suspend", "suspended"),
        ("disable", "disabling"),
        ("modify", "modified"),
        ("deny", "denies"),
        ("reset", "resetting"),
        ("get", "getting"),
        ("add", "adding"),
        ("sync", "syncing"),
        ("patch", "patches"),
        ("turn off", "turned off"),
    ],
)
def test_verbs_are_inflected(verb: str, form: str) -> None:
    """Users list the plain form; the others are made by rule."""
    assert form in inflect_verb(verb)


@pytest.mark.parametrize(("noun", "form"), [("policy", "policies"), ("key", "keys"), ("address", "addresses")])
def test_nouns_get_a_plural(noun: str, form: str) -> None:
    """Users list the singular."""
    assert plural(noun) == form


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name = ", "not valid TOML"),
        ('name = "x"\nversion = "1"\nverbs = 1', "unknown key 'verbs'"),
        ('version = "1"', "'name' is missing"),
        ('name = "x"\nversion = "1"\noperations = 1', "not a table"),
        ('name = "x"\nversion = "1"\n[entities]\nuser = "person"', "not a list of words"),
    ],
)
def test_a_bad_profile_says_where(text: str, says: str) -> None:
    """An error says what happened, where, and what to do."""
    with pytest.raises(ConfigError, match=says) as caught:
        read_profile(text, where="mine.toml")
    assert "mine.toml" in str(caught.value)


def test_an_unknown_profile_names_those_that_exist() -> None:
    """There is no guessing: the error lists the names."""
    with pytest.raises(ConfigError, match="iam"):
        shipped_profile("imam")
