"""A folder with one of each is ingested in one command, searched, and every citation opens at its place."""

from __future__ import annotations

import json
from pathlib import Path

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


def test_one_of_each(tmp_path: Path) -> None:
    """Right documents, anchors, addresses and deep links."""
    folder = tmp_path / "docs"
    folder.mkdir()
    folder.joinpath("gates.html").write_text(PAGE)
    folder.joinpath("pump.eml").write_text(MAIL)
    folder.joinpath("tides.ipynb").write_text(json.dumps(NOTEBOOK))
    folder.joinpath("call.vtt").write_text(VTT)
    folder.joinpath("broken.ipynb").write_text("{")
    ingested = run_cli(["ingest", "docs", "--embedder", "none", "--json"], cwd=tmp_path)
    report = json.loads(ingested.stdout)
    assert ingested.code == 4
    assert [f["uri"] for f in report["failures"]] == ["docs/broken.ipynb"]
    assert report["documents"]["added"] == 4
    assert report["words_lost"] == 0
    links = {}
    for word in ("vermilion", "periwinkle", "chartreuse", "magenta"):
        hits = json.loads(run_cli(["search", word, "--json", "-k", "1"], cwd=tmp_path).stdout)["hits"]
        links[word] = hits[0]["citation"]
    assert links["vermilion"]["link"] == "gates.html#south"
    assert links["vermilion"]["anchor"] == "south"
    assert links["vermilion"]["url"] == "https://ops.example.com/gates"
    assert links["vermilion"]["lines"] is None
    assert links["periwinkle"]["link"] == "pump.eml"
    assert links["chartreuse"]["link"] == "tides.ipynb#cell-2"
    assert links["magenta"]["link"] == "call.vtt#t=60"
