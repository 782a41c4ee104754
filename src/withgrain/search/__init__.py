"""Search: from a question to ranked, cited sections.

query → `analyse` → filters ∧ (lexical ‖ dense ‖ exact) → every candidate scored in every channel → `fuse` → hits. The
store's engine only finds candidates; scores and order are made here, with exact statistics, and are the same over
every store.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from withgrain.search.after import After
    from withgrain.search.analyse import Question
    from withgrain.search.filters import parse_filter
    from withgrain.search.packing import LeftOut, Pack, PackedItem, pack
    from withgrain.search.quotes import Difference, Quote, cite
    from withgrain.search.run import Mode, search
    from withgrain.search.weights import Weights
else:
    from withgrain.lazy import named

    __getattr__ = named(
        __name__,
        after="After",
        analyse="Question",
        filters="parse_filter",
        packing="LeftOut Pack PackedItem pack",
        quotes="Difference Quote cite",
        run="Mode search",
        weights="Weights",
    )

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
    "cite",
    "pack",
    "parse_filter",
    "search",
]
