"""Search: from a question to ranked, cited sections.

query → `analyse` → filters ∧ (lexical ‖ dense ‖ exact) → every candidate scored in every channel → `fuse` → hits. The
store's engine only finds candidates; scores and order are made here, with exact statistics, and are the same over
every store.
"""

from withgrain.search.after import After
from withgrain.search.analyse import Question, analyse
from withgrain.search.filters import parse_filter
from withgrain.search.packing import LeftOut, Pack, PackedItem, pack
from withgrain.search.quotes import Difference, Quote, cite
from withgrain.search.run import Mode, search
from withgrain.search.scoped import scoped
from withgrain.search.weights import Weights

__all__ = [
    "After",
    "Difference",
    "LeftOut",
    "Mode",
    "Pack",
    "PackedItem",
    "Question",
    "Quote",
    "Weights",
    "analyse",
    "cite",
    "pack",
    "parse_filter",
    "scoped",
    "search",
]
