"""The API in several processes on one port: they behave as one, and a parent keeps them running."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

import aiohttp
import psutil

from inforadar.config import Settings
from inforadar.web.http.login_limit import FREE_FAILURES
from tests.cli.program import Program, read_until
from tests.cli.system.test_up_gone import PATIENCE_S, children_of, wait_for, watched
from tests.support.faces.newsroom import Newsroom

URL = "https://news.example/1"


@asynccontextmanager
async def serving(program: Program) -> AsyncIterator[asyncio.subprocess.Process]:
    """`inforadar api` in two processes, which keep silent connections."""
    patient = replace(program, extra={"INFORADAR_IDLE_TIMEOUT": "3600"})
    async with patient.started("--log-level", "info", "api", "--processes", "2") as parent:
        for _ in range(2):
            await read_until(parent, "api.started")
        yield parent


class Client:
    """A connection to one process, which the system chooses."""

    def __init__(self, program: Program) -> None:
        token = (program.home / "admin-token").read_text().strip()
        self.session = aiohttp.ClientSession(
            program.url,
            connector=aiohttp.TCPConnector(limit=1, socket_factory=self._open),
            headers={"Authorization": f"Bearer {token}"},
        )

    def _open(self, address: tuple[Any, ...]) -> socket.socket:
        self._socket = socket.socket(*address[:3])
        return self._socket

    async def answering(self, processes: set[int]) -> int | None:
        """Ask, and return which of the processes has the connection."""
        async with self.session.get("/health/live") as response:
            assert response.status == 200
        port = self._socket.getsockname()[1]
        for process in processes:
            for found in psutil.Process(process).net_connections("tcp"):
                if found.raddr and found.raddr.port == port:
                    return process
        return None


async def clients_of(program: Program, processes: set[int], stack: AsyncExitStack) -> list[Client]:
    """Connect until each process has a client."""
    found: dict[int, Client] = {}
    async with asyncio.timeout(PATIENCE_S):
        while found.keys() != processes:
            client = Client(program)
            await stack.enter_async_context(client.session)
            process = await client.answering(processes)
            assert process is not None
            found.setdefault(process, client)
    return [found[process] for process in sorted(found)]


async def starred(client: Client) -> list[str]:
    async with client.session.get("/api/items", params={"starred": "1"}) as response:
        assert response.status == 200
        return [item["id"] for item in (await response.json())["items"]]


async def test_several_processes_are_one_server_and_one_that_dies_is_started_again(
    program: Program, newsroom: Newsroom, web_settings: Settings
) -> None:
    program = replace(program, home=web_settings.home)
    item_id = str((await newsroom.add_item(await newsroom.add_feed(), URL)).id)
    async with serving(program) as parent, AsyncExitStack() as stack:
        processes = set(children_of(parent.pid))
        assert len(processes) == 2
        one, other = await clients_of(program, processes, stack)

        # What is changed through one is seen through the other at once, although both have answered before.
        for client in (one, other):
            assert await starred(client) == []
        async with one.session.put("/api/marks", json={"urls": [URL], "starred": True}) as response:
            assert response.status == 200
        for client in (one, other):
            assert await starred(client) == [item_id]

        # Guessing is counted over all of them.
        for number in range(FREE_FAILURES + 1):
            data = {"token": "a wrong one"}
            async with (one if number else other).session.post(
                "/login", data=data, headers={"Authorization": ""}
            ) as answer:
                assert answer.status == (401 if number < FREE_FAILURES else 429)

        # So are the answers.
        for client in (one, other):
            async with client.session.get("/metrics") as response:
                assert 'inforadar_http_requests_total{status="429"} 1\n' in await response.text()

        refused = await program.run("api")
        assert refused.code == 2
        assert f"Port {program.port} on 127.0.0.1 is taken by another program" in refused.err

        killed = min(processes)
        os.kill(killed, signal.SIGKILL)
        said = await read_until(parent, "It is started again in 1 second.")
        assert "ended unexpectedly (killed by SIGKILL)" in said
        assert await other.answering(processes - {killed}) == max(processes)
        await read_until(parent, "api.started")
        processes = set(children_of(parent.pid))
        assert len(processes) == 2
        assert killed not in processes
        for client in await clients_of(program, processes, stack):
            assert await starred(client) == [item_id]

        with ExitStack() as watching:
            ends = [watching.enter_context(watched(process)) for process in processes]
            parent.terminate()
            await asyncio.to_thread(wait_for, ends)
            async with asyncio.timeout(PATIENCE_S):
                assert await parent.wait() == 0
        assert parent.stdout is not None
        assert "Traceback" not in (await parent.stdout.read()).decode()


async def test_processes_end_with_their_parent_and_free_the_port(program: Program) -> None:
    assert (await program.run("db", "upgrade")).code == 0
    async with serving(program) as parent:
        with ExitStack() as watching:
            ends = [watching.enter_context(watched(process)) for process in children_of(parent.pid)]
            parent.kill()
            await asyncio.to_thread(wait_for, ends)
    with socket.create_server(("127.0.0.1", program.port)):
        done = await program.run("api", "--processes", "2")
    assert done.code == 2
    assert f"Port {program.port} on 127.0.0.1 is taken by another program" in done.err


async def test_a_process_that_cannot_start_ends_all(program: Program) -> None:
    assert (await program.run("db", "upgrade")).code == 0
    (program.home / "admin-token").write_text("short")
    done = await program.run("api", "--processes", "2")
    assert done.code == 1
    assert "does not hold a token" in done.err
    assert "did not start (see above), so all were stopped." in done.out
