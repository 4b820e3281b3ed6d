"""Refuse to replace a database that another program is using."""

from __future__ import annotations

import fcntl
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, func, select

from inforadar.errors import DatabaseInUseError, StoreError
from inforadar.store.database import Database
from inforadar.store.schema.articles import articles
from inforadar.store.schema.feeds import feed_schedules
from inforadar.store.schema.items import items
from inforadar.store.types import db_now

_SHARED_FIRST, _SHARED_SIZE = 0x40000002, 510
"""The bytes that every program with the database open locks (SQLite's file format, in WAL mode)."""


def refuse_if_open(path: Path) -> None:
    """Refuse if another program has the database open. Detected by its lock: a damaged file cannot be queried."""
    try:
        file = path.open("r+b")
    except FileNotFoundError:
        return
    except OSError as fault:
        raise StoreError(f"{path} cannot be opened: {fault.strerror}.") from None
    with file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, _SHARED_SIZE, _SHARED_FIRST)
        except OSError:
            raise DatabaseInUseError(
                f"Another program has {path} open. Stop `up`, `worker` and `api` first."
            ) from None


async def refuse_busy(database: Database) -> None:
    """Refuse a database that a worker is working on."""
    until = await database.read(load_last_lease)
    if until is not None:
        raise DatabaseInUseError(
            f"A worker holds leases on {database.name} until {until:%H:%M:%S} UTC. Stop all workers; if one "
            "was killed, wait until then."
        )


def load_last_lease(connection: Connection) -> datetime | None:
    """When the last active lease ends; None if there is none."""
    columns = (feed_schedules.c.locked_until, articles.c.locked_until, items.c.analyze_until)
    ends = [connection.execute(select(func.max(end)).where(end > db_now())).scalar() for end in columns]
    return max((end for end in ends if end is not None), default=None)
