"""Queries about hosts: pauses, crawl delays, and the stored robots.txt."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, not_, select

from inforadar.store.clock_sanity import is_absurd
from inforadar.store.schema.hosts import hosts
from inforadar.store.types import db_now

_h = hosts.c


def load_pauses(connection: Connection) -> dict[str, datetime]:
    """Hosts that are paused now, and until when."""
    query = select(_h.host, _h.paused_until).where(
        _h.paused_until > db_now(), not_(is_absurd(_h.paused_until))
    )
    return {row.host: row.paused_until for row in connection.execute(query)}


def load_crawl_delays(connection: Connection) -> dict[str, float]:
    """Hosts whose robots.txt asks for a longer delay."""
    query = select(_h.host, _h.crawl_delay_s).where(_h.crawl_delay_s > 0)
    return {row.host: row.crawl_delay_s for row in connection.execute(query)}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRobots:
    """A host's robots.txt as it was last fetched."""

    access: str
    text: str
    at: datetime


def load_robots(connection: Connection, name: str) -> StoredRobots | None:
    row = connection.execute(
        select(_h.robots_access, _h.robots_text, _h.robots_at).where(
            _h.host == name, _h.robots_at.is_not(None)
        )
    ).first()
    return (
        StoredRobots(access=row.robots_access, text=row.robots_text or "", at=row.robots_at) if row else None
    )
