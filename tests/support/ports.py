"""Ports for servers that tests start."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from itertools import cycle

_SHARE = 1000
_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_RANGE = os.getppid() % 3 * 4 + _WORKER % 4
_PORTS = cycle(range(20_000 + _RANGE * _SHARE, 20_000 + (_RANGE + 1) * _SHARE))
"""Below the range that the system assigns from, and a separate range for each of the four processes of a session,
mostly also of another session on the machine: two processes could otherwise find the same port free."""


def free_port() -> int:
    """Return a port that is free now."""
    for port in _PORTS:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")
