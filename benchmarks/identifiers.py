"""Is the chunk that has an identifier literally the first hit? Does a domain hold? Drawn from the corpora.

    python benchmarks/identifiers.py --collections DIR [--count 300]

And with a domain given, does ever a chunk of another domain come back? Each identifier is also asked for inside a
domain that is drawn by lot, by filter and in the question's own words; ``handbook`` (examples/handbook) has domains.

Uses (or makes) the collections of ``retrieval.py``. An identifier is asked for alone and inside a sentence. Whether a
hit has it is decided here without the code under test: it must stand in body, headings or title, and neither a letter,
digit or underscore beside it, nor a hyphen, slash or full stop with more behind it, may make it a part of another name.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import withgrain
from benchmarks.retrieval import DATA_SETS, collection
from withgrain.model import Chunk, Compare
from withgrain.search import search
from withgrain.types import Snapshot

_EDGES = "`'\"*_()[]{}<>|,;:.!?&#"
_SEPARATORS = re.compile(r"[\s|`\"'()\[\],;]+")
SENTENCES = ("{}", "what does {} mean and where is it used")


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """An identifier, and another one that holds it or begins like it."""

    text: str
    look_alike: str


def words(chunk: Chunk) -> set[str]:
    text = "\n".join((chunk.body, *chunk.heading_path, chunk.title))
    return {w for raw in _SEPARATORS.split(text) for w in (raw, raw.strip(_EDGES)) if w}


def draw(chunks: Sequence[Chunk], count: int, generator: random.Random) -> list[Drawn]:
    """Draw identifiers that stand as words of their own somewhere; those with look-alikes first."""
    standing = {w for chunk in chunks for w in words(chunk)}
    names = sorted({i for chunk in chunks for i in chunk.facts.identifiers() if i in standing and len(i) > 2})
    generator.shuffle(names)
    longer: dict[str, str] = {}
    ordered = sorted(standing)
    for name in names:
        longer[name] = next((w for w in ordered if w != name and name in w), "")
    names.sort(key=lambda n: not longer[n])
    return [Drawn(text=n, look_alike=longer[n]) for n in names[:count]]


def first_has_it(snapshot: Snapshot, query: str, identifier: str) -> bool:
    hits = search(snapshot, query, k=1, mode="lexical").hits
    if not hits:
        return False
    chunk = hits[0].chunk
    whole = re.compile(rf"(?<!\w){re.escape(identifier)}(?!\w|[-/.]\w)")
    return bool(whole.search("\n".join((chunk.body, *chunk.heading_path, chunk.title))))


def strangers(snapshot: Snapshot, drawn: Sequence[Drawn], generator: random.Random) -> str:
    """Return in words how many hits came from outside a domain that was asked for."""
    of = {r.chunk.id: r.domain for d in snapshot.documents() for r in snapshot.chunks(doc_id=d.id)}
    domains = sorted(set(of.values()) - {""})
    if not domains:
        return "no domains"
    hits = outside = searches = 0
    for identifier in drawn:
        domain = generator.choice(domains)
        where = Compare(field="domain", operator="eq", value=domain)
        asked = [(identifier.text, where), (f"{identifier.text} {generator.choice(domains)}", where)]
        if all(c.isalnum() or c in "-_" for c in domain):
            asked.append((f"{identifier.text} domain:{domain}", None))
        for query, inside in asked:
            found = search(snapshot, query, k=10, mode="lexical", where=inside).hits
            searches, hits = searches + 1, hits + len(found)
            outside += sum(of[hit.chunk.id] != domain for hit in found)
    return f"{searches} searches in {len(domains)} domains: {outside} of {hits} hits from another domain"


def made(place: Path, data: Path, corpus: str) -> Snapshot:
    """Return the collection of a corpus, by words only; it is made where it is not there yet."""
    if corpus != "handbook":
        data_set = next(d for d in DATA_SETS if d.corpus == corpus)
        return collection(place, data, data_set, "structure_aware", "none")
    with withgrain.open(place / "handbook.structure_aware.none", embedder="none") as library:
        library.ingest(Path(__file__).resolve().parents[1] / "examples" / "handbook")
        return library.snapshot()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "eval")
    parser.add_argument("--collections", type=Path, required=True)
    parser.add_argument("--corpora", default="techops,chunklab,handbook")
    parser.add_argument("--count", type=int, default=300)
    given = parser.parse_args()
    for corpus in given.corpora.split(","):
        snapshot = made(given.collections, given.data, corpus)
        chunks = [r.chunk for d in snapshot.documents() for r in snapshot.chunks(doc_id=d.id)]
        drawn = draw(chunks, given.count, random.Random(1))
        for sentence in SENTENCES:
            missed = [d for d in drawn if not first_has_it(snapshot, sentence.format(d.text), d.text)]
            alike = sum(bool(d.look_alike) for d in drawn)
            share = 1 - len(missed) / max(1, len(drawn))
            print(
                f"{corpus}: {share:.3f} of {len(drawn)} identifiers ({alike} with look-alikes) first for {sentence!r}"
            )
            for d in missed[:15]:
                print(f"    missed {d.text!r} (look-alike {d.look_alike!r})")
        print(f"{corpus}: {strangers(snapshot, drawn, random.Random(2))}")


if __name__ == "__main__":
    main()
