"""Items: what is known, what changed, what a list shows."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import insert, update

from inforadar.model.ids import ItemId, new_uuid
from inforadar.model.item import DIFFED_FIELDS, ItemChange
from inforadar.model.person import FIRST_PERSON
from inforadar.store.database import Database
from inforadar.store.feeds.changes import update_feed
from inforadar.store.feeds.delete_feeds import delete_feed
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.known import load_known
from inforadar.store.items.one_row import count_items
from inforadar.store.items.queries import list_items, load_item, load_item_changes
from inforadar.store.items.save import FeedItems, insert_items, save_changes
from inforadar.store.schema.articles import articles
from inforadar.store.schema.items import item_changes, items
from inforadar.store.schema.people import marks
from inforadar.urls import uid, url_hash
from tests.store.making import NOW, add_feed, add_feeds, collect, count, listed, rows

FULL = {
    "title": "标题",
    "author": "مؤلف",
    "snippet": "Кратко",
    "tags": ("наука", "🚀"),
    "views": 0,
    "comments": 3,
    "rating": 4.5,
    "bookmarks": 2,
}
ABSENT = {field.name: () if field.is_list else None for field in DIFFED_FIELDS}


async def test_what_is_stored_is_known_field_by_field(database: Database) -> None:
    feed = await add_feed(database)
    await collect(database, feed, listed("https://example.com/1", **FULL))
    asked = [listed("https://example.com/1"), listed("https://example.com/2")]
    (known,) = (await database.read(load_known, {feed.id: asked}))[feed.id]
    assert known.fields == {**ABSENT, **FULL}
    assert known.hash == url_hash("https://example.com/1")


async def test_absent_fields_are_known_as_absent(database: Database) -> None:
    feed = await add_feed(database)
    await collect(database, feed, listed("https://example.com/1", title=None))
    (known,) = (await database.read(load_known, {feed.id: [listed("https://example.com/1")]}))[feed.id]
    assert known.fields == ABSENT


async def test_the_same_url_in_two_feeds_is_known_for_each_alone(database: Database) -> None:
    one, two, three = await add_feeds(database, 3)
    await collect(database, one, listed("https://shared.example/1", views=1))
    await collect(database, two, listed("https://shared.example/1", views=2))
    asked = [listed("https://shared.example/1")]
    known = await database.read(load_known, {feed.id: asked for feed in (one, two, three)})
    assert {feed: [item.fields["views"] for item in found] for feed, found in known.items()} == {
        one.id: [1],
        two.id: [2],
        three.id: [],
    }
    assert await count(database, items) == 2
    assert await count(database, articles) == 1


async def test_more_can_be_asked_than_a_statement_has_parameters(database: Database) -> None:
    feed = await add_feed(database)
    await collect(database, feed, *(listed(f"https://example.com/{n}") for n in range(20)))
    asked = [listed(f"https://example.com/{n}", guid=f"tag:{n}") for n in range(40_000)]
    assert len((await database.read(load_known, {feed.id: asked}))[feed.id]) == 20
    assert await database.read(load_known, {}) == {}


async def test_inserting_an_item_twice_keeps_the_first(database: Database) -> None:
    from inforadar.model.item import NewItem  # noqa: PLC0415

    feed = await add_feed(database)
    url = "https://example.com/1"

    def batch(title: str) -> list[FeedItems]:
        new = NewItem(url=url, hash=url_hash(url), listed=listed(url, title=title))
        return [FeedItems(feed_id=feed.id, topic="t", run_id=None, at=NOW, added=(new, new))]

    await database.write(insert_items, batch("first"))
    before = await rows(database, items)
    await database.write(insert_items, batch("second"))
    assert await rows(database, items) == before
    assert before[0].title == "first"
    await database.write(insert_items, [])


async def test_an_item_without_a_date_has_the_time_it_was_first_seen(database: Database) -> None:
    feed = await add_feed(database)
    await collect(database, feed, listed(published_at=None))
    assert (await rows(database, items))[0].pub_date == NOW


async def test_a_new_item_queues_its_article(database: Database) -> None:
    feed = await add_feed(database, topic="мир")
    await collect(database, feed, listed("https://example.com/1"))
    (article,) = await rows(database, articles)
    assert (article.uid, article.url) == (uid("https://example.com/1"), "https://example.com/1")
    assert (article.category, article.status) == ("мир", "not_fetched")
    assert article.next_attempt_at is not None


async def test_changes_write_only_the_changed_columns_and_keep_what_was(database: Database) -> None:
    feed = await add_feed(database)
    await collect(database, feed, listed(**FULL))
    later = NOW + timedelta(hours=1)
    await collect(database, feed, listed(title="新标题", views=5, tags=("x",), comments=None), at=later)
    (row,) = await rows(database, items)
    assert (row.title, row.views, row.tags) == ("新标题", 5, ["x"])
    assert (row.comments, row.rating, row.author) == (3, 4.5, "مؤلف")
    assert (row.created_at, row.updated_at) == (NOW, later)
    history = await database.read(load_item_changes, row.id)
    assert history == [
        (later, {"title": ["标题", "新标题"], "views": [0, 5], "tags": [["наука", "🚀"], ["x"]]})
    ]


async def test_each_item_gets_its_own_changed_columns(database: Database) -> None:
    feed = await add_feed(database)
    await collect(database, feed, *(listed(f"https://example.com/{n}", **FULL) for n in range(3)))
    by_url = {row.url: row for row in await rows(database, items)}
    fields = [{"views": (0, 9)}, {"title": ("标题", "T"), "rating": (4.5, 0.0)}, {"views": (0, 8)}]
    changes = [
        ItemChange(id=by_url[f"https://example.com/{n}"].id, url=f"https://example.com/{n}", fields=one)
        for n, one in enumerate(fields)
    ]
    await database.write(save_changes, changes, run_id=None, at=NOW)
    after = {row.url[-1]: (row.title, row.views, row.rating) for row in await rows(database, items)}
    assert after == {"0": ("标题", 9, 4.5), "1": ("T", 0, 0.0), "2": ("标题", 8, 4.5)}
    assert await count(database, item_changes) == 3
    await database.write(save_changes, [], run_id=None, at=NOW)


async def test_history_is_told_oldest_first(database: Database) -> None:
    feed = await add_feed(database)
    for hour in range(4):
        await collect(database, feed, listed(views=hour), at=NOW + timedelta(hours=hour))
    (row,) = await rows(database, items)
    history = await database.read(load_item_changes, row.id)
    assert [fields["views"] for _, fields in history] == [[0, 1], [1, 2], [2, 3]]


async def fill(database: Database) -> None:
    for url, source, topic in (
        ("https://a.example/", "Habr", "python"),
        ("https://b.example/", "BBC", "World"),
    ):
        feed = await add_feed(database, url, source=source, topic=topic)
        entries = [
            listed(f"{url}{n}", published_at=NOW - timedelta(hours=n, minutes=source == "BBC"))
            for n in range(3)
        ]
        await collect(database, feed, *entries)


async def shown(database: Database, wanted: ItemFilter | None = None, **page: int) -> list[str]:
    found = await database.read(list_items, wanted, **page)
    if not page:
        assert await database.read(count_items, wanted) == len(found)
    return [item.url.removeprefix("https://").replace(".example/", "") for item in found]


async def test_a_list_is_newest_first_and_paged(database: Database) -> None:
    await fill(database)
    assert await shown(database) == ["a0", "b0", "a1", "b1", "a2", "b2"]
    assert await shown(database, limit=2, offset=3) == ["b1", "a2"]


async def test_a_list_can_be_filtered_by_source_topic_and_feed(database: Database) -> None:
    await fill(database)
    assert await shown(database, ItemFilter(sources=("habr",))) == ["a0", "a1", "a2"]
    assert await shown(database, ItemFilter(topics=("WORLD",))) == ["b0", "b1", "b2"]
    assert await shown(database, ItemFilter(sources=("habr",), topics=("world",))) == []
    feed_id = (await rows(database, items))[0].feed_id
    assert len(await shown(database, ItemFilter(feed_id=feed_id))) == 3


async def test_a_score_of_zero_is_a_score_and_none_is_none(database: Database) -> None:
    await fill(database)
    for url, score in (("https://a.example/0", 0.0), ("https://b.example/1", 0.5)):
        await database.write(
            lambda c, u=url, s=score: c.execute(update(items).where(items.c.url == u).values(score=s))
        )
    assert await shown(database, ItemFilter(max_score=0.0)) == ["a0"]
    assert await shown(database, ItemFilter(max_score=1.0)) == ["a0", "b1"]


async def test_marks_belong_to_the_url(database: Database) -> None:
    await fill(database)
    read, starred = "https://a.example/0", "https://b.example/0"
    await database.write(
        lambda c: c.execute(
            insert(marks),
            [
                {"hash": url_hash(read), "url": read, "read_at": NOW, "starred_at": None},
                {"hash": url_hash(starred), "url": starred, "read_at": None, "starred_at": NOW},
            ],
        )
    )
    assert await shown(database, ItemFilter(person_id=FIRST_PERSON, unread=True)) == [
        "b0",
        "a1",
        "b1",
        "a2",
        "b2",
    ]
    assert await shown(database, ItemFilter(person_id=FIRST_PERSON, starred=True)) == ["b0"]
    assert await shown(database, ItemFilter(starred=True)) == []
    assert await shown(database, ItemFilter(archived=True, query="b0")) == []
    assert (
        await shown(
            database, ItemFilter(person_id=FIRST_PERSON, starred=True, unread=True, sources=("habr",))
        )
        == []
    )


async def test_items_of_disabled_and_deleted_feeds_are_never_shown(database: Database) -> None:
    await fill(database)
    one, two = {row.feed_id for row in await rows(database, items)}
    await database.write(update_feed, one, {"enabled": False})
    assert len(await shown(database)) == 3
    await database.write(delete_feed, two, NOW)
    assert await shown(database) == []


async def test_an_item_is_loaded_whole(database: Database) -> None:
    feed = await add_feed(database, source="S", topic="T")
    await collect(database, feed, listed(**FULL, content="<p>x</p>", image="i", language="zh"))
    row = (await rows(database, items))[0]
    item = await database.read(load_item, row.id)
    assert item is not None
    assert {name: getattr(item, name) for name in FULL} == FULL
    assert (item.source, item.topic, item.content, item.image) == ("S", "T", "<p>x</p>", "i")
    assert (item.analyzer_result, item.analyzed_at, item.score) == ({}, None, None)
    assert await database.read(load_item, ItemId(new_uuid())) is None


@pytest.mark.parametrize("score", [-0.1, 1.1])
async def test_a_score_out_of_range_cannot_be_stored(database: Database, score: float) -> None:
    from inforadar.errors import StoreError  # noqa: PLC0415

    await fill(database)
    with pytest.raises(StoreError, match="ck_items_score"):
        await database.write(lambda c: c.execute(update(items).values(score=score)))
