"""Embedders of other packages, by entry point."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from withgrain import app
from withgrain.embed import load_embedder, spec_of
from withgrain.errors import ConfigError

MODULE = """
from withgrain.testing import HashEmbedder

class Named(HashEmbedder):
    def __init__(self, rest):
        super().__init__(int(rest or 16))
        self.id = f"tiny:{rest}" if rest else "tiny"

def wrong_name(rest):
    return HashEmbedder()

def nothing(rest):
    return object()

def failing(rest):
    raise RuntimeError("no licence")
"""
POINTS = """[withgrain.embedders]
tiny = tiny_vectors:Named
wrong = tiny_vectors:wrong_name
none-at-all = tiny_vectors:nothing
failing = tiny_vectors:failing
absent = absent_vectors:Named
minilm = tiny_vectors:nothing
"""


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lay a package out as an installer does."""
    place = tmp_path / "site"
    info = place / "tiny_vectors-1.0.dist-info"
    info.mkdir(parents=True)
    (place / "tiny_vectors.py").write_text(MODULE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-vectors\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(place)
    yield
    sys.modules.pop("tiny_vectors", None)


def test_embedder_of_another_package() -> None:
    """NAME and NAME:REST load what the entry point makes; built-in names cannot be taken."""
    for spec, dims in (("tiny", 16), ("tiny:32", 32)):
        embedder = load_embedder(spec)
        assert embedder is not None
        assert (embedder.id, embedder.dims) == (spec, dims)
    assert type(load_embedder("minilm")).__name__ == "MiniLM"


def test_collection_finds_it_again(tmp_path: Path) -> None:
    """A collection that a plugin embedded is searched with it, whatever embedder the reader would use himself."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("# Keys\n\nRotate the signing key every ninety days.\n")
    with app.open(tmp_path / "kb", embedder="tiny:32") as library:
        assert library.ingest(docs).embedded > 0
    with app.open(tmp_path / "kb") as library:
        results = library.search("rotate the key")
        contract = library.info().contract
    assert contract is not None
    assert spec_of(contract.embedder) == "tiny:32"
    assert results.trace["mode"] == "hybrid"


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("wrong", 'calls itself "hash"'),
        ("none-at-all", "lacks a member"),
        ("failing", "no licence"),
        ("absent", "absent_vectors"),
    ],
)
def test_plugin_that_cannot_be_used(spec: str, says: str) -> None:
    """What is no embedder, or could not be found again, is refused and named."""
    with pytest.raises(ConfigError, match=says):
        load_embedder(spec)


def test_unknown_name_tells_what_there_is() -> None:
    """The error names built-in ones and those of installed packages."""
    with pytest.raises(ConfigError, match=r'Did you mean "tiny"\?.*openai:MODEL.*Installed packages offer: .*tiny'):
        load_embedder("tinny")
    with pytest.raises(ConfigError, match="openai:MODEL"):
        load_embedder("openai:")


def test_contract_names_a_specification() -> None:
    """A model's own name may hold an @."""
    assert spec_of("openai:@cf/baai/bge@v1-ab12") == "openai:@cf/baai/bge"
    assert spec_of("minilm@8199-1") == "minilm"
    assert spec_of("none") == "none"
