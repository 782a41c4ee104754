"""The tools, in the order in which every server lists them."""

from withgrain.mcp.tool import Tool
from withgrain.mcp.tools.cite import CITE
from withgrain.mcp.tools.facets import FACETS
from withgrain.mcp.tools.get import GET
from withgrain.mcp.tools.outline import OUTLINE
from withgrain.mcp.tools.search import SEARCH

__all__ = ["TOOLS"]

TOOLS: tuple[Tool, ...] = (SEARCH, OUTLINE, GET, FACETS, CITE)
