"""Serves the sample world on one loopback port. It only listens; nothing here goes out."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable
from datetime import datetime

from aiohttp import web

from inforadar.clock import utc_now
from inforadar.errors import UsageError
from inforadar.sample.world import World

HOST = "127.0.0.1"


async def serve_sample(
    world: World, port: int, ready: asyncio.Event | None = None, *, now: Callable[[], datetime] = utc_now
) -> web.AppRunner:
    """Serve the world until the runner that comes back is cleaned up: `await runner.cleanup()`.

    `ready` is set once the port answers.
    """

    async def answer(request: web.Request) -> web.Response:
        said = world.respond(request.raw_path, now(), request.headers)
        return web.Response(status=said.status, headers=said.headers, body=said.body)

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, HOST, port).start()
    except OSError as error:
        await runner.cleanup()
        raise UsageError(_why_not(error, port)) from error
    except BaseException:
        await runner.cleanup()
        raise
    if ready is not None:
        ready.set()
    return runner


def check_sample_port(port: int) -> None:
    """Refuses at once if the world cannot be served there: another program's answers are not to be taken for ours."""
    with socket.socket() as probe:
        # Ports that only wait out their last connection count as free, as they do when the world is served.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise UsageError(_why_not(error, port)) from None


def _why_not(error: OSError, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} on {HOST}, which the sample world is served on, is taken by another program. "
            "Stop that program, choose another port, or start without the sample: --no-sample."
        )
    return f"The sample world cannot be served on {HOST}:{port}: {error.strerror or error}."
