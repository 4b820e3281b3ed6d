"""The translation between granian and the application, on a real socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from granian.constants import Interfaces
from granian.server.embed import Server
from starlette.types import ASGIApp, Receive, Scope, Send

from inforadar.web.http.rsgi import RsgiApp
from tests.support.ports import free_port

kept: list[BaseException] = []


async def fail_half_way(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"half", "more_body": True})
    try:
        raise RuntimeError("the database is gone")
    except RuntimeError as fault:
        # As a log or a task does: the traceback holds every frame of the request.
        kept.append(fault)
        raise


@asynccontextmanager
async def connected(app: ASGIApp) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Serve an application, and connect to it."""
    port = free_port()
    server = Server(
        RsgiApp(app, path="/rss", find=lambda _: None, count_answer=lambda *_: None),
        address="127.0.0.1",
        port=port,
        interface=Interfaces.RSGI,
        websockets=False,
        log_enabled=False,
    )
    serving = asyncio.create_task(server.serve())
    try:
        async with asyncio.timeout(20):
            while True:
                with suppress(OSError):
                    reader, writer = await asyncio.open_connection("127.0.0.1", port)
                    break
                await asyncio.sleep(0.01)
            yield reader, writer
            writer.close()
    finally:
        server.stop()  # type: ignore[no-untyped-call]
        await serving


async def test_an_answer_that_fails_half_way_ends() -> None:
    async with connected(fail_half_way) as (reader, writer):
        writer.write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert b"half" in await reader.readuntil(b"0\r\n\r\n")
    kept.clear()


async def test_a_client_that_is_gone_is_no_fault_of_the_answer() -> None:
    began = asyncio.Event()
    ended: asyncio.Future[BaseException | None] = asyncio.get_running_loop().create_future()

    async def answer_late(scope: Scope, receive: Receive, send: Send) -> None:
        assert (await receive())["type"] == "http.request"
        began.set()
        while (await receive())["type"] != "http.disconnect":
            pass
        try:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"part", "more_body": True})
        except Exception as fault:
            ended.set_result(fault)
        else:
            ended.set_result(None)

    async with connected(answer_late) as (_, writer):
        writer.write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await began.wait()  # a request that ends as it begins is never answered
        writer.close()
        assert await ended is None
