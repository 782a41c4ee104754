"""What the SDK's server calls: our tools and resources in the protocol's shapes. Imported with the SDK only."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar

import anyio.to_thread
from anyio import CapacityLimiter
from mcp import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
)
from mcp_types import Tool as ListedTool

from withgrain.errors import WithgrainError
from withgrain.mcp import resources
from withgrain.mcp.calls import ask, call
from withgrain.mcp.collections import Collections
from withgrain.mcp.sanitise import label
from withgrain.mcp.tool import Tool
from withgrain.mcp.tools import TOOLS
from withgrain.mcp.tools.get import GET
from withgrain.mcp.warming import Warming

_LOG = logging.getLogger(__name__)
_DEFECT = "This is a defect of withgrain; its log has the details. Try other arguments."
_HINTS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_T = TypeVar("_T")


class Handlers:
    """The requests that are answered, for one reader."""

    def __init__(self, collections: Collections) -> None:
        self._collections = collections
        self._warming = Warming(collections)
        self._one_at_a_time = CapacityLimiter(1)

    async def list_tools(self, context: Any, params: PaginatedRequestParams | None) -> ListToolsResult:
        """List the tools, always in the same order; then get ready for the first call."""
        self._warming.start()
        return ListToolsResult(tools=[_listed(tool) for tool in TOOLS])

    async def call_tool(self, context: Any, params: CallToolRequestParams) -> CallToolResult:
        """Answer a call; what cannot be answered is a result that says what to try."""
        tool = next((t for t in TOOLS if t.name == params.name), None)
        if tool is None:
            known = ", ".join(t.name for t in TOOLS)
            raise MCPError(INVALID_PARAMS, f'There is no tool "{label(params.name, 60)}". There is: {known}.')
        given = params.arguments or {}
        try:
            answer = await self._run(lambda: call(self._collections, tool, given))
        except WithgrainError as error:
            return CallToolResult(content=[TextContent(text=str(error))], is_error=True)
        except Exception:
            _LOG.exception("The tool %s failed", tool.name)
            return CallToolResult(content=[TextContent(text=_DEFECT)], is_error=True)
        return CallToolResult(content=[TextContent(text=answer.text)], structured_content=dict(answer.data))

    async def list_resources(self, context: Any, params: PaginatedRequestParams | None) -> ListResourcesResult:
        """List the documents, in pages."""
        cursor = params.cursor if params else None
        found, following = await self._answer(
            lambda: ask(self._collections, lambda: resources.listed(self._collections, cursor))
        )
        return ListResourcesResult(
            resources=[Resource(uri=one.uri, name=one.name, title=one.title, mime_type="text/plain") for one in found],
            next_cursor=following,
        )

    async def list_templates(self, context: Any, params: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        """List the addresses of documents and sections."""
        return ListResourceTemplatesResult(
            resource_templates=[
                ResourceTemplate(name=name, uri_template=template, description=description, mime_type="text/plain")
                for name, template, description in resources.TEMPLATES
            ]
        )

    async def read_resource(self, context: Any, params: ReadResourceRequestParams) -> ReadResourceResult:
        """Read a document or section: the page that `get` would deliver, delimited and with its place."""
        uri = str(params.uri)
        answer = await self._answer(lambda: call(self._collections, GET, resources.call_of(uri)))
        return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type="text/plain", text=answer.text)])

    async def _answer(self, work: Callable[[], _T]) -> _T:
        """Do the work of a request that has no result for errors: they are errors of the protocol."""
        try:
            return await self._run(work)
        except WithgrainError as error:
            raise MCPError(INVALID_PARAMS, self._collections.without_places(str(error))) from error
        except Exception:
            _LOG.exception("A resource failed")
            raise MCPError(INTERNAL_ERROR, _DEFECT) from None

    async def _run(self, work: Callable[[], _T]) -> _T:
        return await anyio.to_thread.run_sync(work, limiter=self._one_at_a_time)


def _listed(tool: Tool) -> ListedTool:
    return ListedTool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema(),
        output_schema=dict(tool.output),
        annotations=_HINTS,
    )
