"""Alerts about feeds: when they begin and end, who is told, and that a feed can be silenced."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import delete, insert, update

from inforadar.actions.rules.silence import silence_alerts
from inforadar.clock import utc_now
from inforadar.model.alert import AlertKind
from inforadar.pipeline.notify.health import HealthWatch
from inforadar.stages.rhythm.counts import learn
from inforadar.store.database import Database
from inforadar.store.feeds.save_rhythms import save_rhythms
from inforadar.store.rules.alerts import count_alerts, load_alerts
from inforadar.store.schema.counters import feed_counts
from inforadar.store.schema.feeds import feed_schedules, feed_urls, feeds
from inforadar.store.schema.history import feed_days
from tests.pipeline.notify.receiving import add_hook, known_feed, notifier, receiver
from tests.store.making import set_feed, set_schedule

LONG_AGO = utc_now() - timedelta(days=90)


def _watch(database: Database, **options: Any) -> HealthWatch:
    return HealthWatch(database=database, failures=5, hours=24, **{"now": utc_now} | options)


async def _kinds(database: Database) -> set[AlertKind]:
    return {alert.kind for alert in await database.read(load_alerts)}


async def test_every_kind_of_trouble_begins_and_ends_an_alert(database: Database) -> None:
    feed = await known_feed(database)
    await database.write(lambda c: c.execute(delete(feed_days)))
    watch = _watch(database)
    await watch.run_once()
    assert await _kinds(database) == set()

    await set_feed(database, feed, last_fetch_status="temporary_error", created_at=LONG_AGO)
    await set_schedule(database, feed, failures=4, last_error="https://u:pw@x.example/ timed out.")
    await watch.run_once()
    assert await _kinds(database) == set()
    await set_schedule(database, feed, failures=5)
    await set_feed(database, feed, options={"title": "My own"})
    await watch.run_once()
    (broken,) = await database.read(load_alerts)
    assert (broken.kind, broken.began_at <= utc_now()) == (AlertKind.BROKEN, True)
    assert "5 fetches in a row failed" in broken.message
    assert broken.name == "My own"
    assert "pw" not in broken.message

    await set_feed(database, feed, last_fetch_status="permanent_error")
    await watch.run_once()
    assert await _kinds(database) == {AlertKind.GONE}
    await set_feed(
        database,
        feed,
        last_fetch_status="success",
        warnings=[{"text": "2 entries have no link.", "is_loss": True}],
        moving={"url": "https://new.example/feed", "times": 1, "since": "2026-01-01"},
    )
    await watch.run_once()
    assert await _kinds(database) == {AlertKind.LOSING, AlertKind.MOVED}
    await set_feed(database, feed, warnings=None, moving=None)
    await database.write(
        lambda c: c.execute(
            insert(feed_urls).values(
                url_hash="0" * 64, feed_id=feed.id, url="https://old.example/", left_at=utc_now()
            )
        )
    )
    await watch.run_once()
    assert await _kinds(database) == {AlertKind.MOVED}
    ended = await database.read(load_alerts, only_open=False)
    assert sum(alert.ended_at is not None for alert in ended) == 3


async def test_a_success_within_the_hours_keeps_a_feed_from_being_broken(database: Database) -> None:
    feed = await known_feed(database)
    await set_feed(database, feed, last_fetch_status="temporary_error", created_at=LONG_AGO)
    await set_schedule(database, feed, failures=50)
    await _watch(database).run_once()
    assert await _kinds(database) == set()


async def test_a_feed_that_falls_silent_is_told(database: Database) -> None:
    feed = await known_feed(database)
    now = utc_now()
    last = now.timestamp() - 30 * 3600
    rhythm = learn(None, [last - number * 3600 for number in range(24 * 30)], last)

    def quiet(connection: Any) -> None:
        save_rhythms(connection, {feed.id: rhythm})
        connection.execute(update(feed_counts).values(newest_at=now - timedelta(hours=30)))
        connection.execute(update(feed_schedules).values(items_per_day=24.0, next_run_at=now))
        connection.execute(update(feeds).values(last_fetch_status="success"))

    await database.write(quiet)
    await _watch(database).run_once()
    (alert,) = await database.read(load_alerts)
    assert alert.kind is AlertKind.SILENT
    assert alert.message.startswith("Nothing new for 30 hours")
    assert (await database.read(count_alerts))[AlertKind.SILENT] == 1


async def test_channels_are_told_once_and_a_silenced_feed_is_told_again_afterwards(
    database: Database,
) -> None:
    feed = await known_feed(database)
    async with receiver() as hook, notifier(database) as stage:
        await add_hook(database, hook.url, alerts=True)
        await add_hook(database, hook.url, "other")
        await set_feed(database, feed, last_fetch_status="permanent_error", title="News <b>")
        for _ in range(2):
            await _watch(database).run_once()
            await stage.run_once()
        assert [body["title"] for body in hook.bodies] == ["News <b> is gone"]
        assert hook.bodies[0]["type"] == "feed.alert"
        await silence_alerts(database, feed.id, utc_now() + timedelta(days=7))
        assert await _kinds(database) == set()
        await _watch(database).run_once()
        await stage.run_once()
        assert len(hook.requests) == 1
        later = utc_now() + timedelta(days=8)
        await _watch(database, now=lambda: later).run_once()
    async with notifier(database, now=later + timedelta(seconds=1)) as stage:
        await stage.evaluate()
    assert await _kinds(database) == {AlertKind.GONE}
