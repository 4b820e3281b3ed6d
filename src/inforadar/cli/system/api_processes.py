"""The API in one process, or in several that a parent keeps running.

The parent keeps the port, makes the memory that the processes share, and starts again whichever of them ends. It serves
nothing itself, so it loads no server. How the processes divide the work: `inforadar.web.serve`; what they share:
`inforadar.web.shared`.
"""

from __future__ import annotations

import asyncio
import os
import sys

from inforadar.app.process import garbage_collected_regularly
from inforadar.app.store import open_store
from inforadar.cli.system.children import SUPERVISED, Child, Children
from inforadar.cli.system.login_link import login_link
from inforadar.cli.system.signals import STOP_S, until_signal
from inforadar.cli.terminal.output import print_line
from inforadar.config import Settings
from inforadar.store.database import Database
from inforadar.web.port import kept_port
from inforadar.web.shared import Shared, make_shared_file

PLACE = "INFORADAR_API_PLACE"
"""Set for each of several processes: the file of the shared memory, the process's number, how many there are."""
PARENT_STOP_S = STOP_S - 2
"""How long the parent waits for its processes: a second less than whoever stops the parent."""


def number_of_processes(settings: Settings) -> int:
    return settings.web.api_processes or os.cpu_count() or 1


async def serve_alone(settings: Settings) -> int:
    """Serve in this process."""

    async def work(stop: asyncio.Event) -> None:
        async with open_store(settings) as database:
            await _print_login_link(database, settings)
            await _serve(database, settings, stop)

    await until_signal(work, leaves_threads=True)
    return 0


async def serve_as_one_of(settings: Settings, place: str) -> int:
    """Serve in this process, beside others; `place` is what the parent says about it."""
    file, own, processes = map(int, place.split())
    shared = Shared.of(file, processes=processes, own=own)
    os.close(file)

    async def work(stop: asyncio.Event) -> None:
        async with open_store(settings, sharers=processes) as database:
            await _serve(database, settings, stop, shared)

    await until_signal(work, leaves_threads=True)
    return 0


async def serve_in_processes(settings: Settings) -> int:
    """Keep several processes running that serve on one port. Return 1 if one of them does not start."""
    children: list[Children] = []

    async def work(stop: asyncio.Event) -> None:
        async with kept_port(settings):
            async with open_store(settings) as database:
                await _print_login_link(database, settings)
            children.append(await _supervise(settings, stop))

    await until_signal(work)
    if (died := children[0].died) is not None:
        print_line(f"{died.name} did not start (see above), so all were stopped.")
        return 1
    return 0


async def _supervise(settings: Settings, stop: asyncio.Event) -> Children:
    web, number = settings.web, number_of_processes(settings)
    environment = {
        "INFORADAR_HOME": str(settings.home),
        "INFORADAR_HOST": web.host,
        "INFORADAR_PORT": str(web.port),
    }
    children = Children(stop, environment)
    with make_shared_file(number) as file:
        shared = Shared.of(file.fileno(), processes=number, own=0)
        try:
            await asyncio.gather(
                *(children.start(_child(shared, file.fileno(), own)) for own in range(number))
            )
            await children.keep_running()
        finally:
            await children.stop(within_s=PARENT_STOP_S)
    return children


def _child(shared: Shared, file: int, own: int) -> Child:
    async def is_ready() -> bool:
        return bool(shared.ready[own])

    return Child(
        command="api",
        name=f"API process {own + 1}",
        environment={PLACE: f"{file} {own} {shared.processes}"},
        files=(file,),
        is_ready=is_ready,
    )


async def _serve(
    database: Database, settings: Settings, stop: asyncio.Event, shared: Shared | None = None
) -> None:
    from inforadar.web.serve import serve_api  # noqa: PLC0415 - the parent of several processes serves nothing

    async with garbage_collected_regularly():
        await serve_api(database, settings, stop, shared=shared)


async def _print_login_link(database: Database, settings: Settings) -> None:
    if sys.stdout.isatty() and SUPERVISED not in os.environ:
        print(f"Log in, once: {await login_link(database, settings)}")  # not masked: it is the secret
