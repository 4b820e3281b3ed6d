"""A clock that was ahead: what it postponed is done as soon as another clock notices."""

from __future__ import annotations

from datetime import time, timedelta
from typing import Any

import pytest
from sqlalchemy import Column, Table, insert, select, update

from inforadar.clock import utc_now
from inforadar.model.rule import Digest
from inforadar.store import lease_tokens
from inforadar.store.database import Database
from inforadar.store.leases import LEASE_S, claim_due_feeds
from inforadar.store.rules.deliveries import RETRY_S, claim_deliveries, has_deliveries
from inforadar.store.schema.articles import articles
from inforadar.store.schema.feeds import feed_schedules
from inforadar.store.schema.items import items
from inforadar.store.schema.rules import deliveries, notifications
from inforadar.store.schema.stories import story_queue
from inforadar.store.schema.workers import workers
from inforadar.store.types import db_later, db_now
from inforadar.store.workers import ALIVE_S, renew_worker
from tests.pipeline.notify.receiving import add_hook
from tests.store.making import add_feed, claim, collect, listed, rows
from tests.store.test_workers import CLAIMS

AHEAD_S = 7200.0
QUEUES: tuple[tuple[Table, Column[Any]], ...] = (
    (feed_schedules, feed_schedules.c.next_run_at),
    (articles, articles.c.next_attempt_at),
    (items, items.c.analyze_at),
    (story_queue, story_queue.c.due_at),
    (deliveries, deliveries.c.next_attempt_at),
    (notifications, notifications.c.due_at),
)


async def execute(database: Database, statement: Any) -> None:
    await database.write(lambda connection: connection.execute(statement))


async def look_at_the_clock(database: Database, *, is_own: bool = False) -> int:
    """As if the clock had been ahead when this worker, or one that was killed, renewed its row."""
    await database.write(renew_worker, "ahead")
    await execute(database, update(workers).values(alive_until=db_later(AHEAD_S + ALIVE_S)))
    if not is_own:
        lease_tokens._key.cache_clear()
    return await database.write(renew_worker, "another")


async def due(database: Database) -> list[str]:
    """Queues that have a row which is due."""
    found = []
    for table, time_due in QUEUES:
        is_due = select(table).where(time_due <= db_now())
        if await database.read(lambda connection, query=is_due: connection.execute(query).first()):
            found.append(table.name)
    return found


async def fill(database: Database, **settings: Any) -> None:
    """A row in each queue, due in two hours."""
    feed = await add_feed(database)
    await collect(database, feed, listed(), at=utc_now() + timedelta(seconds=AHEAD_S))
    (item,) = await rows(database, items)
    channel = await add_hook(database, "https://example.com/hook", **settings)
    await execute(database, insert(deliveries).values(channel_id=channel.id, payload={}))
    await execute(database, insert(notifications).values(channel_id=channel.id, item_id=item.id))
    for table, time_due in QUEUES:
        await execute(database, update(table).values({time_due.name: db_later(AHEAD_S)}))


@pytest.mark.parametrize("is_own", [False, True], ids=["of another worker", "of this one, before it was set"])
async def test_what_a_clock_that_was_ahead_postponed_is_due(database: Database, is_own: bool) -> None:
    await fill(database)
    assert await due(database) == []
    await look_at_the_clock(database, is_own=is_own)
    assert await due(database) == [table.name for table, _ in QUEUES]


async def test_what_failed_or_has_its_own_time_keeps_it(database: Database) -> None:
    await fill(database, digest=Digest(every="day", at=time(8), weekday=0, zone="UTC"))
    await execute(database, update(feed_schedules).values(fetched_at=db_now()))
    await execute(database, update(articles).values(attempts=1))
    await execute(database, update(items).values(analyze_attempts=1))
    await execute(database, update(story_queue).values(lease_token="0" * 32, locked_until=db_later(LEASE_S)))
    await execute(database, update(deliveries).values(attempts=1))
    await look_at_the_clock(database)
    assert await due(database) == []


async def test_nothing_is_brought_forward_while_all_clocks_are_right(database: Database) -> None:
    await fill(database)
    await database.write(renew_worker, "one")
    lease_tokens._key.cache_clear()
    await database.write(renew_worker, "another")
    await execute(database, update(workers).values(alive_until=db_later(-1)))
    lease_tokens._key.cache_clear()
    await database.write(renew_worker, "a third")
    assert await due(database) == []


async def test_leases_of_a_worker_whose_clock_was_ahead_are_freed(database: Database) -> None:
    feed = await add_feed(database)
    await collect(database, feed, listed())
    for table, time_due in QUEUES[:4]:
        await execute(database, update(table).values({time_due.name: db_now()}))
    for take in CLAIMS:
        assert await database.write(take, 10)
    later = db_later(AHEAD_S + LEASE_S)
    for (table, time_due), until in zip(
        QUEUES[:4], ("locked_until", "locked_until", "analyze_until", "locked_until"), strict=True
    ):
        await execute(database, update(table).values({time_due.name: later, until: later}))
    assert await look_at_the_clock(database) == len(CLAIMS)
    for take in CLAIMS:
        assert await database.write(take, 10)


@pytest.mark.parametrize(
    "wrong",
    [
        {"next_attempt_at": db_later(RETRY_S[-1] + 100.0), "attempts": 1},
        {"locked_until": db_later(AHEAD_S), "lease_token": "0" * 32},
    ],
    ids=["postponed", "leased"],
)
async def test_a_message_waits_no_longer_than_any_retry_or_lease(
    database: Database, wrong: dict[str, Any]
) -> None:
    channel = await add_hook(database, "https://example.com/hook")
    message = {"channel_id": channel.id, "payload": {}, "next_attempt_at": db_later(-1.0)}
    await execute(database, insert(deliveries).values(message | wrong))
    assert await database.read(has_deliveries)
    assert len(await database.write(claim_deliveries, 10)) == 1


async def test_a_lease_of_the_living_is_not_brought_forward(database: Database) -> None:
    feed = await add_feed(database)
    await claim(database, feed)
    lease_tokens._key.cache_clear()
    await execute(database, update(feed_schedules).values(fetched_at=db_later(AHEAD_S)))
    await look_at_the_clock(database)
    assert await database.write(claim_due_feeds, 1) == []
