"""Ports for servers that tests start."""

from __future__ import annotations

import fcntl
import os
import socket
import tempfile
from contextlib import suppress
from functools import cache
from itertools import cycle, islice
from pathlib import Path

_FIRST, _SHARE, _SHARES = 20_000, 1000, 12
"""Below the range that the system assigns from, in shares of which each process locks one: two processes, of one run of
the suite or of several, could otherwise find the same port free. A share is large, because a stopped web server keeps
its socket until the process ends."""


@cache
def _ports() -> cycle[int]:
    begin = _FIRST + _lock_share() * _SHARE
    return cycle(range(begin, begin + _SHARE))


def _lock_share() -> int:
    folder = Path(tempfile.gettempdir()) / "inforadar-test-ports"
    folder.mkdir(exist_ok=True)
    for share in range(_SHARES):
        # Open for as long as the process lives, and the lock with it.
        lock = os.open(folder / str(share), os.O_RDWR | os.O_CREAT, 0o600)
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return share
        os.close(lock)
    raise AssertionError("every share of the ports is taken: too many runs of the suite at once")


def free_port() -> int:
    """Return a port that is free now."""
    for port in islice(_ports(), _SHARE):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")
