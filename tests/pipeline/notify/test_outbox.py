"""The outbox when the database goes away or a channel hangs: every match arrives, once or with the same key."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
from aiohttp import web
from sqlalchemy import func, select, update

from inforadar.actions.rules.manage import add_rule
from inforadar.errors import StoreError
from inforadar.model.person import FIRST_PERSON
from inforadar.model.rule import RuleActions
from inforadar.pipeline.notify.stage import SENT_AT_ONCE
from inforadar.store.database import Database, open_database
from inforadar.store.schema.rules import deliveries, events, notifications
from inforadar.store.types import db_later
from inforadar.store.upkeep.upgrade import upgrade_database
from tests.pipeline.notify.receiving import Receiver, add_hook, known_feed, notifier, publish, receiver
from tests.support.servers import own_postgres
from tests.support.servers_fixtures import SqliteBackend

MATCHES = 5


async def _prepare(database: Database, hook: Receiver) -> None:
    """Matches that have not been evaluated yet, each with a message of its own."""
    feed = await known_feed(database)
    await add_hook(database, hook.url, limit=1000)
    for number in range(MATCHES):
        await add_rule(database, FIRST_PERSON, f"R{number}", f"ferry{number}", RuleActions(notify=("hook",)))
    await publish(database, feed, **{f"n{n}": f"Ferry{n}" for n in range(MATCHES)})


async def _finish(database: Database) -> None:
    """The leases of what was being sent are over; everything is tried again."""
    await database.write(
        lambda c: c.execute(
            update(deliveries)
            .where(deliveries.c.next_attempt_at.is_not(None))
            .values(locked_until=None, next_attempt_at=db_later(-1.0))
        )
    )
    async with notifier(database) as stage:
        await stage.run_once()


async def _assert_nothing_is_lost(database: Database, hook: Receiver) -> None:
    by_key = {headers["webhook-id"]: set() for headers, _ in hook.requests}
    for (headers, _), body in zip(hook.requests, hook.bodies, strict=True):
        by_key[headers["webhook-id"]] |= {item["url"] for item in body["items"]}
    assert sorted(url for urls in by_key.values() for url in urls) == [
        f"https://example.com/n{n}" for n in range(MATCHES)
    ], "each match has one key, however often it was sent"
    for query in (
        select(func.count()).where(deliveries.c.state != "sent"),
        select(func.count()).where(notifications.c.due_at.is_not(None)),
        select(func.count()).where(events.c.number.is_(None)),
    ):
        assert await database.read(lambda c, q=query: c.execute(q).scalar_one()) == 0


async def test_a_server_that_stops_while_messages_are_sent_loses_none() -> None:
    with own_postgres() as server:
        async with (
            open_database(server.get_uri()) as database,
            receiver() as hook,
            notifier(database) as stage,
        ):
            await upgrade_database(database)
            await _prepare(database, hook)
            arrived, stopped = asyncio.Event(), asyncio.Event()

            async def answer_late(request: web.Request, answer=hook.answer) -> web.Response:  # type: ignore[no-untyped-def]
                answered = await answer(request)
                arrived.set()
                await stopped.wait()
                return answered

            hook.react = answer_late
            running = asyncio.create_task(stage.run_once())
            await arrived.wait()
            await asyncio.to_thread(server.stop)
            stopped.set()
            with pytest.raises(StoreError, match="does not answer"):
                await running
            with pytest.raises(StoreError):
                await stage.run_once()
            hook.react = None
            await asyncio.to_thread(server.start)
            await _finish(database)
            await _assert_nothing_is_lost(database, hook)


@pytest.fixture
async def sqlite(sqlite_template: Path, tmp_path: Path) -> AsyncIterator[tuple[Database, Path]]:
    async with (
        SqliteBackend(sqlite_template, tmp_path).fresh() as url,
        open_database(url, lock_timeout_s=0.05) as database,
    ):
        yield database, Path(url.removeprefix("sqlite:///"))


async def test_a_locked_file_delays_messages_and_loses_none(sqlite: tuple[Database, Path]) -> None:
    database, path = sqlite
    async with receiver() as hook, notifier(database) as stage:
        await _prepare(database, hook)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError, match="locked by another program"):
                await stage.run_once()
            assert hook.requests == [], "nothing is told that is not written"
            other.execute("ROLLBACK")

            async def lock(request: web.Request, answer=hook.answer) -> web.Response:  # type: ignore[no-untyped-def]
                if not other.in_transaction:
                    other.execute("BEGIN IMMEDIATE")
                return await answer(request)

            hook.react = lock
            with pytest.raises(StoreError, match="locked by another program"):
                await stage.run_once()
            assert len(hook.requests) == MATCHES
            other.execute("ROLLBACK")
        hook.react = None
        await _finish(database)
        await _assert_nothing_is_lost(database, hook)
        assert len(hook.requests) == 2 * MATCHES, "sent again, with the same keys"


async def test_a_channel_that_hangs_delays_the_others_by_one_time_limit(database: Database) -> None:
    feed = await known_feed(database)
    async with receiver() as stuck, receiver() as quick, notifier(database, timeout_s=0.5) as stage:
        stuck.hangs = True
        await add_hook(database, stuck.url, "stuck", limit=1000)
        await add_hook(database, quick.url, "quick")
        for number in range(SENT_AT_ONCE * 2):
            await add_rule(database, FIRST_PERSON, f"A{number:02}", "ferry", RuleActions(notify=("stuck",)))
        await add_rule(database, FIRST_PERSON, "Z", "ferry", RuleActions(notify=("quick",)))
        await publish(database, feed, one="A ferry")
        await stage.run_once()
        assert len(stuck.requests) <= SENT_AT_ONCE
        assert len(quick.requests) == 1
        stuck.hangs = False
        await _finish(database)
    left = select(func.count()).where(deliveries.c.state != "sent")
    assert await database.read(lambda c: c.execute(left).scalar_one()) == 0
