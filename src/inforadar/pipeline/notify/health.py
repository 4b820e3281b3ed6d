"""Look at the feeds' health now and then, and begin or end alerts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from inforadar.model.alert import AlertKind, FoundAlert
from inforadar.model.feed import Feed
from inforadar.stages.rhythm.silence import is_unlikely_silence
from inforadar.store.database import Database
from inforadar.store.feeds.rhythms import load_rhythms
from inforadar.store.rules.alerts import find_quiet, find_troubled
from inforadar.store.rules.save_alerts import save_alerts

CHECK_EVERY_S = 600.0
SILENCE_EVERY = timedelta(hours=1)
"""Silence is judged from every feed's rhythm, which costs more, and changes slowly."""
_TROUBLES = frozenset(AlertKind) - {AlertKind.SILENT}

log = structlog.get_logger()


@dataclass(slots=True, kw_only=True)
class HealthWatch:
    database: Database
    failures: int
    """A feed is broken after this many failures in a row …"""
    hours: float
    """… over this many hours."""
    now: Callable[[], datetime]
    _silence_checked_at: datetime | None = None

    async def run_once(self) -> float:
        """Look once; return the seconds until the next time."""
        now = self.now()
        troubled = await self.database.read(
            lambda connection: list(find_troubled(connection, now, failures=self.failures, hours=self.hours))
        )
        begun = await self.database.write(save_alerts, _TROUBLES, troubled, now)
        if self._silence_checked_at is None or now - self._silence_checked_at >= SILENCE_EVERY:
            begun += await self.database.write(save_alerts, {AlertKind.SILENT}, await self._silent(now), now)
            self._silence_checked_at = now
        if begun:
            log.info("alerts.begun", alerts=begun)
        return CHECK_EVERY_S

    async def _silent(self, now: datetime) -> list[FoundAlert]:
        quiet = {feed.id: feed for feed in await self.database.read(find_quiet, now)}
        rhythms = await self.database.read(load_rhythms, list(quiet))
        return [
            FoundAlert(
                feed_id=feed_id, kind=AlertKind.SILENT, message=_message(quiet[feed_id], rhythm.last_at, now)
            )
            for feed_id, rhythm in rhythms.items()
            if is_unlikely_silence(rhythm, now.timestamp(), quiet[feed_id].zone)
        ]


def _message(feed: Feed, last_at: float | None, now: datetime) -> str:
    hours = round((now.timestamp() - (last_at or 0)) / 3600)
    length = f"{hours} hours" if hours < 72 else f"{hours // 24} days"
    return f"Nothing new for {length}; by its own rhythm, 99 of 100 gaps are shorter."
