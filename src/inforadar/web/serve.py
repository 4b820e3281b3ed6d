"""`inforadar api`: the application on granian, inside our own event loop.

This uses granian's embedded server, not its process manager: one process instead of two, the database is opened
here and passed in, and a stop is an event like any other. Some things it leaves to us. It binds with SO_REUSEPORT,
so a second server on the same port would start and take half of the requests: the port is tried first, without
that option. With several processes this is what is wanted: their parent keeps the port, and Linux spreads new
connections over those that listen. It waits forever for running requests: they are cancelled after
`SHUTDOWN_GRACE_S`. And it waits forever for slow clients unless it speaks HTTP/1 only, and even then for some
(`http/connections.py`, `http/body_limits.py`).
"""

from __future__ import annotations

import asyncio

import structlog
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.embed import Server
from starlette.types import ASGIApp, Receive, Scope, Send

from inforadar.config import Settings
from inforadar.errors import InfoRadarError
from inforadar.store.database import Database
from inforadar.web.app import create_app
from inforadar.web.feeds.rss import PATH as RSS_PATH
from inforadar.web.http.admin_token import load_admin_token
from inforadar.web.http.connections import ConnectionSweep, allow_connections, is_listening, limit_unread_time
from inforadar.web.http.request_ids import RequestIds
from inforadar.web.http.rsgi import RsgiApp
from inforadar.web.port import bindable_address
from inforadar.web.shared import Shared

SHUTDOWN_GRACE_S = 1.0
"""How long running requests may continue after a stop."""
BACKLOG = 1024
"""Connections that wait to be accepted. By default granian serves no more than that at once."""

log = structlog.get_logger()


async def serve_api(
    database: Database,
    settings: Settings,
    stop: asyncio.Event,
    *,
    ready: asyncio.Event | None = None,
    shared: Shared | None = None,
) -> None:
    """Serve until `stop` is set; set `ready` once the port accepts connections.

    `shared` is given to each of several processes that share the port, which their parent keeps.
    """
    host, port = settings.web.host, settings.web.port
    address = await bindable_address(host, port, is_kept=shared is not None)
    shared = shared or Shared()
    database.write_count = shared.writes
    web = create_app(database, settings, load_admin_token(settings.home), shared=shared)
    requests = _RunningRequests(web.app)
    clients = settings.clients
    connections = allow_connections(clients.connections)
    server = Server(
        RsgiApp(RequestIds(requests), path=RSS_PATH, find=web.find_ready, count_answer=web.count_answer),
        address=address,
        port=port,
        interface=Interfaces.RSGI,
        websockets=False,
        log_enabled=False,
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(header_read_timeout=int(clients.idle_timeout * 1000)),
        backlog=BACKLOG,
        backpressure=connections,
    )
    sweep = ConnectionSweep(
        port=port,
        total=connections,
        per_address=None if settings.web.behind_proxy else clients.connections_per_address,
    )
    serving = asyncio.create_task(server.serve(), name="granian")
    stopping = asyncio.create_task(stop.wait(), name="stop")
    sweeping: asyncio.Task[None] | None = None
    try:
        await _wait_until_listening(port, serving)
        limit_unread_time(port, clients.unread_timeout)
        sweeping = asyncio.create_task(sweep.run(), name="connections")
        shown = f"[{address}]" if ":" in address else address
        log.info("api.started", url=f"http://{shown}:{port}/", process=shared.own + 1)
        shared.ready[shared.own] = 1
        if ready is not None:
            ready.set()
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            raise InfoRadarError(
                "The web server stopped unexpectedly. Start it again."
            ) from serving.exception()
    finally:
        stopping.cancel()
        if sweeping is not None:
            sweeping.cancel()
        server.stop()  # type: ignore[no-untyped-call]
        await asyncio.wait({serving}, timeout=SHUTDOWN_GRACE_S)
        requests.cancel()
        await asyncio.wait({serving}, timeout=SHUTDOWN_GRACE_S / 2)
        serving.cancel()
        await web.close()
    log.info("api.stopped")


async def _wait_until_listening(port: int, serving: asyncio.Task[None]) -> None:
    """Wait until this process listens: granian does so in its own thread and does not say when."""
    while not serving.done():
        if is_listening(port):
            return
        await asyncio.sleep(0.005)


class _RunningRequests:
    """Tracks running requests so that they can be cancelled, and logs the ones that fail."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._running: set[asyncio.Task[object]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._running.add(task)
        try:
            await self._app(scope, receive, send)
        except Exception:
            log.exception("request.failed", path=scope["path"])
            raise
        finally:
            self._running.discard(task)

    def cancel(self) -> None:
        for task in self._running:
            task.cancel()
