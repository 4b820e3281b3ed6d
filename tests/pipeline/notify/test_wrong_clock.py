"""Workers whose clock is wrong: the database's clock decides what is new and when it is told."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from sqlalchemy import insert, update

from inforadar.actions.rules.manage import add_rule
from inforadar.clock import utc_now
from inforadar.model.person import FIRST_PERSON
from inforadar.model.rule import RuleActions
from inforadar.pipeline.search_index import SearchIndexer
from inforadar.store import clock_sanity
from inforadar.store.database import Database
from inforadar.store.schema.rules import deliveries, notifications, rule_matches
from tests.pipeline.notify.receiving import add_hook, known_feed, notifier, publish, receiver
from tests.store.making import add_feed, collect, listed, rows


async def test_a_match_found_by_a_clock_that_is_ahead_is_told_at_once(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with receiver() as hook:
        feed = await known_feed(database)
        await add_hook(database, hook.url)
        await add_rule(database, FIRST_PERSON, "Ferries", "ferry", RuleActions(notify=("hook",)))
        await publish(database, feed, a="Ferry sinks")
        ahead = utc_now() + timedelta(days=400)
        with monkeypatch.context() as patched:
            patched.setattr(clock_sanity, "utc_now", lambda: ahead)
            async with notifier(database, now=ahead) as stage:
                await stage.evaluate()
        async with notifier(database) as stage:
            assert await stage.run_once() == 1
    assert len(hook.requests) == 1


async def test_a_match_that_waits_for_years_because_a_clock_was_wrong_is_told_now(database: Database) -> None:
    """On SQLite there is no other clock than that of the process that found the match."""
    async with receiver() as hook:
        feed = await known_feed(database)
        await add_hook(database, hook.url)
        await add_rule(database, FIRST_PERSON, "Ferries", "ferry", RuleActions(notify=("hook",)))
        await publish(database, feed, a="Ferry sinks")
        async with notifier(database) as stage:
            await stage.evaluate()
            ahead = update(notifications).values(due_at=utc_now() + timedelta(days=400))
            await database.write(lambda connection: connection.execute(ahead))
            assert await stage.run_once() == 1
    assert len(hook.requests) == 1


async def test_an_item_fetched_by_a_clock_that_is_behind_is_newer_than_the_rule(database: Database) -> None:
    feed = await known_feed(database)
    await add_rule(database, FIRST_PERSON, "Ferries", "ferry", RuleActions(labels=("Ferries",)))
    behind = utc_now() - timedelta(hours=2)
    await collect(database, feed, listed("https://example.com/a", title="Ferry sinks"), at=behind)
    await SearchIndexer(database=database).run_once()
    async with notifier(database) as stage:
        await stage.evaluate()
    assert len(await rows(database, rule_matches)) == 1


@pytest.mark.parametrize(("first", "later"), [(0, -2), (2, 0)], ids=["behind", "ahead"])
async def test_a_wrong_clock_does_not_make_later_items_those_of_the_first_fetch(
    database: Database, monkeypatch: pytest.MonkeyPatch, first: int, later: int
) -> None:
    """The ids of items go by the clocks of workers, and what a feed's first fetch brings is not told."""
    async with receiver() as hook:
        feed = await add_feed(database, "https://example.com/feed")
        await add_hook(database, hook.url)
        await add_rule(database, FIRST_PERSON, "Ferries", "ferry", RuleActions(notify=("hook",)))
        for hours, title in ((first, "Ferry sails"), (later, "Ferry sinks")):
            at = utc_now() + timedelta(hours=hours)
            with monkeypatch.context() as patched:
                patched.setattr(time, "time_ns", lambda at=at: int(at.timestamp() * 1e9))
                await collect(database, feed, listed(f"https://example.com/{title[-5:]}", title=title), at=at)
            await SearchIndexer(database=database).run_once()
            async with notifier(database) as stage:
                await stage.run_once()
    assert [item["title"] for body in hook.bodies for item in body["items"]] == ["Ferry sinks"]


async def test_messages_of_a_clock_that_was_ahead_do_not_use_up_the_limit_for_as_long(
    database: Database,
) -> None:
    async with receiver() as hook:
        feed = await known_feed(database)
        channel = await add_hook(database, hook.url, limit=1)
        sent = {"channel_id": channel.id, "payload": {}, "state": "sent"}
        sent["created_at"] = utc_now() + timedelta(days=400)
        await database.write(lambda connection: connection.execute(insert(deliveries).values(sent)))
        await add_rule(database, FIRST_PERSON, "Ferries", "ferry", RuleActions(notify=("hook",)))
        await publish(database, feed, a="Ferry sinks")
        async with notifier(database) as stage:
            assert await stage.run_once() == 1
