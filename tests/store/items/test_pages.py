"""Pages of items: the same list, whichever way to it is taken."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, update

from inforadar.errors import UsageError
from inforadar.model.person import FIRST_PERSON
from inforadar.pipeline.search_index import SearchIndexer
from inforadar.store.database import Database
from inforadar.store.items import pages as item_pages
from inforadar.store.items import pages_of_words
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.one_row import count_items
from inforadar.store.items.order import ITEM_ORDERS, SortKey, load_sorted_items, load_sorted_page
from inforadar.store.items.pages import load_item_page
from inforadar.store.items.queries import list_items
from inforadar.store.people.save_marks import save_marks_of
from inforadar.store.schema.items import items
from tests.store.making import NOW, add_feed, add_feeds, collect, listed, set_feed

OF_WORDS = {"COMMON_HITS", "SCAN_ITEMS", "MAX_SCANS"}


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
    await database.write(save_marks_of, FIRST_PERSON, urls[1::2], {mark: True}, NOW)
    await database.write(save_marks_of, FIRST_PERSON, urls[4:5], {mark: True, "read": True}, NOW)
    wanted = ItemFilter(person_id=FIRST_PERSON, **{mark: True})
    seen: list[str] = []
    cursor = None
    while True:
        page = await database.read(load_item_page, wanted, limit=2, cursor=cursor)
        seen += [item.url for item in page.items]
        cursor = page.next
        if cursor is None:
            break
        assert len(page.items) == 2
    assert seen == [urls[number] for number in (1, 3, 4, 5, 7)]
    unread = await database.read(
        load_item_page, ItemFilter(person_id=FIRST_PERSON, **{mark: True}, unread=True), limit=9
    )
    assert [item.url for item in unread.items] == [urls[number] for number in (1, 3, 5, 7)]


async def test_an_article_that_several_feeds_list_is_shown_once_with_all_of_them(database: Database) -> None:
    one = await add_feed(database, "https://habr.example/python.xml", source="habr", topic="питон")
    two = await add_feed(database, "https://habr.example/web.xml", source="habr", topic="网络")
    three = await add_feed(database, "https://elsewhere.example/", source="أخبار", topic="general")
    urls = [f"https://habr.example/{number}" for number in range(3)]
    for feed, minutes in ((one, 0), (two, 5), (three, 9)):
        ages = [timedelta(minutes=number + minutes) for number in range(3)]
        listed_there = zip(urls, ages, strict=True)
        await collect(database, feed, *(listed(url, published_at=NOW - age) for url, age in listed_there))
    for load in (
        lambda c: load_item_page(c, ItemFilter()).items,
        lambda c: load_sorted_items(c, ItemFilter(), SortKey.DATE, descending=True, limit=9),
        lambda c: load_sorted_items(c, ItemFilter(), SortKey.TITLE, descending=False, limit=9),
    ):
        found = await database.read(load)
        assert [item.url for item in found] == urls
        assert {item.all_sources for item in found} == {"habr, أخبار"}
        assert {frozenset(item.all_topics.split(", ")) for item in found} == {
            frozenset({"питон", "网络", "general"})
        }
    # A list of one topic has its own item, and still names the others.
    (first, *_) = (await database.read(load_item_page, ItemFilter(topics=("网络",)))).items
    assert (first.feed_id, first.topic, len(first.also_in)) == (two.id, "网络", 2)
    # What a disabled feed lists does not count.
    await set_feed(database, one, enabled=False)
    found = (await database.read(load_item_page, ItemFilter())).items
    assert [(item.feed_id, len(item.also_in)) for item in found] == [(two.id, 1)] * 3
    assert await database.read(count_items) == 3


async def test_pages_by_cursor_are_the_sorted_list_in_every_order_whatever_arrives_in_between(
    database: Database,
) -> None:
    (feed,) = await add_feeds(database, 1)
    given = [(3, 0.5), (None, 0.1), (3, None), (7, 0.5), (None, None), (0, 0.123456789012), (7, 0.5)]
    for number, (views, score) in enumerate(given):
        # The last two are of the same minute.
        at = NOW - timedelta(minutes=min(number, 5))
        await collect(database, feed, listed(f"https://example.com/{number}", published_at=at, views=views))
        await database.write(_set_score, f"https://example.com/{number}", score)
    for order, (sort, descending) in ITEM_ORDERS.items():
        whole = await database.read(load_sorted_items, ItemFilter(), sort, descending=descending, limit=50)
        seen: list[str] = []
        cursor = None
        while True:
            page = await database.read(load_sorted_page, ItemFilter(), order, limit=2, cursor=cursor)
            seen += [item.url for item in page.items]
            cursor = page.next
            if cursor is None:
                break
        assert seen == [item.url for item in whole], order
    page = await database.read(load_sorted_page, ItemFilter(), "-views", limit=3)
    await collect(database, feed, listed("https://example.com/new", published_at=NOW, views=9))
    following = await database.read(load_sorted_page, ItemFilter(), "-views", limit=9, cursor=page.next)
    assert not {item.url for item in page.items} & {item.url for item in following.items}
    for wrong in (
        "x",
        "-views",
        "-views~7~x",
        "-views~inf~0.0",
        f"views~{page.next}",
        "date~~",
        "-score~\0~",
    ):
        with pytest.raises(UsageError, match="does not belong to this list"):
            await database.read(load_sorted_page, ItemFilter(), "-views", limit=3, cursor=wrong)


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
        monkeypatch.setattr(pages_of_words if name in OF_WORDS else item_pages, name, value)
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
        stored = await database.read(list_items, wanted, limit=100)
        expected = list(dict.fromkeys(item.url for item in stored))
        assert await _urls(database, wanted) == expected, given
        assert await database.read(count_items, wanted) == len(expected), given
        whole = (await database.read(load_item_page, wanted, limit=9)).items
        assert all(item.content for item in whole), given
        bare = (await database.read(load_item_page, wanted, limit=9, with_content=False)).items
        assert bare == tuple(replace(item, content="") for item in whole), given


async def _fill(database: Database) -> None:
    urls = [f"https://example.com/{number}" for number in range(24)]
    for rest, feed in enumerate(await add_feeds(database, 3)):
        entries = (
            listed(
                urls[number],
                title="harbours" if number % 4 == 0 else "harbour vote" if number % 3 == 0 else "harbour",
                published_at=NOW - timedelta(minutes=number),
                content="<p>The harbour council</p>",
            )
            for number in range(rest, 24, 3)
        )
        # Some of them are listed by two feeds, with another title, date and score.
        twice = (
            listed(
                urls[number],
                title="vote",
                published_at=NOW - timedelta(minutes=number * 2 - 9),
                content="<p>投票</p>",
            )
            for number in range(rest + 1, 24, 6)
        )
        await collect(database, feed, *entries, *twice)

    def score(connection: Connection) -> None:
        for number, url in enumerate(urls):
            if number % 5:
                connection.execute(update(items).where(items.c.url == url).values(score=number / 24))
        connection.execute(update(items).where(items.c.title == "vote").values(score=0.35))

    await database.write(score)
    await database.write(
        save_marks_of, FIRST_PERSON, [urls[number] for number in (1, 6, 7)], {"starred": True}, NOW
    )
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


def _set_score(connection: Connection, url: str, score: float | None) -> None:
    connection.execute(update(items).where(items.c.url == url).values(score=score))
