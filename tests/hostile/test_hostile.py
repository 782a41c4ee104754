"""A handful of hostile documents, smaller than in ``make proof-hostile``: the batch goes on, and nothing gets out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile.inputs import MAKERS
from tests.hostile.proof import Listener, faults, ingest_all, write_all

#: What must be refused, with words of the reason.
REFUSED = {
    "zeros.docx": "larger than 96 MB when unpacked",
    "zeros.tgz": "unpacks to more than",
    "laughs.docx": "declares a document type",
    "laughs.xlsx": "declares a document type",
    "laughs.pptx": "declares a document type",
    "outside.docx": "declares a document type",
    "outside.xlsx": "declares a document type",
    "tables.docx": "depth",
    "far.xlsx": "17,179,869,184 cells",
    "page-loop.pdf": "1,000,000 pages",
    "stream.pdf": "no text layer",
}
READ = ("outside.html", "span.html", "include.rst", "aliases.yaml", "aliases.md", "escape.tar", "attributes.docx")


@pytest.mark.slow
def test_hostile_documents_are_read_or_refused_and_the_batch_goes_on(tmp_path: Path) -> None:
    """ "Each refused or parsed within 20 s and 1 GB, named in the report; the batch goes on"; nothing is fetched."""
    listener = Listener()
    names = [*REFUSED, *READ, "picture.png"]
    write_all(tmp_path / "bad", listener, names, full=False)
    report, texts = ingest_all(tmp_path / "bad")
    assert faults(tmp_path / "bad", report, texts, listener) == []
    failures = {r.uri.removeprefix("bad/").rstrip("/"): r.reason for r in report.failures}
    assert sorted(failures) == sorted(REFUSED)
    assert [name for name, reason in REFUSED.items() if reason not in failures[name]] == []
    skipped = {r.uri.removeprefix("bad/escape.tar/") for r in report.skipped}
    assert skipped == {"../../up.md", "/absolute.md", "soft.md", "hard.md", "disk.md", "bad/picture.png"}


def test_every_input_has_a_maker() -> None:
    assert set(REFUSED) | set(READ) <= set(MAKERS)
