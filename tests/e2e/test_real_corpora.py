"""Real documents go in completely and answer: the corpora beside the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

import withgrain
from tests.support import shared

QUESTIONS = {
    "techops": ("On which TCP port do the cert-manager pods expose their measurements?", "prometheus-metrics"),
    "tatqa": ("What is the company paid on a cost-plus type contract?", "tatqa_dev_000"),
    "chroma": ("credit card late fees from $32 to $8", "state_of_the_union"),
    "cuad": ("Which jurisdiction's law applies to the reseller agreement with Detto Technologies?", "ADIANUTRITION"),
}


@pytest.mark.slow
@pytest.mark.parametrize("corpus", sorted(QUESTIONS))
def test_corpus_is_ingested_whole_and_answers(corpus: str, tmp_path: Path) -> None:
    """No failure, no word lost, every Markdown and text file in; a question finds its document with exact lines."""
    folder = shared() / "eval" / "corpus" / corpus
    files = [p for p in folder.iterdir() if p.suffix in (".md", ".txt")]
    with withgrain.open(tmp_path / "kb", embedder="none") as library:
        report = library.ingest(folder)
        assert report.exit_code == 0
        assert report.words_lost == 0
        assert report.documents.added == len(files)
        question, expected = QUESTIONS[corpus]
        hits = library.search(question, k=5).hits
        found = next(h for h in hits if expected in h.citation.document)
        assert found.citation.lines is not None
        lines = (folder / found.citation.document).read_text(encoding="utf-8").splitlines()
        first, last = found.citation.lines
        assert found.body.splitlines()[0].strip() in lines[first - 1]
        assert found.body.splitlines()[-1].strip() in lines[last - 1]
