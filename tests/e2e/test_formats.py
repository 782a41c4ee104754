"""A folder with one of each is ingested in one command, searched, and every citation opens at its place."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import withgrain
from tests.support import run_cli

PAGE = """<html><head><title>Gates</title><link rel="canonical" href="https://ops.example.com/gates"></head><body>
<nav>Home</nav><main><h1>Gates</h1><h2 id="north">North gate</h2><p>The ultramarine lever opens the north gate.</p>
<h2 id="south">South gate</h2><p>The vermilion wheel opens the south gate.</p></main></body></html>"""
MAIL = "From: ana@example.com\nSubject: Pump\n\nThe periwinkle pump is broken.\n"
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": "# Tides"},
        {"cell_type": "markdown", "source": "The chartreuse table has the heights."},
    ],
    "metadata": {},
    "nbformat": 4,
}
VTT = "WEBVTT\n\n00:01:00.000 --> 00:01:04.000\n<v Bo>The magenta valve stays closed.\n"


#: What is asked -> the link of the citation, its page, and where in the source it says that it is.
PLACES: dict[str, tuple[str, int | None, str]] = {
    "vermilion wheel": ("gates.html#south", None, ""),
    "periwinkle pump": ("pump.eml", None, ""),
    "chartreuse table": ("tides.ipynb#cell-2", None, "cell 2"),
    "magenta valve": ("call.vtt#t=60", None, "00:01:00.000"),
    "telegrams chamber 2": ("manual.pdf#page=2", 2, "page=2 box="),
    "draught cargo reports": ("policy.docx", None, ""),
    "relay twice cold warm": ("report.docx#page=2", 2, ""),
    "North summer winter": ("fees.xlsx#Berths!A1", None, "Berths!A1"),
    "who has the key": ("briefing.pptx#slide-2", 2, "slide 2"),
    "ochre hinge": ("guide.rst#hinges", None, ""),
    "cobalt bollard": ("stock.tsv#L1-L3", None, ""),
    "chamber two lock": ("handover.zip/handover/pages/lock.html", None, ""),
    "saffron rope": ("ropes.md#L5", None, ""),
    "indigo buoy": ("buoys.txt#L4", None, ""),
    "teal winch": ("winches.json#L1-L7", None, ""),
    "amber crane": ("cranes.yaml#L4-L7", None, ""),
    "olive ladder": ("ladders.sql#L3-L4", None, ""),
    "crimson anchor": ("anchors.py#L4-L6", None, ""),
    "lilac siren": ("siren.srt#t=125", None, "00:02:05.000"),
    "russet dredger": ("dredgers.toml#L4-L5", None, ""),
}

#: Files whose own lines are cited.
TEXTS = {
    "ropes.md": "# Ropes\n\n## Mooring\n\nThe saffron rope is for mooring.\n",
    "buoys.txt": "Buoys\n=====\n\nThe indigo buoy marks the wreck.\n",
    "winches.json": '{\n  "winches": [\n    {\n      "name": "teal winch"\n    }\n  ]\n}\n',
    "cranes.yaml": "kind: Crane\nname: steel\n---\nkind: Crane\nspec:\n  height: 20\n  label: amber crane\n",
    "ladders.sql": "CREATE TABLE docks (id int);\n\n-- Ladders\nCREATE TABLE ladders (a DEFAULT 'olive ladder');\n",
    "anchors.py": '"""Anchors."""\n\n\ndef drop():\n    """Drop the crimson anchor."""\n    return 1\n',
    "siren.srt": "1\n00:02:05,000 --> 00:02:09,000\nThe lilac siren means fog.\n",
    "dredgers.toml": "[pump]\nrate = 3\n\n[dredger]\nname = 'russet dredger'\n",
}


def _fill(folder: Path) -> None:
    folder.mkdir()
    folder.joinpath("gates.html").write_text(PAGE)
    folder.joinpath("pump.eml").write_text(MAIL)
    folder.joinpath("tides.ipynb").write_text(json.dumps(NOTEBOOK))
    folder.joinpath("call.vtt").write_text(VTT)
    folder.joinpath("guide.rst").write_text("Doors\n=====\n\nHinges\n------\n\nThe ochre hinge needs oil.\n")
    folder.joinpath("stock.tsv").write_text("Part\tShelf\nlamp\t1\ncobalt bollard\t2\n")
    folder.joinpath("broken.ipynb").write_text("{")
    for name, text in TEXTS.items():
        folder.joinpath(name).write_text(text)
    for kind, case in (
        ("pdf", "manual"),
        ("docx", "policy"),
        ("docx", "report"),
        ("xlsx", "fees"),
        ("pptx", "briefing"),
    ):
        folder.joinpath(f"{case}.{kind}").write_bytes(import_module(f"tests.golden.{kind}.{case}.make").make())
    folder.joinpath("handover.zip").write_bytes(import_module("tests.golden.archive.handover.make").make())


def test_one_of_each(tmp_path: Path) -> None:
    """One command reads them all; each citation names the page, anchor, sheet, slide, time or line."""
    _fill(tmp_path / "docs")
    ingested = run_cli(["ingest", "docs", "--embedder", "none", "--json"], cwd=tmp_path)
    report = json.loads(ingested.stdout)
    assert ingested.code == 4
    assert [f["uri"] for f in report["failures"]] == ["docs/broken.ipynb"]
    assert report["words_lost"] == 0
    hits = json.loads(run_cli(["search", "vermilion", "--json", "-k", "1"], cwd=tmp_path).stdout)["hits"]
    assert hits[0]["citation"]["url"] == "https://ops.example.com/gates"
    library = withgrain.open(tmp_path / ".withgrain", embedder="none")
    for question, (link, page, origin) in PLACES.items():
        citation = library.search(question, k=1).hits[0].citation
        assert (citation.link, citation.page) == (link, page), question
        assert (citation.origin or "").startswith(origin)
