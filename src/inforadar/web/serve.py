"""`inforadar api`: the application on granian, inside our own event loop.

Granian's embedded server, not its process manager: one process instead of two, the database is opened here
and handed over, and a stop is an event like any other. Two things it leaves to us. It binds with
SO_REUSEPORT, so a second server on the same port would start happily and take half of the requests: the
port is tried first, without that option. And it waits for running requests without end: after a moment they
are cancelled.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket

import structlog
from granian.constants import Interfaces
from granian.server.embed import Server
from starlette.types import ASGIApp, Receive, Scope, Send

from inforadar.config import Settings
from inforadar.errors import InfoRadarError, UsageError
from inforadar.store.database import Database
from inforadar.web.app import create_app
from inforadar.web.feeds.rss import PATH as RSS_PATH
from inforadar.web.http.admin_token import load_admin_token
from inforadar.web.http.request_ids import RequestIds
from inforadar.web.http.rsgi import RsgiApp

GRACE_S = 1.0
"""So long may requests go on that run when the stop comes."""

log = structlog.get_logger()


def check_port(settings: Settings) -> None:
    """Refuses at once if the address cannot be listened on."""
    asyncio.run(_free_address(settings.web.host, settings.web.port))


def login_link(settings: Settings) -> str:
    """For the terminal, and nowhere else: it carries the admin token."""
    return f"{settings.web.outer_url}/login?token={load_admin_token(settings.home)}"


async def serve_api(
    database: Database, settings: Settings, stop: asyncio.Event, *, ready: asyncio.Event | None = None
) -> None:
    """Serves until `stop` is set; sets `ready` once the port answers."""
    host, port = settings.web.host, settings.web.port
    address = await _free_address(host, port)
    face = create_app(database, settings, load_admin_token(settings.home))
    requests = _Requests(face.app)
    server = Server(
        RsgiApp(RequestIds(requests), path=RSS_PATH, find=face.find_ready, count_answer=face.count_answer),
        address=address,
        port=port,
        interface=Interfaces.RSGI,
        websockets=False,
        log_enabled=False,
    )
    serving = asyncio.create_task(server.serve(), name="granian")
    stopping = asyncio.create_task(stop.wait(), name="stop")
    try:
        await _answering(address, port, serving)
        shown = f"[{address}]" if ":" in address else address
        log.info("api.started", url=f"http://{shown}:{port}/")
        if ready is not None:
            ready.set()
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            raise InfoRadarError("The web server ended by itself. Start it again.") from serving.exception()
    finally:
        stopping.cancel()
        server.stop()  # type: ignore[no-untyped-call]
        await asyncio.wait({serving}, timeout=GRACE_S)
        requests.cancel()
        await asyncio.wait({serving}, timeout=GRACE_S / 2)
        serving.cancel()
        await face.close()
    log.info("api.stopped")


async def _free_address(host: str, port: int) -> str:
    """The address that `host` means, tried out; what is wrong with it is a sentence."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except socket.gaierror:
        raise UsageError(f"{host!r} is no address of this machine. Choose another with --host.") from None
    fault = OSError(errno.EADDRNOTAVAIL, "no address")
    for family, kind, protocol, _, address in found:
        with socket.socket(family, kind, protocol) as probe:
            # Ports that only wait out their last connection count as free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(address)
            except OSError as error:
                fault = error
            else:
                return str(address[0])
        if fault.errno == errno.EADDRINUSE:
            # Not the name's next address: people would be sent to the other program at this one.
            break
    raise UsageError(_why_not(fault, host, port)) from None


def _why_not(fault: OSError, host: str, port: int) -> str:
    match fault.errno:
        case errno.EADDRINUSE:
            return f"Port {port} on {host} is taken by another program. Choose another with --port."
        case errno.EACCES:
            return f"Port {port} needs the rights of an administrator. Choose one above 1023 with --port."
        case errno.EADDRNOTAVAIL:
            return f"{host} is no address of this machine. Choose another with --host."
        case _:
            return f"Nothing can listen on {host}:{port}: {fault.strerror or fault}."


async def _answering(address: str, port: int, serving: asyncio.Task[None]) -> None:
    """Until the port takes connections: granian listens in a thread of its own and does not say when."""
    # The address that means "all" cannot be connected to everywhere.
    target = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address, address)  # noqa: S104
    while not serving.done():
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection(target, port)
            writer.close()
            return
        await asyncio.sleep(0.005)


class _Requests:
    """Knows the requests that are running, so that they can be ended, and logs those that fail."""

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
