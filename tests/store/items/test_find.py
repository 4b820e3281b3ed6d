"""Finding one item by what a person types."""

from __future__ import annotations

import pytest

from inforadar.errors import NotFoundError, UsageError
from inforadar.store.database import Database
from inforadar.store.items.find import find_item
from inforadar.store.items.queries import list_items
from inforadar.urls import normalize
from tests.store.making import NOW, add_feeds, collect, listed


async def test_an_item_is_found_by_its_id_its_url_or_the_beginning_of_either(database: Database) -> None:
    (feed,) = await add_feeds(database, 1)
    await collect(
        database, feed, listed(normalize("https://example.com/новости/1")), listed("https://example.com/b")
    )
    for item in await database.read(list_items):
        for reference in (
            str(item.id),
            item.id.hex,
            str(item.id)[:-4],
            item.url,
            item.url + "?utm_source=x#top",
            item.url.removeprefix("https://"),
        ):
            assert (await database.read(find_item, f" {reference} ")).id == item.id
    found = await database.read(find_item, "https://example.com/новости/1")
    assert found.url.endswith("/1")


async def test_what_fits_nothing_or_several_is_said(database: Database) -> None:
    (feed,) = await add_feeds(database, 1)
    await collect(database, feed, listed("https://example.com/1"), listed("https://example.com/2"))
    with pytest.raises(UsageError, match="fits several items"):
        await database.read(find_item, "example.com")
    for reference in ("https://nowhere.example/", "00000000-0000-7000-8000-000000000000", "http://[", "%"):
        with pytest.raises(NotFoundError, match="There is no item"):
            await database.read(find_item, reference)
    with pytest.raises(UsageError, match="Which item"):
        await database.read(find_item, " ")


async def test_of_a_url_that_several_feeds_list_the_newest_item_is_taken(database: Database) -> None:
    one, two = await add_feeds(database, 2)
    await collect(database, one, listed("https://shared.example/1", published_at=NOW.replace(year=2020)))
    await collect(database, two, listed("https://shared.example/1"))
    for reference in ("https://shared.example/1", "shared.example"):
        assert (await database.read(find_item, reference)).feed_id == two.id
