"""Lists and counts over feeds say the same as the feeds themselves, and read no more than they show."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from sqlalchemy import Connection, update

from inforadar.model.feed import Feed
from inforadar.store.database import Database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.labels import load_labels
from inforadar.store.feeds.lists import list_feeds, load_feeds_after, load_label_states
from inforadar.store.feeds.pages import count_feeds_by_state
from inforadar.store.feeds.queries import load_feed, load_feeds
from inforadar.store.leases import claim_due_feeds
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.upkeep.metrics import load_gauges
from inforadar.views.feed_health import HealthState, feed_health
from tests.store.making import NOW, add_feed, set_feed

KINDS = (
    # enabled, status, is it in the schedule
    (True, "success", True),
    (True, "success", True),
    (True, None, True),
    (True, "temporary_error", True),
    (True, "temporary_error", False),
    (True, "permanent_error", False),
    (True, "unauthorized", True),
    (False, "success", True),
)


async def add_one_of_each(database: Database) -> list[Feed]:
    def add(connection: Connection) -> list[Feed]:
        added = []
        for number, (enabled, status, scheduled) in enumerate(KINDS):
            source = "Новости" if number < 5 else "news"
            url = f"https://a.example/{number}"
            feed, _ = insert_feed(connection, url, source=source, topic=f"t{number % 2}", enabled=enabled)
            connection.execute(update(feeds).where(feeds.c.id == feed.id).values(last_fetch_status=status))
            at = NOW + timedelta(minutes=number) if scheduled else None
            error = None if status in (None, "success") else "It failed."
            values = {"next_run_at": at, "last_error": error}
            connection.execute(update(feed_schedules).where(feed_schedules.c.id == feed.id).values(**values))
            added.append(load_feed(connection, feed.id))
        return added

    return await database.write(add)


async def test_a_list_that_is_cut_off_shows_what_was_added_last_and_how_many_are_left_off(
    database: Database,
) -> None:
    added = await add_one_of_each(database)
    found = await database.read(list_feeds, limit=3)
    assert {feed.id for feed in found.feeds} == {feed.id for feed in added[-3:]}
    assert found.more == len(KINDS) - 3
    whole = await database.read(list_feeds)
    assert list(whole.feeds) == await database.read(load_feeds)
    assert whole.more == 0
    of_source = await database.read(list_feeds, sources=["НОВОСТИ"], limit=5)
    assert {feed.id for feed in of_source.feeds} == {feed.id for feed in added[:5]}
    assert of_source.more == 0


async def test_the_states_of_lists_and_counts_are_those_of_the_feeds(database: Database) -> None:
    expected = Counter(feed_health(feed, NOW).state.value for feed in await add_one_of_each(database))
    assert await database.read(count_feeds_by_state) == expected
    for state in HealthState:
        found = await database.read(list_feeds, state=state, limit=1)
        assert len(found.feeds) + found.more == expected[state]
        assert {feed_health(feed, NOW).state for feed in found.feeds} <= {state}


async def test_labels_have_the_state_of_their_worst_feed(database: Database) -> None:
    await add_one_of_each(database)
    found = await database.read(load_label_states, limit=10)
    assert {(label.source, label.topic): (label.feeds, label.worst) for label in found} == {
        ("Новости", "t0"): (3, "suspended"),
        ("Новости", "t1"): (2, "waiting"),
        ("news", "t0"): (1, "suspended"),
        ("news", "t1"): (1, "suspended"),
    }
    names = [(label.source, label.topic) for label in found]
    assert names == sorted(names, key=lambda name: (name[0].casefold(), name[1]))
    assert [(one.source, one.topic) for one in await database.read(load_labels)] == names
    assert len(await database.read(load_labels, limit=2)) == 2


async def test_a_label_with_a_feed_that_loses_entries_is_incomplete(database: Database) -> None:
    lost = [{"text": "1 entry left out: 不可读.", "is_loss": True}]
    for url, warnings in (("https://a.example/1", lost), ("https://a.example/2", None)):
        feed = await add_feed(database, url, source="Новости")
        await set_feed(database, feed, last_fetch_status="success", warnings=warnings)
    (label,) = await database.read(load_label_states, limit=10)
    assert (label.feeds, label.worst) == (2, "incomplete")


async def test_pages_of_feeds_follow_each_other_without_gap_or_repetition(database: Database) -> None:
    added = await add_one_of_each(database)
    seen: list[Feed] = []
    while page := await database.read(load_feeds_after, seen[-1].id if seen else None, limit=3):
        seen += page
    assert [feed.id for feed in seen] == [feed.id for feed in added]


async def test_gauges_count_what_is_due_and_what_is_leased(database: Database) -> None:
    """All that is scheduled and enabled is due; a lease of one takes it from the one count to the other."""
    await add_one_of_each(database)

    async def gauge(name: str, label: str) -> float:
        found = await database.read(load_gauges)
        return next(one.value for one in found if one.name == name and one.labels[0][1] == label)

    assert await gauge("inforadar_feeds", "temporary_error") == 2
    assert await gauge("inforadar_feeds", "none") == 1
    due = await gauge("inforadar_queue_length", "collect")
    assert due == sum(enabled and scheduled for enabled, _, scheduled in KINDS)
    assert await gauge("inforadar_leases", "collect") == 0
    assert len(await database.write(claim_due_feeds, 2)) == 2
    assert await gauge("inforadar_leases", "collect") == 2
    assert await gauge("inforadar_queue_length", "collect") == due - 2
