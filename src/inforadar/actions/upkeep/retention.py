"""Apply retention: count what would be deleted, or delete it in batches.

Limits come from the settings; a feed may override them in `feeds.options` (`keep_days`, `keep_items`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from inforadar.config import RetentionSettings
from inforadar.model.feed_options import FeedOptions
from inforadar.model.ids import FeedId
from inforadar.store.database import Database
from inforadar.store.revisions.prune import count_old_versions, prune_old_versions
from inforadar.store.upkeep.delete_surplus import (
    delete_history,
    delete_lost_marks,
    delete_orphans,
    forget_surplus,
)
from inforadar.store.upkeep.surplus import (
    HISTORY,
    Keep,
    count_history,
    count_orphans,
    count_surplus,
    load_database_time,
    load_feed_sizes,
)

ARTICLE_MIN_DAYS = 30
"""How long the row of an unused article is kept, so that its URL is not fetched again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedSurplus:
    feed_id: FeedId
    url: str
    items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Surplus:
    """Counts of rows that exceed the limits, or that were deleted."""

    feeds: tuple[FeedSurplus, ...] = ()
    articles: int = 0
    history: int = 0

    @property
    def items(self) -> int:
        return sum(feed.items for feed in self.feeds)

    def __bool__(self) -> bool:
        return bool(self.feeds or self.articles or self.history)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    database: Database
    settings: RetentionSettings
    published: int
    """Number of items in a feed's document; at least that many are always kept."""

    async def plan(self) -> Surplus:
        """Count what would be deleted. Articles that only become unused by the deletion are not counted yet."""
        return await self._count_or_delete(delete=False)

    async def apply(self) -> Surplus:
        """Delete what exceeds the limits; return what was deleted."""
        return await self._count_or_delete(delete=True)

    async def _count_or_delete(self, *, delete: bool) -> Surplus:
        now = await self.database.read(load_database_time)
        feeds = []
        for holding in await self.database.read(load_feed_sizes):
            keep = self._keep(holding.options, now)
            is_old = keep.since is not None and holding.oldest < keep.since
            is_many = bool(keep.newest) and holding.number > keep.newest
            if not is_old and not is_many:
                continue
            if delete:
                number = await self._forget(holding.feed_id, keep)
            else:
                number = await self.database.read(count_surplus, holding.feed_id, keep)
            if number:
                feeds.append(FeedSurplus(feed_id=holding.feed_id, url=holding.url, items=number))
        articles = await self._articles(now, delete=delete) if self.is_on or feeds else 0
        history = await self._history(now, delete=delete) if self.settings.history_days else 0
        return Surplus(feeds=tuple(feeds), articles=articles, history=history)

    @property
    def is_on(self) -> bool:
        return bool(self.settings.max_age_days or self.settings.max_items)

    def _keep(self, options: FeedOptions, now: datetime) -> Keep:
        options.check("keep_days", "keep_items")
        days = self.settings.max_age_days if options.keep_days is None else options.keep_days
        newest = self.settings.max_items if options.keep_items is None else options.keep_items
        return Keep(
            since=now - timedelta(days=days) if days else None,
            newest=max(newest, self.published) if newest else 0,
        )

    async def _forget(self, feed_id: FeedId, keep: Keep) -> int:
        total = 0
        while number := await self.database.write(forget_surplus, feed_id, keep):
            total += number
        return total

    async def _articles(self, now: datetime, *, delete: bool) -> int:
        before = now - timedelta(days=max(ARTICLE_MIN_DAYS, self.settings.max_age_days))
        if not delete:
            return await self.database.read(count_orphans, before)
        total, after, is_done = 0, None, False
        while not is_done:
            number, after = await self.database.write(delete_orphans, before, after)
            total += number
            is_done = after is None
        await self.database.write(delete_lost_marks)
        return total

    async def _history(self, now: datetime, *, delete: bool) -> int:
        before = now - timedelta(days=self.settings.history_days)
        if not delete:
            versions = await self.database.read(count_old_versions, before)
            return versions + await self.database.read(count_history, before)
        total, uid = await self.database.write(prune_old_versions, before, None)
        while uid is not None:
            number, uid = await self.database.write(prune_old_versions, before, uid)
            total += number
        for table in HISTORY:
            after = None
            while batch := await self.database.write(delete_history, before, table, after):
                total, after = total + batch.deleted, batch.last
        return total
