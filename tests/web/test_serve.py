from __future__ import annotations

import asyncio
import os
import signal
import socket
import sqlite3
import sys
import threading
from contextlib import closing
from pathlib import Path

import aiohttp
import pytest

from inforadar.config import Settings, load_settings
from inforadar.errors import UsageError
from inforadar.store.database import READERS
from inforadar.web.serve import serve_api
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.serving import running

REPORT_SHUTDOWN = (
    "import atexit; atexit.register(print, 'Python shuts down');from inforadar.__main__ import main; main()"
)


async def start(settings: Settings, *how: str) -> asyncio.subprocess.Process:
    environ = os.environ | {
        "INFORADAR_HOME": str(settings.home),
        "INFORADAR_PORT": str(settings.web.port),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *(how or ("-m", "inforadar")),
        "api",
        env=environ,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )


@pytest.mark.parametrize("name", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_the_process_quietly_with_a_connection_open(
    newsroom: Newsroom, web_settings: Settings, name: signal.Signals
) -> None:
    process = await start(web_settings)
    assert process.stdout
    started = await process.stdout.readline()
    assert b"api.started" in started
    reader, writer = await asyncio.open_connection("127.0.0.1", web_settings.web.port)
    writer.write(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert b"200 OK" in await reader.readline()
    process.send_signal(name)
    async with asyncio.timeout(30):  # the connection stays open for longer
        assert await process.wait() == 0
    rest = await process.stdout.read()
    assert b"api.stopped" in rest
    assert rest.count(b"\n") == 1
    writer.close()


async def test_python_is_not_shut_down_under_the_threads_of_the_server(
    newsroom: Newsroom, web_settings: Settings
) -> None:
    process = await start(web_settings, "-c", REPORT_SHUTDOWN)
    assert process.stdout
    assert b"api.started" in await process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    async with asyncio.timeout(30):
        assert await process.wait() == 0
    rest = await process.stdout.read()
    assert b"api.stopped" in rest
    assert b"Python shuts down" not in rest


async def test_a_request_that_hangs_does_not_hold_up_the_end(
    newsroom: Newsroom, web_settings: Settings
) -> None:
    held, release = threading.Barrier(READERS + 1), threading.Event()

    def hold(connection: object) -> None:
        held.wait()
        release.wait()

    waiting = [asyncio.create_task(newsroom.database.read(hold)) for _ in range(READERS)]
    await asyncio.to_thread(held.wait)
    try:
        async with asyncio.timeout(60), running(newsroom.database, web_settings) as web:
            reader, writer = await asyncio.open_connection("127.0.0.1", web_settings.web.port)
            writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            for _ in range(3):
                async with web.get("/health/live") as response:
                    assert response.status == 200
        assert b"200 OK" not in await reader.read()
        writer.close()
    finally:
        release.set()
        await asyncio.gather(*waiting)


async def test_a_port_that_is_taken_is_a_sentence(newsroom: Newsroom, web_settings: Settings) -> None:
    port = web_settings.web.port
    with socket.create_server(("127.0.0.1", port)), pytest.raises(UsageError) as fault:
        await serve_api(newsroom.database, web_settings, asyncio.Event())
    assert str(fault.value) == (
        f"Port {port} on 127.0.0.1 is taken by another program. Choose another with --port."
    )


async def test_a_second_server_does_not_share_the_port_of_the_first(
    newsroom: Newsroom, web_settings: Settings, web: aiohttp.ClientSession
) -> None:
    with pytest.raises(UsageError, match="is taken by another program"):
        await serve_api(newsroom.database, web_settings, asyncio.Event())


@pytest.mark.parametrize("host", ["203.0.113.7", "no-such-host.invalid"])
async def test_an_address_of_another_machine_is_a_sentence(
    newsroom: Newsroom, tmp_path: Path, host: str
) -> None:
    settings = load_settings(tmp_path, {"INFORADAR_HOST": host})
    with pytest.raises(UsageError, match="is not an address of this machine"):
        await serve_api(newsroom.database, settings, asyncio.Event())


async def test_a_database_that_was_never_set_up_is_refused(web_settings: Settings) -> None:
    web_settings.home.mkdir(exist_ok=True)
    with closing(sqlite3.connect(web_settings.home / "inforadar.db")) as other:
        other.execute("CREATE TABLE of_another_program (id integer)")
    process = await start(web_settings)
    output, _ = await process.communicate()
    assert b"Run `inforadar db upgrade`" in output
    assert process.returncode == 1
