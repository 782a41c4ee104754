"""Secrets of known shapes are found and masked; what documentation shows in their place is not."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import repository
from withgrain.signals.secrets import FAMILIES, MASK, masked, secrets

DRAWN = "q7RtB2xK9mZpL4vN8wYcJ3hD6sFgT5aEuXiV1oWb0nQzMkPr"
HEX = "9f86d081884c7d659a2feaa0c55ad015"


def sample(length: int, alphabet: str = DRAWN) -> str:
    """Return as many characters that look drawn. Samples are put together here: no scanner takes them for ours."""
    return (alphabet * (length // len(alphabet) + 1))[:length]


SAMPLES: dict[str, tuple[str, str]] = {
    "private key": ("-----BEGIN RSA " + "PRIVATE KEY-----", "\n" + sample(64) + "\n" + sample(60) + "\n-----END RSA"),
    "aws access key": ("key id ", "AKIA" + "Q3EGRT7BWX2ZLMNP"),
    "aws secret key": ("aws_secret_access_key = ", sample(40)),
    "github token": ("token ", "ghp" + "_" + sample(36)),
    "gitlab token": ("token ", "glpat" + "-" + sample(20)),
    "slack token": ("bot ", "xoxb" + "-2314567890-" + sample(24)),
    "slack webhook": ("post to ", "https://hooks.slack.com/" + "services/T01ABCDEF/B02GHIJKL/" + sample(24)),
    "stripe key": ("", "sk_" + "live_" + sample(24)),
    "google api key": ("", "AIza" + sample(35)),
    "google oauth secret": ("", "GOCSPX" + "-" + sample(28)),
    "anthropic key": ("", "sk-" + "ant-api03-" + sample(90)),
    "openai key": ("", "sk-" + "proj-" + sample(48)),
    "npm token": ("", "npm" + "_" + sample(36)),
    "pypi token": ("", "pypi" + "-AgEI" + sample(80)),
    "sendgrid key": ("", "SG" + "." + sample(22) + "." + sample(43)),
    "twilio key": ("", "SK" + HEX),
    "vault token": ("", "hvs" + "." + sample(28)),
    "okta token": ("Authorization: SSWS ", "00" + sample(40)),
    "azure storage key": ("AccountName=a;AccountKey=", sample(86) + "=="),
    "json web token": ("", "eyJ" + sample(30) + ".eyJ" + sample(60) + "." + sample(43)),
    "password in url": ("postgres://app:", "t4Vz-9kQm2"),
    "authorization header": ("Authorization: Bearer ", sample(32)),
    "assigned secret": ("client_secret: ", "p8Kd-3mZq7Wx"),
}
ENDS = {"password in url": "@db.internal:5432/app", "private key": " PRIVATE KEY-----"}


def test_twenty_families() -> None:
    """There are 20 families and more, each with a sample here."""
    assert len(FAMILIES) >= 20
    assert set(SAMPLES) == set(FAMILIES)


@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_is_found_and_masked(family: str) -> None:
    """A secret is found with its family, and its mask leaves nothing of it and moves nothing."""
    before, secret = SAMPLES[family]
    text = f"Step 1. Use this:\n{before}{secret}{ENDS.get(family, '')}\nStep 2."
    assert family in {s.family for s in secrets(text)}
    clean = masked(text)
    assert len(clean) == len(text) and clean.count("\n") == text.count("\n")
    assert secret.split("-----END")[0].strip()[-12:] not in clean
    assert MASK in clean and clean.startswith("Step 1.") and clean.endswith("Step 2.")
    assert secrets(clean) == ()


@pytest.mark.parametrize(
    "text",
    [
        "password: <your password>",
        "password = changeme",
        "export AWS_SECRET_ACCESS_KEY=${SECRET}",
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "Authorization: Bearer $TOKEN",
        "postgres://user:password@localhost/db",
        "api_key: string (required)",
        "secret: kubernetes.io/service-account-token",
        "The client secret is rotated every 90 days.",
        "token_endpoint_auth_method = client_secret_basic",
        "sk-learn-contrib-and-other-words-in-a-row",
        "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    ],
)
def test_examples_are_not_taken_for_secrets(text: str) -> None:
    """Placeholders, names of fields and hashes are none."""
    assert secrets(text) == ()


@pytest.mark.needs_repo
def test_handbook_has_none() -> None:
    """The example handbook has no secret."""
    pages = sorted((repository() / "examples" / "handbook").rglob("*.md"))
    assert {p.name: secrets(p.read_text(encoding="utf-8")) for p in pages} == {p.name: () for p in pages}


@given(st.text(alphabet="aA1-_.=:/@ \n\"'ey" + MASK, max_size=300))
def test_masking_is_total_and_keeps_places(text: str) -> None:
    """Any text can be looked through; spans are ordered and disjoint; length and line breaks stay."""
    found = secrets(text)
    assert all(a.span.end <= b.span.start for a, b in pairwise(found))
    clean = masked(text, found)
    assert len(clean) == len(text)
    assert [i for i, c in enumerate(clean) if c == "\n"] == [i for i, c in enumerate(text) if c == "\n"]


@pytest.mark.parametrize(
    "piece",
    [
        *("aws ", "aws secret ", "password=", "a:", "://a", "https://a:", "sk-", "eyJ", "eyJa.", "okta "),
        *("authorization: bearer ", "-----BEGIN " + "PRIVATE KEY-----", "AccountKey=", "xoxb-", "SG.a"),
    ],
)
def test_time_is_linear(piece: str) -> None:
    """Half a million characters made to trouble the patterns are looked through in a few seconds."""
    start = time.process_time()
    secrets(piece * (500_000 // len(piece)))
    assert time.process_time() - start < 5
