"""The port of the API: whether it is free, and keeping it for several processes. Light to import, for their parent."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from inforadar.config import Settings
from inforadar.errors import UsageError


def check_port(settings: Settings) -> None:
    """Raise `UsageError` if the server cannot listen on its address."""
    asyncio.run(bindable_address(settings.web.host, settings.web.port))


@asynccontextmanager
async def kept_port(settings: Settings) -> AsyncIterator[None]:
    """Keep the port for processes that share it, and so from other programs; raise `UsageError` if it is taken."""
    host, port = settings.web.host, settings.web.port
    address = await bindable_address(host, port)
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    # It never listens, so it gets no connections.
    with socket.socket(family) as kept:
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        try:
            kept.bind((address, port))
        except OSError as fault:
            raise UsageError(_bind_failure(fault, host, port)) from None
        yield


async def bindable_address(host: str, port: int, *, is_kept: bool = False) -> str:
    """Resolve `host` and check that the port can be bound; raise `UsageError` if not.

    `is_kept`: the parent keeps the port, to be shared.
    """
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
            if is_kept:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
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
