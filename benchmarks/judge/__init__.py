"""An independent judge of chunks: Markdown is read by markdown-it-py, chunks are found by their text."""

from benchmarks.judge.placement import Placed, place
from benchmarks.judge.score import Fault, Score, Tally, score
from benchmarks.judge.source import Source, read_sources
from benchmarks.judge.structure import Heading, Structure, Table, structure

__all__ = [
    "Fault",
    "Heading",
    "Placed",
    "Score",
    "Source",
    "Structure",
    "Table",
    "Tally",
    "place",
    "read_sources",
    "score",
    "structure",
]
