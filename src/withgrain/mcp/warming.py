"""Make the first search fast: load engine, collections, tokenizer and model while the client reads the tools."""

from __future__ import annotations

import logging
from threading import Thread, Timer

from withgrain.mcp.calls import call
from withgrain.mcp.collections import Collections
from withgrain.mcp.tools.search import SEARCH

#: Seconds after the first list of tools: its answer goes out first.
_AFTER = 0.05
_LOG = logging.getLogger(__name__)


class Warming:
    """Warms collections up once, in the background."""

    def __init__(self, collections: Collections) -> None:
        self._collections = collections
        self._thread: Thread | None = None

    def start(self) -> None:
        """Begin, unless it was begun before. A call that comes meanwhile waits for the collection that is opened."""
        if self._thread is None:
            self._thread = Timer(_AFTER, self._warm)
            self._thread.start()

    def _warm(self) -> None:
        for name in self._collections.names:
            try:
                call(self._collections, SEARCH, {"query": "warm up", "collection": name, "k": 1})
            except Exception:  # whoever asks will be told
                _LOG.debug("Warming up %s failed", name, exc_info=True)
