"""Names of sources and topics are found whatever their case, in any script and on any database."""

from __future__ import annotations

import pytest

from inforadar.store.database import Database, open_database
from inforadar.store.feeds.queries import load_feeds
from inforadar.store.items.pages import load_item_page
from inforadar.store.items.queries import ItemFilter, list_items
from inforadar.store.upkeep.upgrade import upgrade_database
from tests.store.making import add_feed, collect, listed
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
