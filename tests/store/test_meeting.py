"""Transactions that meet on PostgreSQL, held open at the moment that matters.

SQLite has one writer at a time, so these cannot happen there.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import pytest
from sqlalchemy import Connection, Executable, Update, delete, event, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.util import await_only

from inforadar.model.article import Extracted
from inforadar.model.feed import Feed
from inforadar.model.ids import Uid
from inforadar.model.person import FIRST_PERSON
from inforadar.stages.diff import diff
from inforadar.store import leases
from inforadar.store.analyses.claims import claim_analyses
from inforadar.store.analyses.save import save_analysis
from inforadar.store.articles.claims import claim_articles
from inforadar.store.articles.save import ArticleEnding, save_article
from inforadar.store.database import Database, open_database
from inforadar.store.database_url import parse_database_url
from inforadar.store.feeds.add import Subscription, save_subscriptions
from inforadar.store.leases import claim_due_feeds, claim_feeds, extend_leases
from inforadar.store.people.save_marks import save_marks
from inforadar.store.schema.articles import articles
from inforadar.store.schema.feeds import feed_schedules
from inforadar.store.schema.items import forgotten_items, items
from inforadar.store.schema.people import marks
from inforadar.store.types import db_now
from inforadar.store.upkeep.delete_surplus import delete_orphans, forget_surplus
from inforadar.store.upkeep.surplus import Keep
from inforadar.store.writer import save_collected
from inforadar.urls import uid, url_hash
from tests.store.making import NOW, add_feed, add_feeds, claim, collect, collected, listed, rows, start_run
from tests.support.servers import fresh_postgres

pytestmark = pytest.mark.slow

TEXT = Extracted(clean_text="x", markdown="x")
T = TypeVar("T")


@pytest.fixture
async def database_url(postgres_server: dict[str, str]) -> AsyncIterator[str]:
    async with fresh_postgres(postgres_server) as url:
        yield url


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    async with open_database(database_url) as opened:
        yield opened


@pytest.fixture
async def other(database_url: str) -> AsyncIterator[AsyncConnection]:
    """A transaction of another process: open until the test commits it, never waiting long for a lock."""
    engine = create_async_engine(parse_database_url(database_url))
    async with engine.connect() as connection:
        await connection.execute(text("SET lock_timeout = '500ms'"))
        await connection.commit()
        yield connection
    await engine.dispose()


async def until_waiting(database: Database, task: asyncio.Task[Any]) -> None:
    """Until the task waits for a lock, or has ended without waiting."""
    # Of this database alone: other tests use the same server.
    waiting = text(
        "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)"
        " WHERE NOT granted AND datname = current_database()"
    )
    while not task.done() and not await database.read(lambda c: c.execute(waiting).scalar_one()):
        await asyncio.sleep(0)


def failures_of(feed: Feed, failures: int) -> Update:
    return update(feed_schedules).where(feed_schedules.c.id == feed.id).values(failures=failures)


async def test_an_item_that_arrives_while_its_article_is_being_saved_is_woken_all_the_same(
    database: Database, other: AsyncConnection
) -> None:
    """Without a lock each of the two would see the other's past, and nobody would wake the item."""
    one, two = await add_feeds(database, 2)
    await collect(database, one, listed("https://shared.example/1"))
    (job,) = await database.write(claim_articles, 1)
    arriving = collected(
        await claim(database, two), await start_run(database), listed("https://shared.example/1")
    )
    await other.run_sync(save_collected, [arriving], diff)

    saving = asyncio.create_task(database.write(save_article, ArticleEnding(job=job, at=NOW, result=TEXT)))
    await until_waiting(database, saving)
    await other.commit()
    assert await saving
    assert [row.analyze_at is not None for row in await rows(database, items)] == [True, True]


async def test_collecting_and_analyzing_the_same_feed_do_not_wait_for_each_other(
    database: Database, other: AsyncConnection
) -> None:
    """Both need the feed's row and the item's: taken in different orders they would be a deadlock."""
    feed = await add_feed(database)
    await collect(database, feed, listed())
    (article,) = await database.write(claim_articles, 1)
    await database.write(save_article, ArticleEnding(job=article, at=NOW, result=TEXT))
    (job,) = await database.write(claim_analyses, 1)
    await other.execute(select(feed_schedules.c.id).with_for_update())

    analyzing = asyncio.create_task(database.write(save_analysis, job, {}, 0.5, NOW))
    await until_waiting(database, analyzing)
    await other.execute(update(items).values(views=1))
    await other.commit()
    assert await analyzing
    (row,) = await rows(database, items)
    assert (row.views, row.score) == (1, 0.5)


async def test_a_deadlock_costs_a_repetition_and_no_work(database: Database, other: AsyncConnection) -> None:
    one, two = await add_feeds(database, 2)
    tries = 0
    has_first, may_go_on = asyncio.Event(), asyncio.Event()

    def crosswise(connection: Any) -> int:
        nonlocal tries
        tries += 1
        connection.execute(failures_of(one, 9))
        has_first.set()
        await_only(may_go_on.wait())
        connection.execute(failures_of(two, 9))
        return tries

    await other.execute(text("SET lock_timeout = 0"))
    await other.execute(text("SET deadlock_timeout = '1h'"))  # so that it is the other side that is given up
    await other.execute(failures_of(two, 1))
    task = asyncio.create_task(database.write(crosswise))
    await has_first.wait()
    theirs = asyncio.create_task(other.execute(failures_of(one, 1)))
    await until_waiting(database, theirs)
    # PostgreSQL looks for a deadlock once, when a wait has lasted a second: this one must be the last to begin.
    may_go_on.set()
    await theirs
    await other.commit()
    # On a busy machine the repetition may take the row again before the server wakes the other side, and meet it again.
    assert await task >= 2
    assert [row.failures for row in await rows(database, feed_schedules)] == [9, 9]


async def test_a_claim_looks_further_when_others_hold_all_that_it_looked_at(
    database: Database, other: AsyncConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many workers that claim in the same moment all look at those that wait longest."""
    monkeypatch.setattr(leases, "_MIN_WINDOW", 2)
    feeds = await add_feeds(database, 5, due_s=-1)
    held = await other.run_sync(claim_due_feeds, 2)
    (lease,) = await database.write(claim_due_feeds, 1)
    assert lease.feed.id in {feed.id for feed in feeds} - {one.feed.id for one in held}
    await other.commit()


async def test_a_claim_by_id_waits_for_who_only_notes_something(
    database: Database, other: AsyncConnection
) -> None:
    feed = await add_feed(database)
    await other.execute(update(feed_schedules).values(requested_at=db_now()))
    claiming = asyncio.create_task(database.write(claim_feeds, [feed.id]))
    await until_waiting(database, claiming)
    await other.commit()
    assert len(await claiming) == 1


async def test_a_claim_by_id_that_waited_for_another_claim_gets_nothing(
    database: Database, other: AsyncConnection
) -> None:
    feed = await add_feed(database)
    (theirs,) = await other.run_sync(claim_feeds, [feed.id])
    claiming = asyncio.create_task(database.write(claim_feeds, [feed.id]))
    await until_waiting(database, claiming)
    await other.commit()
    assert await claiming == []
    assert await database.write(extend_leases, [theirs]) == {feed.id}


async def test_a_feed_that_another_process_is_adding_is_known_once_it_is_there(
    database: Database, other: AsyncConnection
) -> None:
    wanted = [Subscription(url=f"https://{name}.example/feed") for name in ("theirs", "ours")]
    ((theirs, _),) = await other.run_sync(save_subscriptions, wanted[:1])

    saving = asyncio.create_task(database.write(save_subscriptions, wanted))
    await until_waiting(database, saving)
    await other.commit()
    (first, is_new), (_, is_ours) = await saving
    assert (first.id, is_new, is_ours) == (theirs.id, False, True)
    assert len(await rows(database, feed_schedules)) == 2


OLD = datetime(2020, 1, 1, tzinfo=UTC)
SHARED = "https://shared.example/статья"


async def an_unused_article(database: Database) -> Uid:
    """Its items are gone, and its last attempt was long ago."""
    feed = await add_feed(database, "https://gone.example/feed")
    await collect(database, feed, listed(SHARED))
    await database.write(lambda c: c.execute(delete(items)))
    old = {"attempted_at": OLD, "updated_at": OLD, "next_attempt_at": None, "status": "success"}
    await database.write(lambda c: c.execute(update(articles).values(**old)))
    return uid(SHARED)


async def test_retention_leaves_an_article_to_which_an_item_refers_that_is_just_being_saved(
    database: Database, other: AsyncConnection
) -> None:
    await an_unused_article(database)
    feed = await add_feed(database)
    arriving = collected(await claim(database, feed), await start_run(database), listed(SHARED))
    await other.run_sync(save_collected, [arriving], diff)
    deleting = asyncio.create_task(database.write(delete_orphans, NOW, None))
    await until_waiting(database, deleting)
    await other.commit()
    assert (await deleting)[0] == 0
    assert [row.url for row in await rows(database, articles)] == [SHARED]


async def test_an_article_that_retention_deletes_before_an_item_holds_it_is_queued_again(
    database: Database, other: AsyncConnection
) -> None:
    key = await an_unused_article(database)
    feed = await add_feed(database)
    arriving = collected(await claim(database, feed), await start_run(database), listed(SHARED))
    await other.execute(select(articles.c.uid).where(articles.c.uid == key).with_for_update())
    saving = asyncio.create_task(database.write(save_collected, [arriving], diff))
    await until_waiting(database, saving)
    assert await other.run_sync(delete_orphans, NOW, None) == (1, key)
    await other.commit()
    await saving
    (article,) = await rows(database, articles)
    assert (article.url, article.status, article.next_attempt_at is None) == (SHARED, "not_fetched", False)


async def test_retention_leaves_an_item_that_is_just_being_starred(
    database: Database, other: AsyncConnection
) -> None:
    feed = await add_feed(database)
    await collect(database, feed, listed(SHARED), listed("https://example.com/2"))
    await other.run_sync(save_marks, FIRST_PERSON, SHARED, {"starred": True}, NOW)
    keep = Keep(since=datetime.now(UTC) + timedelta(days=1), newest=0)
    forgetting = asyncio.create_task(database.write(forget_surplus, feed.id, keep))
    await until_waiting(database, forgetting)
    await other.commit()
    assert await forgetting == 1
    assert [row.url for row in await rows(database, items)] == [SHARED]
    assert [row.hash for row in await rows(database, forgotten_items)] == [url_hash("https://example.com/2")]


async def write_after_the_first_statement(
    database: Database, other: AsyncConnection, change: Executable, work: Callable[[Connection], T]
) -> T:
    """Do the work while another process, which locks nothing, commits a change after its first statement."""

    def meet(connection: Connection) -> T:
        @event.listens_for(connection, "after_cursor_execute", once=True)
        def commit_change(*_: object) -> None:
            await_only(other.execute(change))
            await_only(other.commit())

        return work(connection)

    return await database.write(meet)


async def test_retention_looks_again_before_it_deletes_an_article(
    database: Database, other: AsyncConnection
) -> None:
    key = await an_unused_article(database)
    await collect(database, await add_feed(database), listed("https://example.com/2"))
    used = update(items).values(url=SHARED)
    deleted = await write_after_the_first_statement(
        database, other, used, lambda connection: delete_orphans(connection, NOW, None)
    )
    assert deleted == (0, key)
    assert SHARED in {row.url for row in await rows(database, articles)}


async def test_retention_looks_again_before_it_deletes_an_item(
    database: Database, other: AsyncConnection
) -> None:
    feed = await add_feed(database)
    await collect(database, feed, listed(SHARED), listed("https://example.com/2"))
    starred = insert(marks).values(person_id=FIRST_PERSON, hash=url_hash(SHARED), url=SHARED, starred_at=NOW)
    keep = Keep(since=datetime.now(UTC) + timedelta(days=1), newest=0)
    forgotten = await write_after_the_first_statement(
        database, other, starred, lambda connection: forget_surplus(connection, feed.id, keep)
    )
    assert forgotten == 1
    assert [row.url for row in await rows(database, items)] == [SHARED]
