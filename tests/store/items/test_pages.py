"""Pages of items: the same list, whichever way to it is taken."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, update

from inforadar.pipeline.search_index import SearchIndexer
from inforadar.store.database import Database
from inforadar.store.items import pages as item_pages
from inforadar.store.items.pages import load_item_page
from inforadar.store.items.queries import ItemFilter, list_items
from inforadar.store.people.save_marks import save_marks_of
from inforadar.store.schema.items import items
from tests.store.making import NOW, add_feeds, collect, listed


@pytest.mark.parametrize("few", [0, 2000])
@pytest.mark.parametrize("mark", ["starred", "archived"])
async def test_marked_items_come_page_by_page_newest_first(
    database: Database, monkeypatch: pytest.MonkeyPatch, mark: str, few: int
) -> None:
    """The same whether they are few or many."""
    monkeypatch.setattr(item_pages, "FEW_MARKED", few)
    one, two = await add_feeds(database, 2)
    urls = [f"https://example.com/{number}" for number in range(9)]
    entries = [listed(url, published_at=NOW - timedelta(minutes=number)) for number, url in enumerate(urls)]
    await collect(database, one, *entries[:5])
    await collect(database, two, *entries[4:])
    await database.write(save_marks_of, urls[1::2], {mark: True}, NOW)
    await database.write(save_marks_of, urls[4:5], {mark: True, "read": True}, NOW)
    wanted = ItemFilter(**{mark: True})
    seen: list[str] = []
    cursor = None
    while True:
        page = await database.read(load_item_page, wanted, limit=2, cursor=cursor)
        seen += [item.url for item in page.items]
        cursor = page.next
        if cursor is None:
            break
        assert len(page.items) == 2
    assert seen == [urls[number] for number in (1, 3, 4, 4, 5, 7)]
    unread = await database.read(load_item_page, ItemFilter(**{mark: True}, unread=True), limit=9)
    assert [item.url for item in unread.items] == [urls[number] for number in (1, 3, 5, 7)]


@pytest.mark.parametrize(
    "ways",
    [
        {},
        {"FEW_SCORED": 0, "FEW_MARKED": 0},
        {"FEW_SCORED": 0, "FEW_MARKED": 0, "COMMON_HITS": 0},
        {"FEW_SCORED": 0, "FEW_MARKED": 0, "COMMON_HITS": 2, "SCAN_ITEMS": 3},
        {"FEW_SCORED": 0, "FEW_MARKED": 0, "COMMON_HITS": 1, "SCAN_ITEMS": 3, "MAX_SCANS": 2, "FEW_FEEDS": 0},
        {"FEW_SCORED": 0, "FEW_MARKED": 0, "COMMON_HITS": 100, "FEW_FEEDS": 1},
    ],
    ids=["as it is", "many", "all is common", "some is common", "many feeds", "nothing is common"],
)
async def test_a_filtered_list_is_the_same_whichever_way_it_is_found(
    database: Database, monkeypatch: pytest.MonkeyPatch, ways: dict[str, int]
) -> None:
    for name, value in ways.items():
        monkeypatch.setattr(item_pages, name, value)
    await _fill(database)
    labels: list[dict[str, Any]] = [{}, {"sources": ("site-1.example",)}, {"sources": ("nobody",)}]
    scores: list[dict[str, Any]] = [
        {},
        {"max_score": 0.5},
        {"min_score": 0.3, "below_score": 0.4},
        {"min_score": 1},
    ]
    words: list[dict[str, Any]] = [
        {},
        *({"query": query} for query in ("harbour", "harb*", "harbour vote", "no", "…")),
    ]
    marked: list[dict[str, Any]] = [{}, {"starred": True}]
    for given in (a | b | c | d for a in labels for b in scores for c in words for d in marked):
        wanted = ItemFilter(**given)
        expected = [item.url for item in await database.read(list_items, wanted)]
        assert await _urls(database, wanted) == expected, given


async def _fill(database: Database) -> None:
    urls = [f"https://example.com/{number}" for number in range(24)]
    for rest, feed in enumerate(await add_feeds(database, 3)):
        entries = (
            listed(
                urls[number],
                title="harbours" if number % 4 == 0 else "harbour vote" if number % 3 == 0 else "harbour",
                published_at=NOW - timedelta(minutes=number),
            )
            for number in range(rest, 24, 3)
        )
        await collect(database, feed, *entries)

    def score(connection: Connection) -> None:
        for number, url in enumerate(urls):
            if number % 5:
                connection.execute(update(items).where(items.c.url == url).values(score=number / 24))

    await database.write(score)
    await database.write(save_marks_of, [urls[number] for number in (1, 6, 7)], {"starred": True}, NOW)
    await SearchIndexer(database=database).run_once()


async def _urls(database: Database, wanted: ItemFilter) -> list[str]:
    seen: list[str] = []
    cursor = None
    while True:
        page = await database.read(load_item_page, wanted, limit=4, cursor=cursor)
        seen += [item.url for item in page.items]
        cursor = page.next
        if cursor is None:
            return seen
