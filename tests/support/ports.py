"""Ports for servers that tests start."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from itertools import cycle

_SHARE = 1000
_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_PORTS = cycle(range(20_000 + _WORKER * _SHARE, 20_000 + (_WORKER + 1) * _SHARE))
"""Below the range that the system assigns from, and a separate range for each test process: two processes could
otherwise find the same port free."""


def free_port() -> int:
    """Return a port that is free now."""
    for port in _PORTS:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")
