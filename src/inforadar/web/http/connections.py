"""Limits on connections that the server does not enforce itself.

granian closes connections that are silent before or between requests, and no others. The rest is done from here, on
copies of the process's own sockets, found among its open files:

- A client that does not read its answer is disconnected by the kernel after a time (`TCP_USER_TIMEOUT` of the
  listening socket, which its connections inherit; Linux only).
- An address with too many connections loses the ones that have been quiet the longest, and so does everybody when the
  server is nearly full. New clients therefore always find a free place.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import socket
import stat
import struct
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import structlog

from inforadar.web.http.networks import network_of

SWEEP_S = 1.0
RESERVED_FILES = 512
"""Open files kept for the database, outgoing requests and the program itself."""
MIN_CONNECTIONS = 64
FULL_SHARE, CLEARED_SHARE = 0.875, 0.75
"""When this share of all places is taken, the quietest connections are closed until the second share is."""
_FOLDERS = ("/proc/self/fd", "/dev/fd")
_TCP_INFO_BYTES = 60
_LAST_SENT_AT, _LAST_RECEIVED_AT = 44, 52
"""Offsets in Linux's `struct tcp_info` of the milliseconds since data was last sent and received."""

log = structlog.get_logger()


def allow_connections(wanted: int) -> int:
    """Raise the process's limit on open files for so many connections; return how many fit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return wanted
    needed = wanted + RESERVED_FILES
    if soft < needed:
        raised = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, raised), hard))
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    fitting = max(MIN_CONNECTIONS, min(wanted, soft - RESERVED_FILES))
    if fitting < wanted:
        log.warning("connections.limited", wanted=wanted, possible=fitting, open_files=soft)
    return fitting


def is_listening(port: int) -> bool:
    """Tell whether this process accepts connections to `port`."""
    with _server_sockets(port) as sockets:
        return any(found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) for found in sockets)


def limit_unread_time(port: int, seconds: float) -> None:
    """Let the kernel end connections to `port` whose client accepts no data for this long. Linux only."""
    option = getattr(socket, "TCP_USER_TIMEOUT", None)
    if option is None:
        return
    with _server_sockets(port) as sockets, contextlib.suppress(OSError):
        for found in sockets:
            if found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                found.setsockopt(socket.IPPROTO_TCP, option, int(seconds * 1000))


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionSweep:
    """Closes the quietest connections of addresses that have too many, and of all if the server is nearly full."""

    port: int
    total: int
    per_address: int | None
    """None: no limit, as behind a proxy, from which all connections come."""

    async def run(self) -> None:
        """Sweep again and again, until cancelled."""
        lowest = min(self.per_address or self.total, int(self.total * FULL_SHARE))
        while True:
            await asyncio.sleep(SWEEP_S)
            if _count_open_files() > lowest and (closed := await asyncio.to_thread(self.sweep)):
                log.warning("connections.closed", number=closed)

    def sweep(self) -> int:
        """Close what is over the limits; return how many connections were closed."""
        of_address: dict[str, list[socket.socket]] = defaultdict(list)
        with _server_sockets(self.port) as sockets:
            for found in sockets:
                # A listening socket has no other end.
                with contextlib.suppress(OSError):
                    of_address[network_of(found.getpeername()[0])].append(found)
            surplus: list[socket.socket] = []
            kept: list[socket.socket] = []
            for connections in of_address.values():
                if self.per_address is not None and len(connections) > self.per_address:
                    connections.sort(key=_quiet_ms)
                    surplus += connections[self.per_address :]
                    kept += connections[: self.per_address]
                else:
                    kept += connections
            if len(kept) > self.total * FULL_SHARE:
                kept.sort(key=_quiet_ms)
                surplus += kept[int(self.total * CLEARED_SHARE) :]
            for connection in surplus:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        return len(surplus)


def _count_open_files() -> int:
    return len(os.listdir(_folder()))


def _folder() -> str:
    return next(name for name in _FOLDERS if Path(name).is_dir())


@contextlib.contextmanager
def _server_sockets(port: int) -> Iterator[list[socket.socket]]:
    """Open copies of this process's TCP sockets with this port.

    A copy stays the same connection, even if the server closes its own meanwhile and the number is used again.
    """
    with contextlib.ExitStack() as opened:
        copies = [_copied(int(name)) for name in os.listdir(_folder())]
        for copy in copies:
            if copy is not None:
                opened.enter_context(copy)
        yield [copy for copy in copies if copy is not None and _own_port(copy) == port]


def _copied(number: int) -> socket.socket | None:
    """Open a copy of the file with this number, if it is a socket."""
    try:
        if not stat.S_ISSOCK(os.fstat(number).st_mode):
            return None
        copy = os.dup(number)
    except OSError:
        return None
    # The given family only names the type of the object: addresses come back in their own form.
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, copy)


def _own_port(found: socket.socket) -> int | None:
    with contextlib.suppress(OSError):
        own = found.getsockname()
        if isinstance(own, tuple) and len(own) > 1:
            return int(own[1])
    return None


def _quiet_ms(connection: socket.socket) -> int:
    """How long nothing moved in either direction; 0 where the system does not say."""
    option = getattr(socket, "TCP_INFO", None)
    if option is None:
        return 0
    try:
        info = connection.getsockopt(socket.IPPROTO_TCP, option, _TCP_INFO_BYTES)
    except OSError:
        return 0
    sent, received = (struct.unpack_from("=I", info, at)[0] for at in (_LAST_SENT_AT, _LAST_RECEIVED_AT))
    return int(min(sent, received))
