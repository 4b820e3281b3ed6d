"""The search language on both databases: phrases, exclusions, alternatives and fields."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import update

from inforadar.model.person import FIRST_PERSON
from inforadar.pipeline.search_index import SearchIndexer
from inforadar.store.database import Database
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.one_row import count_items
from inforadar.store.items.order import SortKey, load_sorted_items
from inforadar.store.items.pages import load_item_page
from inforadar.store.people.save_marks import save_all_marks
from inforadar.store.people.streams import Stream, load_stream_numbers
from inforadar.store.schema.items import items
from inforadar.store.schema.stories import stories, story_items
from tests.store.making import NOW, add_feed, collect, listed, rows, set_feed

CASES = {
    "harbour tax": {"a", "b"},
    '"harbour tax"': {"a"},
    '"HARBOUR, tax"': {"a"},
    '"harbour ta"': set(),
    '"harbour ta*"': {"a"},
    "harbour -ferry": {"a"},
    "ferry OR zażółć": {"b", "c"},
    "(ferry OR zazolc) -tax": {"c"},
    "source:habr": {"a", "b"},
    "source:Новости": {"c", "d"},
    "source:новости gesla": {"c"},
    "topic:world -source:habr": {"c", "d"},
    "harbour OR topic:World": {"a", "b", "c", "d"},
    "title:tax": {"a", "b"},
    'title:"raises harbour"': {"a"},
    "title:quay": set(),
    "quay": {"b"},
    '"the quay"': {"b"},
    '"新闻网"': {"d"},
    "title:闻网": {"d"},
    "before:2026-03-14": {"b"},
    "after:2026-03-14": {"a", "c", "d"},
    "score:>0.5": {"a"},
    "score:0.1..0.3": {"b"},
    "-score:>0.5": {"b", "c", "d"},
    "lang:pl": {"c"},
    "lang:en": {"a", "b"},
    "story:>=2": {"a", "b"},
    "story:<2": {"c", "d"},
    "changed:title": {"b"},
    "changed:author": set(),
    "is:starred": {"a"},
    "is:unread": {"a", "b", "c", "d"},
    "label:Later": {"b"},
    "label:later OR is:starred -tax": set(),
    "-harbour": {"c", "d"},
    "-…": set(),
    "… OR source:habr": {"a", "b"},
}


async def _fill(database: Database) -> None:
    habr = await add_feed(database, source="Habr", topic="Tech")
    await set_feed(database, habr, language="en-GB")
    news = await add_feed(database, "https://example.org/feed", source="НОВОСТИ", topic="World")
    older = NOW - timedelta(days=2)
    first = listed("https://example.com/b", title="Ferry pays", snippet="At the quay.", published_at=older)
    await collect(database, habr, first)
    changed = listed(
        "https://example.com/b",
        title="Ferry pays tax at harbour",
        snippet="At the quay.",
        published_at=older,
    )
    await collect(database, habr, listed("https://example.com/a", title="City raises Harbour-Tax!"), changed)
    await collect(
        database,
        news,
        listed("https://example.org/c", title="Zażółć gęślą jaźń", language="pl_PL"),
        listed("https://example.org/d", title="北京新闻网报道"),
    )
    ids = {row.url[-1]: row.id for row in await rows(database, items)}

    def finish(connection) -> None:  # type: ignore[no-untyped-def]
        for name, score in (("a", 0.9), ("b", 0.2)):
            connection.execute(update(items).where(items.c.id == ids[name]).values(score=score))
        story = connection.execute(
            stories.insert()
            .values(began_at=NOW, last_at=NOW, item_count=2, source_count=2)
            .returning(stories.c.id)
        ).scalar_one()
        for name in ("a", "b"):
            connection.execute(
                story_items.insert().values(item_id=ids[name], story_id=story, at=NOW, version=1)
            )
        save_all_marks(connection, FIRST_PERSON, ["https://example.com/a"], {"starred": True}, NOW)
        save_all_marks(connection, FIRST_PERSON, ["https://example.com/b"], {}, NOW, labels_added=["later"])

    await database.write(finish)
    await SearchIndexer(database=database).run_once()


async def test_a_query_finds_the_same_by_every_way(database: Database) -> None:
    await _fill(database)
    for query, names in CASES.items():
        wanted = ItemFilter(query=query, person_id=FIRST_PERSON)
        page = await database.read(load_item_page, wanted)
        assert {item.url[-1] for item in page.items} == names, query
        by_title = await database.read(load_sorted_items, wanted, SortKey.TITLE, descending=False, limit=9)
        assert {item.url[-1] for item in by_title} == names, query
        assert await database.read(count_items, wanted) == len(names), query
        stream = Stream(person_id=FIRST_PERSON, words=query)
        numbers = await database.read(load_stream_numbers, stream, after=None, newest_first=True, limit=9)
        assert len(numbers) == len(names), query


async def test_pages_of_a_query_follow_each_other(database: Database) -> None:
    await _fill(database)
    for query in ("harbour OR gesla OR 新闻", "harbour -nothing", "topic:Tech OR topic:World"):
        seen: list[str] = []
        cursor = None
        while True:
            page = await database.read(load_item_page, ItemFilter(query=query), limit=1, cursor=cursor)
            seen += [item.url[-1] for item in page.items]
            cursor = page.next
            if cursor is None:
                break
        assert sorted(seen) == sorted(set(seen))
        assert len(seen) == await database.read(count_items, ItemFilter(query=query))


@pytest.mark.parametrize("query", ["is:starred", "label:later"])
async def test_nobody_has_marks(database: Database, query: str) -> None:
    await _fill(database)
    assert not (await database.read(load_item_page, ItemFilter(query=query))).items


async def test_signs_that_no_database_stores_are_no_part_of_a_query(database: Database) -> None:
    feed = await add_feed(database, source="a")
    await collect(database, feed, listed("https://example.com/1", title="Новости"))
    await SearchIndexer(database=database).run_once()
    for sign in ("\x00", "\ud800"):
        for query in (
            sign,
            f'"{sign}"',
            f"-x{sign}",
            *(f"{field}:{sign}x" for field in ("source", "lang", "label")),
        ):
            found = await database.read(load_item_page, ItemFilter(query=query, person_id=FIRST_PERSON))
            assert found.items == () or query.startswith(("-", '"', sign)), query
    (item,) = (await database.read(load_item_page, ItemFilter(query="source:\x00a Ново\x00сти"))).items
    assert item.title == "Новости"
