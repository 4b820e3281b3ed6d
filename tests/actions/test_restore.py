"""Deleted feeds come back exactly as they were."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inforadar.actions.delete import delete_feed
from inforadar.actions.edit import edit_feed
from inforadar.actions.restore import restore_feed
from inforadar.actions.switch import sync_feed
from inforadar.config import FetcherSettings
from inforadar.errors import NotFoundError, UsageError
from inforadar.model.feed import FeedKind
from inforadar.model.feed_options import parse_options
from inforadar.model.http import Validators
from inforadar.model.schedule import NextRun
from inforadar.model.subscription import FeedChanges
from inforadar.store.database import Database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.credentials import load_credentials
from inforadar.store.feeds.delete_feeds import delete_feed as delete_in_store
from inforadar.store.feeds.queries import find_deleted_feed
from inforadar.store.feeds.save_credentials import save_credentials
from inforadar.store.leases import claim_due_feeds
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.schema.items import items
from tests.store.making import NOW, add_feed, collect, count, listed, reload, rows, set_feed


@pytest.mark.parametrize("enabled", [True, False])
async def test_a_deleted_feed_comes_back_exactly_as_it_was(database: Database, enabled: bool) -> None:
    feed = await add_feed(
        database,
        kind=FeedKind.FEED,
        topic="мир",
        enabled=enabled,
        options=parse_options({"title": "Mine", "of_a_newer_version": 1}),
    )
    await database.write(save_credentials, feed.id, {"X-Key": "k"})
    if enabled:
        failed = NextRun(after_s=-1.0, failures=2, error="It answered 503.")
        await collect(
            database, feed, listed(), validators=Validators(etag="e", url=feed.url), next_run=failed
        )
    before, schedule = await reload(database, feed), await rows(database, feed_schedules)
    gone = await delete_feed(database, feed.id, NOW)
    assert (gone.deleted_at, gone.enabled) == (NOW, False)
    assert await database.write(claim_due_feeds, 1) == []
    assert (await delete_feed(database, feed.id, NOW)) == gone, "a second delete changes nothing"

    writes = database.writes
    assert await restore_feed(database, feed.id) == before
    assert database.writes - writes == 1
    assert await reload(database, feed) == before
    assert await rows(database, feed_schedules) == schedule
    assert await database.read(load_credentials) == {feed.id: {"X-Key": "k"}}
    assert await count(database, items) == enabled
    assert [lease.feed.id for lease in await database.write(claim_due_feeds, 1)] == [feed.id] * enabled


async def test_a_feed_that_an_earlier_version_deleted_comes_back_disabled(database: Database) -> None:
    feed = await add_feed(database)
    await set_feed(database, feed, deleted_at=NOW, enabled=False)
    assert await restore_feed(database, feed.id) == replace(feed, enabled=False)


async def test_only_deleted_feeds_are_restored(database: Database) -> None:
    feed = await add_feed(database)
    with pytest.raises(UsageError, match="is not deleted; nothing was changed"):
        await restore_feed(database, feed.id)
    for reference in (feed.url, str(feed.id)):
        with pytest.raises(UsageError, match="is not deleted; nothing was changed"):
            await database.read(find_deleted_feed, reference)
    with pytest.raises(NotFoundError, match="There is no deleted feed 'example'"):
        await database.read(find_deleted_feed, "example")


async def test_a_deleted_feed_is_found_by_its_id_its_url_a_former_one_or_a_part(database: Database) -> None:
    feed = await add_feed(database)
    changes = FeedChanges(url="https://new.example/feed")
    await edit_feed(database, FetcherSettings(), feed.id, changes)
    await add_feed(database, "https://new.example/other")
    await delete_feed(database, feed.id, NOW)
    for reference in (str(feed.id), feed.url, "https://new.example/feed", "new.example", feed.id.hex[-8:]):
        assert (await database.read(find_deleted_feed, reference)).id == feed.id


async def test_adding_a_deleted_feed_again_leaves_no_trace_of_the_delete(database: Database) -> None:
    feed = await add_feed(database)
    await database.write(delete_in_store, feed.id, NOW)
    back, _ = await database.write(insert_feed, feed.url)
    (row,) = await rows(database, feeds)
    assert (back.enabled, row.options) == (False, {})


async def test_sync_refuses_a_deleted_feed_and_says_how_it_comes_back(database: Database) -> None:
    feed = await add_feed(database)
    await delete_feed(database, feed.id, NOW)
    with pytest.raises(UsageError, match=f"is deleted. `inforadar feed restore {feed.id}` brings it back"):
        await sync_feed(database, feed.id)
