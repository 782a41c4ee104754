"""Readers with scopes of their own over one collection: ``python -m tests.unit.mcp.isolation 50 200`` attacks them all.

Every document holds a word and a number that occur nowhere else. No request holds either, so that wherever one comes
back to another reader it was leaked.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

import withgrain
from withgrain.errors import WithgrainError
from withgrain.mcp.calls import call
from withgrain.mcp.collections import Collections, States
from withgrain.mcp.tools import TOOLS
from withgrain.mcp.tools.facets import FACETS
from withgrain.search.filters import read_scope

TOOL = {tool.name: tool for tool in TOOLS}
FIELDS = (
    "document",
    "title",
    "heading_path",
    "labels",
    "domain",
    "class",
    "codes",
    "keys",
    "roles",
    "links",
    "modified",
)
TOPICS = ("retention", "rotation", "onboarding")


def word(tenant: int) -> str:
    """Return what only this tenant's documents say."""
    return f"zq{tenant:02d}xw"


def number(tenant: int) -> str:
    """Return a number that only this tenant's documents have."""
    return str(730_000 + 37 * tenant)


def page(tenant: int, topic: str) -> str:
    """Return a document of a tenant."""
    return (
        f"---\ntitle: The {topic} plan {word(tenant)}\ndomain: dom-{word(tenant)}\n---\n\n"
        f"# The {topic} plan {word(tenant)}\n\n## Budget of {word(tenant)}\n\n"
        f"The {topic} budget of this team is {number(tenant)} crowns and is approved by the board every year.\n\n"
        f"## Steps\n\nStep one of {topic}: set `statuskey={number(tenant)}` for `ROLE_{word(tenant).upper()}`, "
        f"then tell {word(tenant)}.\n"
    )


def made(place: Path, tenants: int) -> dict[str, Any]:
    """Make a collection of three documents a tenant and return where it is and the ids of every tenant."""
    for tenant in range(tenants):
        for topic in TOPICS:
            file = place / "docs" / f"t{tenant:02d}" / f"{topic}-{word(tenant)}.md"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(page(tenant, topic), encoding="utf-8")
    rules = [(f"t{tenant:02d}/**", f"tenant={tenant:02d}") for tenant in range(tenants)]
    library = withgrain.open(place / "kb", embedder="none")
    report = library.ingest(place / "docs", label_rules=rules)
    assert report.documents.added == 3 * tenants
    snapshot = library.snapshot()
    ids: dict[int, list[str]] = {tenant: [] for tenant in range(tenants)}
    for document in snapshot.documents():
        tenant = int(document.path[1:3])
        chunks = snapshot.chunks(doc_id=document.id)
        ids[tenant] += [document.id, *(r.chunk.id for r in chunks), *(r.chunk.parent_id or "" for r in chunks)]
    return {"place": place / "kb", "ids": ids}


def requests(draw: random.Random, own: int, tenants: int, ids: dict[int, list[str]]) -> tuple[str, dict[str, Any]]:
    """Return a call that tries to see something of another tenant."""
    other = draw.choice([t for t in range(tenants) if t != own])
    topic, beginning = draw.choice(TOPICS), word(other)[:-1]
    tries: list[tuple[str, dict[str, Any]]] = [
        ("search", {"query": f"{topic} budget of {beginning}", "k": 50, "max_tokens": 20000}),
        ("search", {"query": f"{topic} plan", "filters": [f'labels contains "tenant={other:02d}"']}),
        ("search", {"query": f"{topic} plan", "filters": [f'labels contains "tenant={other:02d}" or quality >= 0']}),
        ("search", {"query": f"{topic} plan", "filters": [f"document ^= t{other:02d}/"]}),
        ("search", {"query": "budget", "domain": f"dom-{beginning}"}),
        ("search", {"query": "budget", "filters": [f'title = "The {topic} plan {beginning}"']}),
        ("outline", {}),
        ("outline", {"document": f"t{other:02d}/"}),
        ("outline", {"document": f"t{other:02d}/{topic}-{beginning}.md"}),
        ("outline", {"document": ids[other][0]}),
        ("get", {"id": draw.choice(ids[other])}),
        ("get", {"id": f"docs/t{other:02d}/{topic}-{beginning}.md"}),
        ("get", {"id": draw.choice(ids[own]), "document": ids[other][0], "expand": "document"}),
        ("get", {"id": draw.choice(ids[own]), "expand": draw.choice(("neighbours", "section", "document"))}),
        ("facets", {"field": draw.choice(FIELDS), "max_tokens": 20000}),
        ("cite", {"quote": f"The {topic} budget of this team is 730 crowns and is approved by the board every year."}),
        ("cite", {"quote": f"Budget of {beginning}"}),
        ("search", {"query": "budget", "collection": f"kb{other}"}),
    ]
    return draw.choice(tries)


def attack(place: Path, ids: dict[int, list[str]], tenants: int, queries: int, seed: int = 50) -> int:
    """Let every tenant ask; return how many answers there were.

    Raises:
        AssertionError: Something of another tenant came back, or a count was not of one's own documents.
    """
    states = States({"kb": place}, embedder="none")
    draw = random.Random(seed)
    answered = 0
    for own in range(tenants):
        served = Collections(states, scope=read_scope([f"tenant={own:02d}"]))
        foreign = [mark for t in range(tenants) if t != own for mark in (word(t), number(t), word(t).upper())]
        total = sum(row["chunks"] for row in call(served, FACETS, {"field": "document"}).data["values"])
        for _ in range(queries):
            name, given = requests(draw, own, tenants, ids)
            try:
                answer = call(served, TOOL[name], given)
                said = answer.text + json.dumps(answer.data, ensure_ascii=False)
                answered += 1
            except WithgrainError as error:
                said = str(error)
                answer = None
            leaked = [mark for mark in foreign if mark in said]
            assert not leaked, (own, name, given, leaked)
            if answer and name == "outline" and not given:
                assert answer.data["total"] == len(TOPICS), (own, answer.data)
            if answer and name == "facets" and given["field"] == "document":
                assert sum(row["chunks"] for row in answer.data["values"]) == total <= 3 * 4
            if answer and name == "search":
                assert all(hit["document"].startswith(f"t{own:02d}/") for hit in answer.data["hits"])
    return answered


if __name__ == "__main__":
    tenants, queries = int(sys.argv[1]), int(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        made_here = made(Path(folder), tenants)
        answers = attack(made_here["place"], made_here["ids"], tenants, queries)
    print(f"{tenants} scopes x {queries} queries: {answers} answers, nothing foreign in any")
