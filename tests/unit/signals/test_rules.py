"""Detectors and words that users add in their configuration."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from withgrain.errors import ConfigError
from withgrain.signals import NO_RULES, DetectorRule, Rules, detect, has_own_signal, read_rules


def _read(text: str) -> Rules:
    data: dict[str, Any] = tomllib.loads(text)
    return read_rules(data.get("detector", []), data.get("vocabulary", {}), where="withgrain.toml:1")


TICKET = """
[[detector]]
name = "ticket"
field = "codes"
pattern = 'INC\\d{7}'

[[detector]]
name = "host"
field = "keys"
pattern = '[a-z]{3,5}-\\d{2}\\.prod'

[vocabulary.operations]
disable = ["park", "put on ice"]
ship = ["dispatch"]

[vocabulary.entities]
pallet = ["skid"]
box = { only = ["parcel box"] }
"""


def test_what_the_rules_say_is_found_beside_the_shipped() -> None:
    """The user adds detectors and vocabularies in TOML; the IAM profile stays."""
    text = "Dispatched two skids. See (INC1234567), and web-07.prod: park the user; AADSTS50011 is ours. A box."
    facts = detect(text, rules=_read(TICKET))
    assert facts.codes == ("INC1234567", "AADSTS50011")
    assert facts.keys == ("web-07.prod",)
    assert facts.operations == ("ship", "disable")
    assert facts.entities == ("pallet", "user")
    assert detect(text).operations == ()


def test_phrases_of_the_user_are_found() -> None:
    """Words of several parts are phrases."""
    assert detect("The account was put on ice.", rules=_read(TICKET)).operations == ("disable",)


def test_a_token_of_the_user_is_an_atomic_fact() -> None:
    """What users search by name keeps a short section alone."""
    rules = _read(TICKET)
    assert has_own_signal(detect("Runs on app-07.prod today.", rules=rules))
    assert not has_own_signal(detect("Runs on app-07.prod today."))


def test_a_detector_of_the_user_goes_first() -> None:
    """A token that a user's detector matches is of its field, whatever it was before."""
    rules = _read("[[detector]]\nname='x'\nfield='roles'\npattern='AADSTS\\d+'")
    assert (detect("AADSTS50011", rules=rules).roles, detect("AADSTS50011", rules=rules).codes) == (
        ("AADSTS50011",),
        (),
    )


def test_the_fingerprint_names_the_rules() -> None:
    """Part of the contract's detector fingerprint: equal rules are equal, others are not; none is empty."""
    assert _read(TICKET).fingerprint == _read(TICKET).fingerprint
    assert _read(TICKET).fingerprint != _read(TICKET.replace("park", "halt")).fingerprint
    assert NO_RULES.fingerprint == ""


def test_rules_do_not_leak_into_other_calls() -> None:
    """No global state: the next call without rules finds what it found before."""
    before = detect("INC1234567 park")
    detect("INC1234567 park", rules=_read(TICKET))
    assert detect("INC1234567 park") == before


REFUSED = {
    "unknown key": ("[[detector]]\nname='a'\nfeild='codes'\npattern='a'", r"no key 'feild'\. Did you mean field\?"),
    "unknown field": ("[[detector]]\nname='a'\nfield='code'\npattern='a'", r"no field 'code'\. Did you mean codes\?"),
    "missing": ("[[detector]]\nname='a'\nfield='codes'", r"pattern is missing"),
    "slow": (
        "[[detector]]\nname='a'\nfield='codes'\npattern='(a)\\1'",
        r"detector 1 \(a\): the pattern cannot be used",
    ),
    "space": ("[[detector]]\nname='a'\nfield='codes'\npattern='a b'", r"no token holds"),
    "bracket": ("[[detector]]\nname='a'\nfield='codes'\npattern='a\\(b'", r"no token holds"),
    "twice": ("[[detector]]\nname='a'\nfield='codes'\npattern='a'\n" * 2, r"two detectors have the name 'a'"),
    "one bracket": ("[detector]\nname='a'", r"write \[\[detector\]\]"),
    "unknown table": ("[vocabulary.operation]\na=['b']", r"Did you mean operations\?"),
    "no list": ("[vocabulary.operations]\na='b'", r"must be a list of words"),
}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_mistake_names_its_place_and_the_nearest_name(name: str) -> None:
    """An unknown key is an error with its path and the nearest name."""
    text, message = REFUSED[name]
    with pytest.raises(ConfigError, match=message) as caught:
        _read(text)
    assert str(caught.value).startswith("withgrain.toml:1: ")


def test_rules_are_plain_data() -> None:
    """They compare, hash and can be sent to a worker."""
    rules = Rules(detectors=(DetectorRule(name="a", field="codes", pattern="a"),))
    assert rules == Rules(detectors=(DetectorRule(name="a", field="codes", pattern="a"),))
    assert len({rules, NO_RULES}) == 2
