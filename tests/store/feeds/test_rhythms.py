"""Rhythms, the price and the demand, on both databases."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from inforadar.model.feed_options import FeedOptions
from inforadar.model.rhythm import PollingMode
from inforadar.stages.rhythm.counts import learn
from inforadar.store.database import Database
from inforadar.store.feeds.add import Subscription, save_subscriptions
from inforadar.store.feeds.rhythms import Price, load_demand, load_price, load_rhythms
from inforadar.store.feeds.save_rhythms import save_price, save_rhythms

NOW = datetime(2026, 3, 2, tzinfo=UTC)


async def test_rhythms_are_stored_and_replaced(database: Database) -> None:
    saved = await database.write(
        save_subscriptions, [Subscription(url=f"https://example.com/{name}") for name in "ab"]
    )
    first, second = (feed.id for feed, _ in saved)
    rhythm = learn(None, [NOW.timestamp() - 3600 * hours for hours in range(30)], NOW.timestamp())
    await database.write(save_rhythms, {first: rhythm, second: rhythm})
    more = learn(rhythm, [NOW.timestamp() + 60], NOW.timestamp() + 90)
    await database.write(save_rhythms, {first: more})
    assert await database.read(load_rhythms, [first, second]) == {first: more, second: rhythm}


async def test_only_one_of_two_workers_steers_the_price(database: Database) -> None:
    price = Price(price_s=10.0, budget=24.0, planned=20.0, feeds=1, expected_delay_s=900.0, steered_at=NOW)
    assert await database.read(load_price) is None
    assert await database.write(save_price, price, None)
    later = replace(price, price_s=12.0, steered_at=NOW + timedelta(minutes=10))
    assert await database.write(save_price, later, NOW)
    slower = replace(price, price_s=99.0, steered_at=NOW + timedelta(minutes=11))
    assert not await database.write(save_price, slower, NOW)
    assert await database.read(load_price) == later


async def test_the_demand_counts_scheduled_feeds_by_mode(database: Database) -> None:
    fixed = FeedOptions(polling_mode=PollingMode.FIXED)
    await database.write(
        save_subscriptions,
        [
            Subscription(url="https://a.example/feed"),
            Subscription(url="https://b.example/feed", options=fixed),
            Subscription(url="https://c.example/feed", polling=False),
            Subscription(url="https://d.example/feed", enabled=False),
        ],
    )
    demand = await database.read(load_demand, PollingMode.ADAPTIVE)
    assert (demand.adaptive, demand.unplanned, demand.fixed) == (1, 1, 1)
    assert (await database.read(load_demand, PollingMode.FIXED)).fixed == 2


async def test_twins_of_a_url_are_the_feed_that_is_followed(database: Database) -> None:
    ((feed, _),) = await database.write(save_subscriptions, [Subscription(url="https://example.com/feed")])
    twins = ("http://example.com/feed", "https://example.com/feed/", "http://example.com/feed/")
    found = await database.write(save_subscriptions, [Subscription(url=url) for url in twins])
    assert [(one.id, is_new) for one, is_new in found] == [(feed.id, False)] * 3
    ((other, is_new),) = await database.write(
        save_subscriptions, [Subscription(url="https://example.com/feed?x=1")]
    )
    assert (other.id != feed.id, is_new) == (True, True)
