"""Names of sources and topics are found whatever their case, in any script and on any database."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection

from inforadar.store.database import Database, open_database
from inforadar.store.feeds.queries import load_feeds
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.pages import load_item_page
from inforadar.store.items.queries import list_items
from inforadar.store.schema.items import items
from inforadar.store.schema.stories import stories, story_items
from inforadar.store.stories.queries import StoryFilter, list_stories
from inforadar.store.upkeep.upgrade import upgrade_database
from tests.store.making import NOW, add_feed, collect, listed, rows
from tests.support.servers import fresh_postgres


@pytest.mark.parametrize("name", ["\x00", "a\x00", "\ud800", "\x00news"])
async def test_a_name_that_cannot_be_stored_finds_nothing(database: Database, name: str) -> None:
    for number, source in enumerate(("", "a", "news")):
        feed = await add_feed(database, f"https://{number}.example/", source=source, topic=source)
        await collect(database, feed, listed(f"https://{number}.example/1"))
    for wanted in (ItemFilter(sources=(name,)), ItemFilter(topics=(name,))):
        assert (await database.read(load_item_page, wanted)).items == ()
        assert await database.read(list_items, wanted) == []
    assert await database.read(load_feeds, sources=[name]) == []
    both = await database.read(load_item_page, ItemFilter(sources=(name, "NEWS")))
    assert [item.url for item in both.items] == ["https://2.example/1"]


async def test_stories_of_a_topic_are_found_in_any_case_and_none_by_a_name_that_cannot_be_stored(
    database: Database,
) -> None:
    await collect(database, await add_feed(database, topic="Мир"), listed("https://example.com/1"))
    (item,) = await rows(database, items)

    def tell(connection: Connection) -> None:
        story = stories.insert().values(
            began_at=NOW, last_at=NOW, item_count=1, source_count=1, created_at=NOW, updated_at=NOW
        )
        id_ = connection.execute(story.returning(stories.c.id)).scalar_one()
        connection.execute(story_items.insert().values(item_id=item.id, story_id=id_, at=NOW, version=1))

    await database.write(tell)
    for topic, number in (("мир", 1), ("МИР", 1), ("мир\x00", 0), ("\ud800", 0)):
        found = await database.read(list_stories, StoryFilter(topic=topic, min_sources=1))
        assert len(found) == number, topic


@pytest.mark.slow
async def test_a_database_whose_locale_has_only_ascii_letters_finds_names_in_any_case(
    postgres_server: dict[str, str],
) -> None:
    async with (
        fresh_postgres(postgres_server, migrated=False, locale="C") as url,
        open_database(url) as database,
    ):
        await upgrade_database(database)
        for number, source in enumerate(("Żółty", "Новости", "other")):
            feed = await add_feed(database, f"https://{number}.example/", source=source)
            await collect(database, feed, listed(f"https://{number}.example/1"))
        for name, number in (("żółty", 0), ("ŻÓŁTY", 0), ("НОВОСТИ", 1), ("новости", 1)):
            page = await database.read(load_item_page, ItemFilter(sources=(name,)))
            assert [item.url for item in page.items] == [f"https://{number}.example/1"], name
