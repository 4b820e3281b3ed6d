"""Workers whose clock is wrong: the database's clock decides what is new and when it is told."""

from __future__ import annotations

from datetime import timedelta

import pytest

from inforadar.actions.rules.manage import add_rule
from inforadar.clock import utc_now
from inforadar.model.person import FIRST_PERSON
from inforadar.model.rule import RuleActions
from inforadar.pipeline.search_index import SearchIndexer
from inforadar.store import clock_sanity
from inforadar.store.database import Database
from inforadar.store.schema.rules import rule_matches
from tests.pipeline.notify.receiving import add_hook, known_feed, notifier, publish, receiver
from tests.store.making import collect, listed, rows


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


async def test_an_item_fetched_by_a_clock_that_is_behind_is_newer_than_the_rule(database: Database) -> None:
    feed = await known_feed(database)
    await add_rule(database, FIRST_PERSON, "Ferries", "ferry", RuleActions(labels=("Ferries",)))
    behind = utc_now() - timedelta(hours=2)
    await collect(database, feed, listed("https://example.com/a", title="Ferry sinks"), at=behind)
    await SearchIndexer(database=database).run_once()
    async with notifier(database) as stage:
        await stage.evaluate()
    assert len(await rows(database, rule_matches)) == 1
