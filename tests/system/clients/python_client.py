# SPDX-License-Identifier: Apache-2.0
"""One Python client of the matrix against a Banyan with the conformance fixtures.

    python_client.py mcp|fastmcp URL MODE...

MODE is legacy, auto or 2026-07-28. In each it lists, calls, hears of progress,
comes back to a stream that ended, cancels. Exits 1 at the first thing that is
not as it should be.
"""

import asyncio
import sys


class McpClient:
    """The official SDK."""

    def __init__(self, url, mode):
        import mcp

        self.client = mcp.Client(url, mode=mode)

    async def tools(self):
        return (await self.client.list_tools()).tools

    async def call(self, name, on_progress=None):
        return await self.client.call_tool(name, {}, progress_callback=on_progress)


class FastMcpClient:
    def __init__(self, url, mode):
        import fastmcp

        self.client = fastmcp.Client(url, mode=mode)

    async def tools(self):
        return await self.client.list_tools()

    async def call(self, name, on_progress=None):
        return await self.client.call_tool(name, {}, progress_handler=on_progress)


def expect(holds, what):
    if not holds:
        raise AssertionError(what)


async def check_progress(client):
    seen = []

    async def on_progress(progress, total, message):
        seen.append(progress)

    await client.call("test_tool_with_progress", on_progress)
    expect(seen == [0, 50, 100], f"progress: {seen}")


async def check_cancel(client):
    has_begun = asyncio.Event()

    async def on_progress(progress, total, message):
        has_begun.set()

    call = asyncio.create_task(client.call("test_cancellation", on_progress))
    begun = asyncio.create_task(has_begun.wait())
    await asyncio.wait([call, begun], return_when=asyncio.FIRST_COMPLETED)
    expect(has_begun.is_set(), "the call ended before it was cancelled")
    call.cancel()
    await asyncio.wait([call])
    expect(call.cancelled(), "the cancelled call came to an end of its own")


async def check(client):
    async with client.client:
        names = [tool.name for tool in await client.tools()]
        expect(names[0] == "list_projects", f"tools: {names}")
        answer = await client.call("list_projects")
        expect("harbour" in answer.content[0].text, f"projects: {answer}")
        await check_progress(client)
        answer = await client.call("test_reconnection")
        expect("after the stream" in answer.content[0].text, f"resumed: {answer}")
        await check_cancel(client)
        expect(len(await client.tools()) == len(names), "the client goes on after it cancelled")


async def main(package, url, *modes):
    for mode in modes:
        print(mode, flush=True)
        client = {"mcp": McpClient, "fastmcp": FastMcpClient}[package](url, mode)
        await asyncio.wait_for(check(client), timeout=60)


asyncio.run(main(*sys.argv[1:]))
