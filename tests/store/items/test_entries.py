"""Entries through the database: by what they are found again, and what of them is kept (ruling 1)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import select

from inforadar.model.item import Enclosure, Listed
from inforadar.store.analyses.claims import claim_analyses
from inforadar.store.database import Database
from inforadar.store.items.queries import list_items
from inforadar.store.schema.articles import articles
from inforadar.store.schema.items import forgotten_items, items
from inforadar.store.upkeep.delete_surplus import forget_surplus
from inforadar.store.upkeep.surplus import Keep
from inforadar.urls import uid
from tests.store.making import NOW, add_feed, collect, count, rows

LOG = "https://example.com/changelog"


def release(number: int, **fields: Any) -> Listed:
    given = {"title": f"Выпуск {number}", "published_at": NOW - timedelta(days=number), "shares_page": True}
    return Listed(url=LOG, fragment=f"v{number}", **{**given, **fields})


async def urls(database: Database) -> list[str]:
    return sorted(item.url for item in await database.read(list_items))


async def test_entries_that_share_a_page_are_items_without_an_article(database: Database) -> None:
    feed = await add_feed(database)
    first = await collect(database, feed, *(release(number, content=f"<p>{number}</p>") for number in (1, 2)))
    assert len(first.added) == 2
    assert await count(database, articles) == 0
    again = await collect(database, feed, *(release(number) for number in (1, 2, 3)))
    assert [new.url for new in again.added] == [f"{LOG}#v3"]
    assert await urls(database) == [f"{LOG}#v1", f"{LOG}#v2", f"{LOG}#v3"]
    assert {row.uid for row in await rows(database, items)} == {uid(LOG)}
    jobs = await database.write(claim_analyses, 10)
    assert {job.url for job in jobs} == {f"{LOG}#v1", f"{LOG}#v2", f"{LOG}#v3"}


async def test_the_text_of_a_shared_page_is_not_taken_for_its_entries(database: Database) -> None:
    feed, other = await add_feed(database), await add_feed(database, "https://example.com/other")
    await collect(database, feed, release(1, content="<p>own</p>"), release(2))
    await collect(database, other, Listed(url=LOG, title="The page"))
    (row,) = await rows(database, articles)
    assert row.url == LOG
    await database.write(
        lambda c: c.execute(articles.update().values(clean_text="whole page", next_attempt_at=None))
    )
    jobs = {job.url: job for job in await database.write(claim_analyses, 10)}
    assert "whole page" not in repr(jobs[f"{LOG}#v1"])


async def test_an_entry_is_found_by_its_id_however_long_when_its_address_moved(database: Database) -> None:
    feed = await add_feed(database)
    for guid in ("tag:example.com,2026:1", "urn:" + "ü" * 5_000):
        page = f"https://example.com/{len(guid)}"
        await collect(database, feed, Listed(url=page, guid=guid, title="T", published_at=NOW))
        moved = await collect(
            database, feed, Listed(url=f"{page}/moved", guid=guid, title="T", published_at=NOW)
        )
        assert (moved.added, moved.changed) == ((), ())
    followed = {item.url: item.link for item in await database.read(list_items)}
    assert followed == {url: f"{url}/moved" for url in followed}


async def test_an_id_is_looked_for_in_its_own_feed_only(database: Database) -> None:
    one, two = await add_feed(database), await add_feed(database, "https://example.com/other")
    entry = Listed(url="https://example.com/1", guid="1", title="T")
    await collect(database, one, entry)
    assert len((await collect(database, two, entry)).added) == 1


async def test_retention_leaves_the_ids_behind(database: Database) -> None:
    feed = await add_feed(database)
    entries = [
        Listed(url="https://example.com/1", guid="id-1", title="T", published_at=NOW),
        *(release(number) for number in (1, 2)),
    ]
    assert len((await collect(database, feed, *entries)).added) == 3
    assert await database.write(forget_surplus, feed.id, Keep(since=NOW + timedelta(days=1), newest=0)) == 3
    assert {row.guid for row in await rows(database, forgotten_items)} == {"id-1", None}
    moved = Listed(url="https://example.com/moved", guid="id-1", title="T", published_at=NOW)
    assert (await collect(database, feed, moved, *entries[1:])).added == ()


async def test_everything_that_an_entry_has_is_kept(database: Database) -> None:
    feed = await add_feed(database)
    file = Enclosure(
        url="https://cdn.example.com/1.mp3", type="audio/mpeg", length=3, duration=61, title="第一"
    )
    entry = Listed(
        url="https://example.com/1",
        fragment="top",
        guid="id-1",
        title="T",
        published_at=NOW,
        updated_at=NOW + timedelta(hours=1),
        authors=("Ann", "李明"),
        enclosures=(file,),
        comments_url="https://example.com/1#comments",
        season=2,
        episode=0,
    )
    await collect(database, feed, entry)
    (item,) = await database.read(list_items)
    assert (item.url, item.link, item.guid) == ("https://example.com/1", "https://example.com/1#top", "id-1")
    assert (item.published_at, item.dated_at, item.revised_at) == (NOW, NOW, NOW + timedelta(hours=1))
    assert (item.authors, item.enclosures, item.comments_url) == (
        ("Ann", "李明"),
        (file,),
        "https://example.com/1#comments",
    )
    assert (item.season, item.episode) == (2, 0)
    assert (await collect(database, feed, entry)).changed == ()


async def test_a_date_far_ahead_sorts_as_of_when_it_was_first_seen_and_is_kept(database: Database) -> None:
    feed = await add_feed(database)
    ahead, soon = NOW + timedelta(days=300), NOW + timedelta(hours=20)
    await collect(
        database,
        feed,
        Listed(url="https://example.com/1", published_at=ahead),
        Listed(url="https://example.com/2", published_at=soon),
    )
    found = {item.url[-1]: (item.published_at, item.dated_at) for item in await database.read(list_items)}
    assert found == {"1": (NOW, ahead), "2": (soon, soon)}


async def test_a_revised_entry_gets_its_new_content_without_a_report(database: Database) -> None:
    feed = await add_feed(database)
    entry = {"url": "https://example.com/1", "title": "T", "published_at": NOW}
    await collect(database, feed, Listed(**entry, content="old", updated_at=NOW))
    same = await collect(database, feed, Listed(**entry, content="not looked at", updated_at=NOW))
    assert (await database.read(list_items))[0].content == "old"
    later = await collect(database, feed, Listed(**entry, content="new", updated_at=NOW + timedelta(hours=1)))
    assert (same.changed, later.changed) == ((), ())
    assert (await database.read(list_items))[0].content == "new"


async def test_an_item_of_an_earlier_version_is_known_and_nothing_is_published_again(
    database: Database,
) -> None:
    """It has no id of the entry, or the entry's link for one, and none of the new columns."""
    feed = await add_feed(database)
    entry = Listed(
        url="https://example.com/1", guid="id-1", title="T", published_at=NOW, updated_at=NOW + timedelta(1)
    )
    await collect(database, feed, entry)
    await database.write(
        lambda c: c.execute(
            items.update().values(guid="https://example.com/1?utm_source=rss", dated_at=None, revised_at=None)
        )
    )
    after = await collect(database, feed, entry)
    assert (after.added, after.changed) == ((), ())
    (row,) = await database.read(lambda c: c.execute(select(items.c.revised_at)).all())
    assert row.revised_at == NOW + timedelta(1)


async def test_items_that_several_feeds_list_are_marked_as_soon_as_the_second_does(
    database: Database,
) -> None:
    one, two = await add_feed(database), await add_feed(database, "https://example.com/other")
    await collect(database, one, Listed(url="https://example.com/1"), Listed(url="https://example.com/2"))
    assert {row.is_shared for row in await rows(database, items)} == {False}
    await collect(database, two, Listed(url="https://example.com/2"), Listed(url="https://example.com/3"))
    marked = sorted((row.url[-1], row.is_shared) for row in await rows(database, items))
    assert marked == [("1", False), ("2", True), ("2", True), ("3", False)]
