"""Settings: flag > variable > file > default; every mistake names its place and the nearest right name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from withgrain.config import Settings, load, pairs
from withgrain.errors import ConfigError


def _load(directory: Path, environment: dict[str, str] | None = None, **flags: object):  # type: ignore[no-untyped-def]
    return load(flags, directory=directory, environment=environment or {})


def test_defaults(tmp_path: Path) -> None:
    """Without files, variables and flags every setting is the default, and says so."""
    resolved = _load(tmp_path)
    assert resolved.settings == Settings()
    assert set(resolved.origins.values()) == {"default"}


def test_precedence(tmp_path: Path) -> None:
    """Flag > WITHGRAIN_* variable > file > default."""
    (tmp_path / "withgrain.toml").write_text('policy = "heading"\ntokenizer = "words"\nembedder = "none"\n')
    resolved = _load(tmp_path, {"WITHGRAIN_TOKENIZER": "wordpiece", "WITHGRAIN_EMBEDDER": "minilm"}, embedder="none")
    assert (resolved.settings.policy, resolved.settings.tokenizer, resolved.settings.embedder) == (
        "heading",
        "wordpiece",
        "none",
    )
    assert resolved.origins["policy"] == f"{tmp_path / 'withgrain.toml'}:1"
    assert resolved.origins["tokenizer"] == "WITHGRAIN_TOKENIZER"
    assert resolved.origins["embedder"] == "flag"
    assert resolved.origins["max_tokens"] == "default"


def test_file_is_found_upward_and_the_nearest_wins(tmp_path: Path) -> None:
    """The file is the nearest one upward from the working directory."""
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "withgrain.toml").write_text('policy = "fixed"\n')
    assert _load(inner).settings.policy == "fixed"
    (tmp_path / "a" / "pyproject.toml").write_text('[tool.withgrain]\npolicy = "heading"\n')
    assert _load(inner).settings.policy == "heading"
    (tmp_path / "a" / "withgrain.toml").write_text('policy = "paragraph"\n')
    assert _load(inner).settings.policy == "paragraph"


def test_pyproject_without_our_table_is_passed_by(tmp_path: Path) -> None:
    """A pyproject.toml that does not mention withgrain is not read, not even when it is broken."""
    inner = tmp_path / "a"
    inner.mkdir()
    (inner / "pyproject.toml").write_text("[project\n")
    (tmp_path / "withgrain.toml").write_text('policy = "fixed"\n')
    assert _load(inner).settings.policy == "fixed"


def test_collection_in_a_file_is_relative_to_the_file(tmp_path: Path) -> None:
    """A relative collection in a file is relative to that file, elsewhere to the working directory."""
    inner = tmp_path / "a"
    inner.mkdir()
    (tmp_path / "withgrain.toml").write_text('collection = "kb"\n')
    assert Path(_load(inner).settings.collection) == tmp_path / "kb"
    assert _load(inner, {"WITHGRAIN_COLLECTION": "kb"}).settings.collection == "kb"


def test_all_types_from_a_file(tmp_path: Path) -> None:
    """Numbers, lists and tables arrive as what they are; tables keep their order."""
    (tmp_path / "withgrain.toml").write_text(
        'max_tokens = 300\ninclude = ["*.md"]\nexclude = ["drafts/"]\nmax_bytes = 1000\n'
        '[labels]\nteam = "iam"\nenv = "prod"\n[domains]\n"okta/**" = "OKTA"\n'
    )
    settings = _load(tmp_path).settings
    assert (settings.max_tokens, settings.max_bytes) == (300, 1000)
    assert (settings.include, settings.exclude) == (("*.md",), ("drafts/",))
    assert settings.labels == (("team", "iam"), ("env", "prod"))
    assert settings.domains == (("okta/**", "OKTA"),)


def test_all_types_from_variables(tmp_path: Path) -> None:
    """Lists are written with commas, tables as name=value."""
    settings = _load(
        tmp_path, {"WITHGRAIN_MAX_TOKENS": "300", "WITHGRAIN_INCLUDE": "*.md, *.txt", "WITHGRAIN_LABELS": "a=1,b=2"}
    ).settings
    assert settings.max_tokens == 300
    assert settings.include == ("*.md", "*.txt")
    assert settings.labels == (("a", "1"), ("b", "2"))


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('policy = "fixed"\npolicey = "x"\n', 2, "policy"),
        ("policy = 3\n", 1, "a text"),
        ("\n\nmax_tokens = true\n", 3, "a whole number above 0"),
        ("max_tokens = 0\n", 1, "a whole number above 0"),
        ('max_tokens = "300"\n', 1, "a whole number above 0"),
        ('include = "*.md"\n', 1, "a list of texts"),
        ("exclude = [1]\n", 1, "a list of texts"),
        ("policy = 'fixed'\n[labels]\na = 1\n", 2, "a table of texts"),
        ("policy = \n", 1, "not TOML"),
    ],
)
def test_mistakes_in_a_file_name_file_line_and_remedy(tmp_path: Path, text: str, line: int, said: str) -> None:
    """An unknown key or a wrong value is an error with its file, line and what is right."""
    (tmp_path / "withgrain.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        _load(tmp_path)
    assert f"withgrain.toml:{line}:" in str(caught.value)
    assert said in str(caught.value)


def test_mistake_in_pyproject_names_the_whole_key(tmp_path: Path) -> None:
    """In pyproject.toml the message has the dotted key and the line inside that file."""
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n\n[tool.withgrain]\ntokeniser = "words"\n')
    with pytest.raises(ConfigError, match=r"pyproject\.toml:5: .*tool\.withgrain\.tokeniser.*tokenizer"):
        _load(tmp_path)


def test_tool_table_of_wrong_type(tmp_path: Path) -> None:
    """`tool.withgrain` must be a table."""
    (tmp_path / "pyproject.toml").write_text("[tool]\nwithgrain = 3\n")
    with pytest.raises(ConfigError, match="must be a table"):
        _load(tmp_path)


def test_file_that_is_not_text(tmp_path: Path) -> None:
    """A file that cannot be read is an error, not an absent file."""
    (tmp_path / "withgrain.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="cannot be read"):
        _load(tmp_path)


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("WITHGRAIN_COLECTION", "x", "WITHGRAIN_COLLECTION"),
        ("WITHGRAIN_MAX_TOKENS", "many", "a whole number above 0"),
        ("WITHGRAIN_MAX_TOKENS", "-1", "a whole number above 0"),
        ("WITHGRAIN_LABELS", "a", "name=value"),
        ("WITHGRAIN_POLICY", "", "a text"),
    ],
)
def test_mistakes_in_variables(tmp_path: Path, variable: str, value: str, said: str) -> None:
    """A variable that names no setting, or has a wrong value, is an error that says what is right."""
    with pytest.raises(ConfigError, match=variable) as caught:
        _load(tmp_path, {variable: value})
    assert said in str(caught.value)


def test_pairs_refuses_what_is_no_pair() -> None:
    """A pair is name=value; a value may hold another ``=``."""
    assert pairs(["a=b=c"]) == (("a", "b=c"),)
    for wrong in ("a", "=b"):
        with pytest.raises(ValueError, match="not of the type"):
            pairs([wrong])


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 50_000, "collection = " + "{a=" * 5_000, "max_tokens = " + "9" * 5_000]
)
def test_hostile_toml_is_a_configuration_error(tmp_path: Path, text: str) -> None:
    """Deep nesting and numbers of thousands of digits are errors of the file, not of withgrain."""
    (tmp_path / "withgrain.toml").write_text(text)
    with pytest.raises(ConfigError, match=r"withgrain\.toml"):
        _load(tmp_path)


def test_configuration_that_is_no_regular_file(tmp_path: Path) -> None:
    """A folder, a pipe, a device or a dangling link is refused by name; nothing is passed by or waited for."""
    place = tmp_path / "withgrain.toml"
    for make in (
        place.mkdir,
        lambda: os.mkfifo(place),
        lambda: place.symlink_to("/dev/zero"),
        lambda: place.symlink_to("no"),
    ):
        make()
        with pytest.raises(ConfigError, match="not a regular file"):
            _load(tmp_path)
        place.rmdir() if place.is_dir() else place.unlink()


def test_configuration_of_many_megabytes(tmp_path: Path) -> None:
    """The size of the file is bounded."""
    (tmp_path / "withgrain.toml").write_text("# " + "x" * 2_000_000)
    with pytest.raises(ConfigError, match="larger than"):
        _load(tmp_path)


@pytest.mark.parametrize("spec", ["os:system", "os:path.exists", "a.json:f"])
def test_a_file_cannot_name_code_to_run(tmp_path: Path, spec: str) -> None:
    """A configuration may lie in a folder of other people's documents: reading them must not run their functions."""
    (tmp_path / "withgrain.toml").write_text(f'tokenizer = "{spec}"\n')
    with pytest.raises(ConfigError, match=r"withgrain\.toml:1: a file cannot name a function"):
        _load(tmp_path)
    with pytest.raises(ConfigError, match="a file cannot name a function"):
        _load(tmp_path, {"WITHGRAIN_TOKENIZER": "words"})
    (tmp_path / "withgrain.toml").unlink()
    assert _load(tmp_path, {"WITHGRAIN_TOKENIZER": spec}).settings.tokenizer == spec


def test_server_elsewhere_is_not_taken_from_a_file(tmp_path: Path) -> None:
    """Documents and a key are not sent where a folder of documents says; the user says it in the environment."""
    file = tmp_path / "withgrain.toml"
    file.write_text('embedder = "openai:m"\nopenai_base_url = "http://localhost:11434/v1"\nopenai_window = 8191\n')
    settings = _load(tmp_path).settings
    assert (settings.openai_base_url, settings.openai_window) == ("http://localhost:11434/v1", 8191)
    for elsewhere in ("https://evil.example.com/v1", "http://localhost.evil.example/v1", "http://127.0.0.1@evil.x/v1"):
        file.write_text(f'openai_base_url = "{elsewhere}"\n')
        with pytest.raises(ConfigError, match=r"withgrain.toml:1: .*on this machine only.*WITHGRAIN_OPENAI_BASE_URL"):
            _load(tmp_path)
    file.unlink()
    named = _load(tmp_path, {"WITHGRAIN_OPENAI_BASE_URL": "https://models.example.com/v1"})
    assert named.settings.openai_base_url == "https://models.example.com/v1"


def test_keys_are_no_settings(tmp_path: Path) -> None:
    """A key is taken from the environment where it is needed; in a file it is refused, without repeating it."""
    resolved = _load(tmp_path, {"WITHGRAIN_OPENAI_API_KEY": "sk-secret", "WITHGRAIN_RERANK_TOKEN": "t-secret"})
    assert "secret" not in f"{resolved!r}"
    (tmp_path / "withgrain.toml").write_text('openai_api_key = "sk-secret"\n')
    with pytest.raises(ConfigError, match="does not belong in a file: set WITHGRAIN_OPENAI_API_KEY") as caught:
        _load(tmp_path)
    assert "sk-secret" not in str(caught.value)


def test_function_as_the_tokenizer_of_a_server_is_not_taken_from_a_file(tmp_path: Path) -> None:
    """As for the tokenizer of the budgets: files never name code to run."""
    (tmp_path / "withgrain.toml").write_text('openai_tokenizer = "os:system"\n')
    with pytest.raises(ConfigError, match="cannot name a function"):
        _load(tmp_path)


@pytest.mark.parametrize(("value", "expected"), [("true", True), ("FALSE", False)])
def test_truths(tmp_path: Path, value: str, expected: bool) -> None:
    """TOML's own truth values in a file, the same words in a variable; nothing else is read as one."""
    assert _load(tmp_path, {"WITHGRAIN_FRONT_MATTER_LABELS": value}).settings.front_matter_labels is expected
    (tmp_path / "withgrain.toml").write_text(f"front_matter_labels = {value.lower()}\n")
    assert _load(tmp_path).settings.front_matter_labels is expected
    for wrong in ("1", '"yes"'):
        (tmp_path / "withgrain.toml").write_text(f"front_matter_labels = {wrong}\n")
        with pytest.raises(ConfigError, match="true or false"):
            _load(tmp_path)
