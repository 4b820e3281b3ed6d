"""Clients that say nothing, say half of something, or do not listen: the others do not notice."""

from __future__ import annotations

import asyncio
import gc
import socket
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack

import aiohttp
import psutil
import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from inforadar.config import Settings
from inforadar.web.http import body_limits
from inforadar.web.http.address_limits import RequestLimit, StreamLimit
from inforadar.web.http.body_limits import BodyLimits
from inforadar.web.http.connections import ConnectionSweep, allow_connections
from inforadar.web.http.identity import PERSON_SCOPE
from inforadar.web.http.proxy import ForwardedRequests
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.serving import running
from tests.support.slow_clients import KINDS, MORE_THAN_FITS_BYTES, add_large_feed, addresses, slow_clients

MORE_THAN_A_BACKLOG = 130


async def answer(app: Callable[..., object], scope: Scope, receive: Receive | None = None) -> list[Message]:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def nothing() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    await app(scope, receive or nothing, send)  # type: ignore[misc]
    return sent


def asked(path: str = "/", client: str = "203.0.113.7", **headers: str) -> Scope:
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http", "method": "POST", "path": path, "client": (client, 1), "headers": raw}


async def test_many_clients_of_every_kind_stop_nobody(
    newsroom: Newsroom, web_settings: Settings, web: aiohttp.ClientSession
) -> None:
    await add_large_feed(newsroom.database, 100_000)
    async with AsyncExitStack() as stack:
        for kind in KINDS:
            sources = addresses(30)
            await stack.enter_async_context(
                slow_clients(kind, MORE_THAN_A_BACKLOG, web_settings.web.port, sources)
            )
        for path in ("/health/live", "/", "/api/items"):
            async with web.get(path, timeout=aiohttp.ClientTimeout(total=10)) as response:
                assert response.status == 200


async def test_each_kind_is_disconnected_after_its_time(newsroom: Newsroom, web_settings: Settings) -> None:
    settings = web_settings.replaced(
        clients={"idle_timeout": 0.2, "body_timeout": 0.2, "unread_timeout": 0.3}
    )
    port = settings.web.port
    await add_large_feed(newsroom.database, MORE_THAN_FITS_BYTES)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(running(newsroom.database, settings))
        for kind in KINDS.keys() - {"event stream"}:
            await stack.enter_async_context(slow_clients(kind, 2, port))
        async with asyncio.timeout(20):
            while connections(port):
                await asyncio.sleep(0.02)


def connections(port: int) -> int:
    """Count this process's open connections whose own end is `port`."""
    found = psutil.Process().net_connections("tcp")
    return sum(one.laddr.port == port and one.status == psutil.CONN_ESTABLISHED for one in found)


@pytest.fixture
def uncollected() -> Iterator[None]:
    """No garbage is collected meanwhile: what ends only then would end at a random moment."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("uncollected")
async def test_a_body_that_does_not_come_is_answered_and_the_connection_closed(
    newsroom: Newsroom, web_settings: Settings
) -> None:
    settings = web_settings.replaced(clients={"body_timeout": 0.1})
    head = f"Host: 127.0.0.1:{settings.web.port}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    async with running(newsroom.database, settings), asyncio.timeout(10):
        for path in ("/login", "/add", "/api/greader.php/accounts/ClientLogin"):
            reader, writer = await asyncio.open_connection("127.0.0.1", settings.web.port)
            writer.write(f"POST {path} HTTP/1.1\r\n{head}Content-Length: 9\r\n\r\nname".encode())
            told = await reader.read()
            assert told.startswith(b"HTTP/1.1 408 "), told
            assert b"did not arrive in time" in told
            writer.close()


@pytest.fixture
def server() -> socket.socket:
    return socket.create_server(("127.0.0.1", 0))


def is_closed(client: socket.socket) -> bool:
    client.setblocking(False)
    try:
        return client.recv(1) == b""
    except BlockingIOError:
        return False


def test_an_address_with_too_many_connections_loses_the_quietest(server: socket.socket) -> None:
    port = server.getsockname()[1]
    clients = [socket.create_connection(("127.0.0.1", port)) for _ in range(6)]
    other = socket.create_connection(("127.0.0.1", port), source_address=("127.0.0.2", 0))
    taken = [server.accept()[0] for _ in (*clients, other)]
    with server:
        # Time passes for the kernel only by waiting; a moment is enough to tell who spoke last.
        for client, accepted in zip(clients[:2], taken, strict=False):
            wait_a_moment()
            client.send(b"x")
            assert accepted.recv(1) == b"x"
        assert ConnectionSweep(port=port, total=100, per_address=2).sweep() == 4
        assert [is_closed(client) for client in clients] == [False, False, True, True, True, True]
        assert not is_closed(other)
        assert ConnectionSweep(port=port, total=4, per_address=None).sweep() == 4
    for opened in (*clients, other, *taken):
        opened.close()


def wait_a_moment() -> None:
    """Let some of the kernel's milliseconds pass."""
    left, right = socket.socketpair()
    with left, right:
        left.settimeout(0.02)
        with pytest.raises(TimeoutError):
            left.recv(1)


def test_as_many_files_may_be_open_as_connections_are_allowed() -> None:
    assert allow_connections(100) == 100


async def test_when_too_many_bodies_are_on_their_way_the_oldest_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(body_limits, "MAX_BODIES_PER_ADDRESS", 2)
    arrived = asyncio.Event()

    async def read(scope: Scope, receive: Receive, send: Send) -> None:
        message = await receive()
        await PlainTextResponse(message["body"])(scope, receive, send)

    async def body() -> Message:
        await arrived.wait()
        return {"type": "http.request", "body": b"whole", "more_body": False}

    app = BodyLimits(read, pause_s=20)
    others = [asyncio.create_task(answer(app, asked(content_length="5", client="203.0.113.8"), body))]
    first, *rest = (asyncio.create_task(answer(app, asked(content_length="5"), body)) for _ in range(3))
    start, _ = await first
    assert start["status"] == 408
    assert (b"connection", b"close") in start["headers"]
    arrived.set()
    assert [(await task)[0]["status"] for task in [*others, *rest]] == [200, 200, 200]


async def test_a_body_that_trickles_in_is_given_up() -> None:
    async def read(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["more_body"]:
            pass

    async def byte() -> Message:
        await asyncio.sleep(0.001)
        return {"type": "http.request", "body": b"x", "more_body": True}

    start, _ = await answer(BodyLimits(read, pause_s=0.02), asked(transfer_encoding="chunked"), byte)
    assert start["status"] == 408


async def test_a_body_larger_than_any_route_accepts_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_limits, "MAX_BODY_BYTES", 10)

    async def read(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["more_body"]:
            pass

    async def part() -> Message:
        return {"type": "http.request", "body": b"xxxx", "more_body": True}

    start, _ = await answer(BodyLimits(read, pause_s=5), asked(content_length="1000000"), part)
    assert start["status"] == 413


async def test_requests_and_streams_are_limited_by_the_forwarded_address() -> None:
    release = asyncio.Event()

    async def wait(scope: Scope, receive: Receive, send: Send) -> None:
        await release.wait()
        await PlainTextResponse("done")(scope, receive, send)

    limited = RequestLimit(StreamLimit(wait, total=3, per_address=2), per_address=2)
    app = ForwardedRequests(limited, prefix="", is_behind_proxy=True)
    person = {PERSON_SCOPE: type("Person", (), {"id": 7})()}
    held = [
        asyncio.create_task(answer(app, scope))
        for scope in (
            *[asked(client="10.0.0.1", x_forwarded_for="203.0.113.1")] * 2,
            *[asked("/api/events", client="10.0.0.1", x_forwarded_for="203.0.113.1")] * 2,
            asked("/api/events", client="10.0.0.1", x_forwarded_for="203.0.113.2"),
        )
    ]
    await asyncio.sleep(0)
    for refused in (
        asked(client="10.0.0.1", x_forwarded_for="203.0.113.1"),
        asked("/api/events", client="10.0.0.1", x_forwarded_for="203.0.113.1"),
        # All places for strangers are taken.
        asked("/api/runs/1/events", client="10.0.0.1", x_forwarded_for="203.0.113.3"),
    ):
        start, _ = await answer(app, refused)
        assert start["status"] == 429
        assert b"retry-after" in dict(start["headers"])
    held += [
        asyncio.create_task(answer(app, scope))
        for scope in (
            asked(client="10.0.0.1", x_forwarded_for="203.0.113.2"),
            asked("/api/events", client="10.0.0.1", x_forwarded_for="203.0.113.1") | person,
        )
    ]
    await asyncio.sleep(0)
    release.set()
    assert {(await task)[0]["status"] for task in held} == {200}
