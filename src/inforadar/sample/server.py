"""Serve the sample world on a loopback port. This only listens and opens no outgoing connections."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable
from datetime import datetime

from aiohttp import web

from inforadar.clock import utc_now
from inforadar.config.section import default_of
from inforadar.config.sections import SampleSettings
from inforadar.errors import UsageError
from inforadar.sample.world import World

HOST = "127.0.0.1"
USUAL_PORT: int = default_of(SampleSettings, "port")


async def serve_sample(
    world: World, port: int, ready: asyncio.Event | None = None, *, now: Callable[[], datetime] = utc_now
) -> web.AppRunner:
    """Serve the world until the returned runner is cleaned up with `await runner.cleanup()`.

    `ready` is set once the port answers.
    """

    async def answer(request: web.Request) -> web.Response:
        response = world.respond(request.raw_path, now(), request.headers)
        return web.Response(status=response.status, headers=response.headers, body=response.body)

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, HOST, port).start()
    except OSError as error:
        await runner.cleanup()
        raise UsageError(_bind_error_message(error, port)) from error
    except BaseException:
        await runner.cleanup()
        raise
    if ready is not None:
        ready.set()
    return runner


def check_sample_port(port: int) -> None:
    """Refuse at once if the port is not free: another program's answers must not be taken for the sample's."""
    with socket.socket() as probe:
        # A port in TIME_WAIT counts as free, as it does when the world is served.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise UsageError(_bind_error_message(error, port)) from None


def choose_sample_port(wanted: int) -> int:
    """The port for a new sample: the usual one, or a free one if it is taken. One that a person chose must be free."""
    try:
        check_sample_port(wanted)
    except UsageError:
        if wanted != USUAL_PORT:
            raise
    else:
        return wanted
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _bind_error_message(error: OSError, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} on {HOST}, which the sample world needs, is taken by another program. "
            "Stop that program, choose another port, or start without the sample: --no-sample."
        )
    return f"The sample world cannot be served on {HOST}:{port}: {error.strerror or error}."
