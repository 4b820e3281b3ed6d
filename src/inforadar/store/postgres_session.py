"""What keeps PostgreSQL and us from waiting for each other when one of us has vanished."""

from __future__ import annotations

import socket
from typing import Any

SILENCE_S = 60
"""How long a silent connection is kept. PostgreSQL ends a session that was cut off or frozen inside a transaction;
otherwise its locks would block rows whose leases expired long ago. We drop a server that vanished."""


def session_settings() -> dict[str, str]:
    """The settings of each session."""
    return {
        "idle_in_transaction_session_timeout": f"{SILENCE_S}s",
        "tcp_keepalives_idle": f"{SILENCE_S // 2}s",
        "tcp_keepalives_interval": f"{SILENCE_S // 6}s",
        "tcp_keepalives_count": "3",
        "tcp_user_timeout": f"{SILENCE_S}s",
    }


def detect_dead_server(dbapi_connection: Any, _record: Any) -> None:
    """Turn on TCP keepalives; otherwise the driver would wait forever for a server that vanished."""
    sock = dbapi_connection.driver_connection._transport.get_extra_info("socket")
    if sock.family == socket.AF_UNIX:
        return
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (
        ("TCP_KEEPIDLE", SILENCE_S // 2),
        ("TCP_KEEPINTVL", SILENCE_S // 6),
        ("TCP_KEEPCNT", 3),
        ("TCP_USER_TIMEOUT", SILENCE_S * 1000),
    ):
        if option := getattr(socket, name, None):  # not every system has each of them
            sock.setsockopt(socket.IPPROTO_TCP, option, value)
