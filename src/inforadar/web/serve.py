"""`inforadar api`: the application on granian, inside our own event loop.

This uses granian's embedded server, not its process manager: one process instead of two, the database is opened
here and passed in, and a stop is an event like any other. Some things it leaves to us. It binds with SO_REUSEPORT,
so a second server on the same port would start and take half of the requests: the port is tried first, without
that option. It waits forever for running requests: they are cancelled after `SHUTDOWN_GRACE_S`. And it waits forever
for slow clients unless it speaks HTTP/1 only, and even then for some (`http/connections.py`, `http/body_limits.py`).
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket

import structlog
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.embed import Server
from starlette.types import ASGIApp, Receive, Scope, Send

from inforadar.actions.people.tokens import make_link
from inforadar.config import Settings
from inforadar.errors import InfoRadarError, UsageError
from inforadar.store.database import Database
from inforadar.store.people.queries import load_first_admin
from inforadar.web.app import create_app
from inforadar.web.feeds.rss import PATH as RSS_PATH
from inforadar.web.http.admin_token import load_admin_token
from inforadar.web.http.connections import ConnectionSweep, allow_connections, limit_unread_time
from inforadar.web.http.request_ids import RequestIds
from inforadar.web.http.rsgi import RsgiApp

SHUTDOWN_GRACE_S = 1.0
"""How long running requests may continue after a stop."""
BACKLOG = 1024
"""Connections that wait to be accepted. By default granian serves no more than that at once."""

log = structlog.get_logger()


def check_port(settings: Settings) -> None:
    """Raise `UsageError` if the server cannot listen on its address."""
    asyncio.run(_bindable_address(settings.web.host, settings.web.port))


async def login_link(database: Database, settings: Settings) -> str:
    """Make a link for one login of the first admin. Print it in the terminal and nowhere else."""
    admin = await database.read(load_first_admin)
    return f"{settings.web.outer_url}/login/link?code={await make_link(database, admin.id)}"


async def serve_api(
    database: Database, settings: Settings, stop: asyncio.Event, *, ready: asyncio.Event | None = None
) -> None:
    """Serve until `stop` is set; set `ready` once the port accepts connections."""
    host, port = settings.web.host, settings.web.port
    address = await _bindable_address(host, port)
    web = create_app(database, settings, load_admin_token(settings.home))
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
        await _wait_until_listening(address, port, serving)
        limit_unread_time(port, clients.unread_timeout)
        sweeping = asyncio.create_task(sweep.run(), name="connections")
        shown = f"[{address}]" if ":" in address else address
        log.info("api.started", url=f"http://{shown}:{port}/")
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


async def _bindable_address(host: str, port: int) -> str:
    """Resolve `host` and check that the port can be bound; raise `UsageError` if not."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except socket.gaierror:
        raise UsageError(f"{host!r} is not an address of this machine. Choose another with --host.") from None
    fault = OSError(errno.EADDRNOTAVAIL, "no address")
    for family, kind, protocol, _, address in found:
        with socket.socket(family, kind, protocol) as probe:
            # A port in TIME_WAIT counts as free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(address)
            except OSError as error:
                fault = error
            else:
                return str(address[0])
        if fault.errno == errno.EADDRINUSE:
            # Do not try the name's next address: clients that use this one would reach the other program.
            break
    raise UsageError(_bind_failure(fault, host, port)) from None


def _bind_failure(fault: OSError, host: str, port: int) -> str:
    match fault.errno:
        case errno.EADDRINUSE:
            return f"Port {port} on {host} is taken by another program. Choose another with --port."
        case errno.EACCES:
            return f"Port {port} requires administrator rights. Choose one above 1023 with --port."
        case errno.EADDRNOTAVAIL:
            return f"{host} is not an address of this machine. Choose another with --host."
        case _:
            return f"Cannot listen on {host}:{port}: {fault.strerror or fault}."


async def _wait_until_listening(address: str, port: int, serving: asyncio.Task[None]) -> None:
    """Wait until the port accepts connections: granian listens in its own thread and does not say when."""
    # Not every system can connect to the wildcard address.
    target = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address, address)  # noqa: S104
    while not serving.done():
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection(target, port)
            writer.close()
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
