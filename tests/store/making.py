"""What the tests of the store begin with: feeds, listings and finished jobs, and looks into the tables."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Table, func, select, update

from inforadar.model.feed import Feed
from inforadar.model.http import Outcome
from inforadar.model.ids import FeedId, RunId
from inforadar.model.item import Listed
from inforadar.model.run import RunKind
from inforadar.model.schedule import FinishedJob, Lease, NextRun, Saved
from inforadar.model.sitemap import UrlState
from inforadar.stages.diff import diff
from inforadar.store.database import Database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.queries import load_feed
from inforadar.store.leases import claim_feeds
from inforadar.store.runs.save import insert_run
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.schema.sitemaps import url_states
from inforadar.store.types import db_later, db_now
from inforadar.store.writer import save_collected

NOW = datetime(2026, 3, 14, 15, 9, 26, 535897, tzinfo=UTC)


async def add_feed(database: Database, url: str = "https://example.com/feed", **columns: Any) -> Feed:
    feed, _ = await database.write(insert_feed, url, **{"enabled": True, "polling": True, **columns})
    return feed


async def add_feeds(database: Database, number: int, *, due_s: float | None = None) -> list[Feed]:
    """`due_s`: that many seconds from now; so many that one transaction must do."""

    def insert(connection: Any) -> list[Feed]:
        made = [
            insert_feed(connection, f"https://site-{n}.example/feed", enabled=True, polling=True)[0]
            for n in range(number)
        ]
        if due_s is not None:
            connection.execute(update(feed_schedules).values(next_run_at=db_later(due_s)))
        return made

    return await database.write(insert)


async def reload(database: Database, feed: Feed) -> Feed:
    return await database.read(load_feed, feed.id)


async def set_feed(database: Database, feed: Feed, **columns: Any) -> None:
    await database.write(lambda c: c.execute(update(feeds).where(feeds.c.id == feed.id).values(**columns)))


async def set_schedule(database: Database, feed: Feed, **columns: Any) -> None:
    row = feed_schedules.c.id == feed.id
    await database.write(lambda c: c.execute(update(feed_schedules).where(row).values(**columns)))


async def set_due(database: Database, feed: Feed, after_s: float = -1.0) -> None:
    await set_schedule(database, feed, next_run_at=db_later(after_s))


async def expire_lease(database: Database, feed: Feed) -> None:
    """As if the ten minutes were over."""
    await set_schedule(database, feed, locked_until=db_later(-1.0), next_run_at=db_later(-1.0))


async def claim(database: Database, feed: Feed) -> Lease:
    (lease,) = await database.write(claim_feeds, [feed.id])
    return lease


async def start_run(database: Database) -> RunId:
    return await database.write(insert_run, RunKind.COLLECT, NOW)


def listed(url: str = "https://example.com/1", **fields: Any) -> Listed:
    return Listed(url=url, **{"title": "A title", "published_at": NOW, **fields})


def collected(lease: Lease, run_id: RunId, *items: Listed, **fields: Any) -> FinishedJob:
    given = {"at": NOW, "outcome": Outcome.SUCCESS, "next_run": NextRun(after_s=3600.0), **fields}
    return FinishedJob(lease=lease, run_id=run_id, listed=items, **given)


async def save(database: Database, jobs: Sequence[FinishedJob]) -> dict[FeedId, Saved | None]:
    return await database.write(save_collected, jobs, diff)


async def collect(database: Database, feed: Feed, *items: Listed, **fields: Any) -> Saved:
    """Claims, then saves: one whole job."""
    lease = await claim(database, feed)
    saved = (await save(database, [collected(lease, await start_run(database), *items, **fields)]))[feed.id]
    assert saved is not None
    return saved


async def rows(database: Database, table: Table) -> list[Any]:
    return await database.read(lambda connection: list(connection.execute(select(table))))


async def count(database: Database, table: Table) -> int:
    return await database.read(lambda c: c.execute(select(func.count()).select_from(table)).scalar_one())


async def count_leases(database: Database) -> int:
    held = feed_schedules.c.locked_until > db_now()
    return await database.read(lambda c: c.execute(select(func.count()).where(held)).scalar_one())


async def count_urls(database: Database, site_name: str) -> dict[UrlState, int]:
    """How many URLs of a site are in which state."""
    state = url_states.c.state
    query = select(state, func.count()).where(url_states.c.site_name == site_name).group_by(state)
    return {
        UrlState(found): number for found, number in await database.read(lambda c: list(c.execute(query)))
    }
