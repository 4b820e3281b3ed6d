"""Lists of feeds: many in one transaction end as each would alone."""

from __future__ import annotations

from datetime import date

from sqlalchemy import func, select

from inforadar.model.feed import FeedKind
from inforadar.model.feed_options import FeedOptions
from inforadar.model.subscription import FALLBACK_S
from inforadar.store.database import Database
from inforadar.store.feeds.add import Subscription, save_subscriptions
from inforadar.store.feeds.credentials import load_credentials
from inforadar.store.feeds.delete_feeds import delete_feed
from inforadar.store.feeds.save_credentials import add_credentials, save_credentials
from inforadar.store.schema.feeds import feed_schedules, feeds
from tests.store.making import NOW, add_feed, collect, count, rows


async def test_new_and_known_feeds_of_one_list_are_told_apart(database: Database) -> None:
    known = await add_feed(database, "https://known.example/feed", topic="mine")
    gone = await add_feed(database, "https://gone.example/feed")
    await database.write(delete_feed, gone.id, NOW)
    moved = await add_feed(database, "https://old.example/feed")
    await collect(database, moved, moved_to="https://new.example/feed")
    urls = [
        "https://fresh.example/feed",
        "https://known.example/feed",
        "https://gone.example/feed",
        "https://old.example/feed",
        "https://FRESH.example/feed#top",
        "https://other.example/feed",
    ]
    saved = await database.write(save_subscriptions, [Subscription(url=url, topic="list") for url in urls])
    assert [is_new for _, is_new in saved] == [True, False, True, False, False, True]
    fresh, same, revived, there, twice, other = (feed for feed, _ in saved)
    assert (same.id, same.topic) == (known.id, "mine")
    assert (revived.id, revived.deleted_at, revived.topic) == (gone.id, None, "list")
    assert (there.id, there.url) == (moved.id, "https://new.example/feed")
    assert twice.id == fresh.id != other.id
    assert await count(database, feeds) == await count(database, feed_schedules) == 5


async def test_a_password_for_the_old_place_is_not_given_to_a_feed_that_is_elsewhere(
    database: Database,
) -> None:
    moved = await add_feed(database, "https://old.example/feed")
    await collect(database, moved, moved_to="https://new.example/feed")
    await database.write(delete_feed, moved.id, NOW)
    wanted = Subscription(url="https://old.example/feed", headers={"Authorization": "x"})
    ((revived, is_new),) = await database.write(save_subscriptions, [wanted])
    assert (revived.url, is_new) == ("https://new.example/feed", True)
    assert await database.read(load_credentials) == {}


async def test_a_feed_of_a_list_that_was_deleted_comes_back_as_it_was(database: Database) -> None:
    gone = await add_feed(
        database,
        source="Site",
        topic="world",
        kind=FeedKind.PAGES,
        options=FeedOptions(cutoff_date=date(2020, 1, 2)),
    )
    await database.write(delete_feed, gone.id, NOW)
    wanted = Subscription(
        url=gone.url,
        title="Named",
        topic="general",
        options=FeedOptions(cutoff_date=date(2026, 1, 2)),
        defaulted=frozenset({"topic", "cutoff_date"}),
    )
    ((back, is_new),) = await database.write(save_subscriptions, [wanted])
    assert (is_new, back.id, back.title) == (True, gone.id, "Named")
    assert (back.source, back.topic, back.kind, back.options) == (
        "Site",
        "world",
        FeedKind.PAGES,
        gone.options,
    )
    assert (back.enabled, back.polling, back.enforce_feed_domain) == (True, True, True)


async def test_a_new_feed_is_enabled_polled_and_asked_for(database: Database) -> None:
    wanted = [
        Subscription(url="https://a.example/feed", title="A", headers={"Authorization": "x"}),
        Subscription(
            url="https://b.example/", kind=FeedKind.PAGES, source="B", options=FeedOptions(keep_days=1)
        ),
    ]
    (first, _), (second, _) = await database.write(save_subscriptions, wanted)
    for feed in (first, second):
        assert feed.enabled
        assert feed.polling
        assert not feed.enforce_feed_domain
        assert feed.requested_at
        assert feed.next_run_at
        wait = feed.next_run_at - feed.requested_at
        assert abs(wait.total_seconds() - FALLBACK_S) < 5
    assert (first.title, first.source, first.root_domain) == ("A", "a.example", "a.example")
    assert (second.kind, second.source, second.options) == (FeedKind.PAGES, "B", FeedOptions(keep_days=1))
    assert await database.read(load_credentials) == {first.id: {"Authorization": "x"}}
    walks = {row.id: row.walks for row in await rows(database, feed_schedules)}
    assert walks == {first.id: False, second.id: True}


async def test_credentials_are_added_beside_those_that_are_there(database: Database) -> None:
    feed = await add_feed(database)
    await database.write(add_credentials, feed.id, {"X-Key": "k"})
    await database.write(add_credentials, feed.id, {"Authorization": "old"})
    await database.write(add_credentials, feed.id, {"authorization": "new"})
    assert await database.read(load_credentials) == {feed.id: {"X-Key": "k", "authorization": "new"}}
    await database.write(save_credentials, feed.id, {"Cookie": "c"})
    assert await database.read(load_credentials) == {feed.id: {"Cookie": "c"}}


async def test_a_long_list_comes_back_in_its_order(database: Database) -> None:
    wanted = [Subscription(url=f"https://site-{n}.example/feed") for n in range(300)]
    saved = await database.write(save_subscriptions, wanted)
    assert [feed.url for feed, is_new in saved if is_new] == [one.url for one in wanted]
    asked = select(func.count()).where(feed_schedules.c.requested_at.is_not(None))
    assert await database.read(lambda c: c.execute(asked).scalar_one()) == 300
    again = await database.write(save_subscriptions, wanted[:3])
    assert again == [(feed, False) for feed, _ in saved[:3]]
