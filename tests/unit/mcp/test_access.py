"""Tokens: one scope each, compared in constant time, read from a file that says what is wrong and shows no token."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from withgrain.cli.mcp import TOKEN_VARIABLE, _readers
from withgrain.cli.talk import Talk
from withgrain.errors import ConfigError, Unavailable, UsageError
from withgrain.mcp.access import Reader, read_tokens, reader_of, recognised
from withgrain.mcp.collections import Collections, States, named
from withgrain.mcp.http import check_address, listening
from withgrain.model import And, Compare
from withgrain.search.filters import read_scope

TOKEN = "a-long-enough-token-for-team-a"
OTHER = "a-long-enough-token-for-team-b"


def test_each_token_is_one_reader(tmp_path: Path) -> None:
    """A token, or its hash, names one reader with scope and collections."""
    file = tmp_path / "tokens.toml"
    digest = sha256(OTHER.encode()).hexdigest()
    file.write_text(
        f'[a]\ntoken = "{TOKEN}"\nscope = "tenant=a"\n\n'
        f'[b]\nsha256 = "{digest}"\nscope = "domain=okta"\ncollections = ["kb"]\n'
    )
    readers = read_tokens(file, ["kb", "more"])
    first, second = recognised(TOKEN, readers), recognised(OTHER, readers)
    assert first and first.scope == Compare(field="labels", operator="contains", value="tenant=a")
    assert (
        second
        and second.collections == ("kb",)
        and second.scope == Compare(field="domain", operator="eq", value="okta")
    )
    assert recognised(TOKEN + "x", readers) is recognised("", readers) is None


def test_the_scope_of_the_start_holds_for_every_token(tmp_path: Path) -> None:
    """A token can narrow what the server was started with, never widen it."""
    file = tmp_path / "tokens.toml"
    file.write_text(f'[a]\ntoken = "{TOKEN}"\nscope = "tenant=a"\n')
    (reader,) = read_tokens(file, ["kb"], read_scope(["public=yes"]))
    assert isinstance(reader.scope, And) and len(reader.scope.parts) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "names no reader"),
        ("not toml", "no TOML file"),
        ("[a]\ntoken = 'short'\n", "at least 16"),
        (f"[a]\ntoken = '{TOKEN}'\nscopes = 'x=y'\n", "must be a table of"),
        (f"[a]\ntoken = '{TOKEN}'\nscope = []\n", "scope is empty"),
        (f"[a]\ntoken = '{TOKEN}'\nscope = 'tenant='\n", "[a]: scope: The filter cannot be read"),
        (f"[a]\ntoken = '{TOKEN}'\ncollections = ['nowhere']\n", 'no collection "nowhere"'),
        (f"[a]\ntoken = '{TOKEN}'\n[b]\ntoken = '{TOKEN}'\n", "same token"),
        ("[a]\nscope = 'tenant=a'\n", "either token or sha256"),
        ("[a]\nsha256 = 'abc'\n", "64 hex digits"),
    ],
)
def test_wrong_token_files(tmp_path: Path, text: str, said: str) -> None:
    """A token file that could mean more than was meant is refused, and no token is told."""
    file = tmp_path / "tokens.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as error:
        read_tokens(file, ["kb"])
    assert said in str(error.value) and TOKEN not in str(error.value)


def test_a_misspelt_field_shows_nothing() -> None:
    """A field that does not exist is read as a label: a scope that nobody has, not none."""
    assert read_scope(["doamin=okta"]) == Compare(field="labels", operator="contains", value="doamin=okta")
    assert read_scope(["domain = okta and class = sop"]) is not None
    with pytest.raises(UsageError):
        read_scope(["domain ="])


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_loopback_needs_no_token(host: str) -> None:
    """Whoever is on this machine can start programs that read the files anyway."""
    check_address(host, [Reader(name="all")], ())


def test_others_need_a_token_and_a_name() -> None:
    """Not loopback: every reader has a token, and a wildcard address has names that ``Host`` is checked with."""
    token = reader_of(TOKEN)
    with pytest.raises(UsageError, match="need a token"):
        check_address("10.0.0.5", [Reader(name="all")], ())
    with pytest.raises(UsageError, match="need a token"):
        check_address("10.0.0.5", [token, Reader(name="all")], ())
    with pytest.raises(UsageError, match="allow-host"):
        check_address("0.0.0.0", [token], ())
    check_address("10.0.0.5", [token], ())
    check_address("0.0.0.0", [token], ["kb.example.org"])


@pytest.mark.parametrize("token", ["", " ", "short"])
def test_an_empty_token_in_the_environment_opens_nothing(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret that was not filled in is a mistake, not a server without a token."""
    monkeypatch.setenv(TOKEN_VARIABLE, token)
    with pytest.raises(ConfigError, match=TOKEN_VARIABLE):
        _readers(None, ("kb",), None, Talk())
    monkeypatch.delenv(TOKEN_VARIABLE)
    (reader,) = _readers(None, ("kb",), None, Talk())
    assert not reader.digest


@pytest.mark.parametrize("token", ["with a space inside", "nächster-schlüssel-1", "two\nlines-and-more-1"])
def test_a_token_that_no_header_can_hold_is_refused_and_not_told(token: str, tmp_path: Path) -> None:
    """It would never be recognised: HTTP headers are ASCII, and a space ends a token."""
    file = tmp_path / "tokens.toml"
    file.write_text(f"[a]\ntoken = {json.dumps(token)}\n", encoding="utf-8")
    with pytest.raises(ConfigError) as told:
        read_tokens(file, ["kb"])
    assert token not in str(told.value)


@pytest.mark.parametrize("argument", [".", "kb", "./kb", "kb/"])
def test_messages_keep_their_words_wherever_the_server_was_started(
    argument: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Places of this machine are replaced; a full stop or a word that is the name of a folder is none."""
    (tmp_path / "kb").mkdir()
    monkeypatch.chdir(tmp_path / "kb" if argument == "." else tmp_path)
    served = Collections(States(named([argument])))
    message = 'There is no document "kb/a.md". kb is "kb".'
    assert served.without_places(message) == message
    assert served.without_places(f"{tmp_path / 'kb'}: damaged.") == "collection kb: damaged."


def test_a_port_that_is_taken_is_told_before_anything_is_served() -> None:
    with listening("127.0.0.1", 0) as first, pytest.raises(Unavailable, match="--http"):
        listening("127.0.0.1", first.getsockname()[1])
    with pytest.raises(Unavailable, match=r"192\.0\.2\.1"):
        listening("192.0.2.1", 8811)
