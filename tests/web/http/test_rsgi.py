"""The translation between granian and the application, on a real socket."""

from __future__ import annotations

import asyncio
import contextlib

from granian.constants import Interfaces
from granian.server.embed import Server
from starlette.types import Receive, Scope, Send

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


async def test_an_answer_that_fails_half_way_ends() -> None:
    port = free_port()
    app = RsgiApp(fail_half_way, path="/rss", find=lambda _: None, count_answer=lambda *_: None)
    server = Server(
        app, address="127.0.0.1", port=port, interface=Interfaces.RSGI, websockets=False, log_enabled=False
    )
    serving = asyncio.create_task(server.serve())
    try:
        async with asyncio.timeout(20):
            while True:
                with contextlib.suppress(OSError):
                    reader, writer = await asyncio.open_connection("127.0.0.1", port)
                    break
                await asyncio.sleep(0.01)
            writer.write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            answer = await reader.readuntil(b"0\r\n\r\n")
        assert b"half" in answer
        writer.close()
    finally:
        kept.clear()
        server.stop()  # type: ignore[no-untyped-call]
        await serving
