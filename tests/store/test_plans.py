"""Query plans: the questions that are asked all the time are answered from indexes.

Times depend on the machine; what the databases say they will read does not.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, Uuid, event, insert, literal, select, text

from inforadar.model.ids import FeedId, RunId, new_uuid
from inforadar.model.item import Listed
from inforadar.model.person import FIRST_PERSON, Along
from inforadar.model.schedule import Lane
from inforadar.store.analyses.claims import claim_analyses
from inforadar.store.articles.claims import claim_articles
from inforadar.store.articles.enqueue import retry_old_failures
from inforadar.store.articles.queries import seconds_to_next_article
from inforadar.store.database import Database
from inforadar.store.feeds.lists import list_feeds
from inforadar.store.feeds.pages import FeedFilter, load_feed_page
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.known import load_known
from inforadar.store.items.lookup import load_item_by_url, load_newest
from inforadar.store.items.pages import load_item_page
from inforadar.store.items.queries import list_items
from inforadar.store.leases import claim_due_feeds, claim_feeds, seconds_to_next_request
from inforadar.store.people.along import load_told_along
from inforadar.store.published.cached_feeds import load_last_items
from inforadar.store.published.served import load_served_feeds
from inforadar.store.schema.articles import articles
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.schema.items import items
from inforadar.store.schema.stories import stories, story_items
from inforadar.store.types import db_later
from tests.store.making import NOW, add_feed

NUMBER = 3000


def fill(connection: Connection) -> None:
    """Nothing is due, all feeds are enabled: an index on the wrong column would read everything."""
    ids = [new_uuid() for _ in range(NUMBER)]
    connection.execute(
        insert(feeds),
        [
            {
                "id": id_,
                "url": f"https://a.example/{n}",
                "url_hash": f"{n:064x}",
                "source": f"Site {n}",
                "topic": f"topic {n % 100}",
                "enabled": True,
            }
            for n, id_ in enumerate(ids)
        ],
    )
    connection.execute(
        insert(feed_schedules).values(next_run_at=db_later(86400.0)), [{"id": id_} for id_ in ids]
    )
    connection.execute(
        insert(items).values(analyze_at=db_later(86400.0)),
        [
            {
                "id": new_uuid(),
                "feed_id": id_,
                "hash": f"{n:064x}",
                "url": f"https://a.example/{n}",
                "uid": f"{n:016x}",
                "pub_date": NOW - timedelta(seconds=n * 7919 % NUMBER),
            }
            for n, id_ in enumerate(ids)
        ],
    )
    story_id = connection.execute(
        insert(stories).values(began_at=NOW, last_at=NOW).returning(stories.c.id)
    ).scalar_one()
    told = select(items.c.id, literal(story_id, Uuid), items.c.pub_date, literal(1))
    connection.execute(insert(story_items).from_select(["item_id", "story_id", "at", "version"], told))
    connection.execute(
        insert(articles).values(next_attempt_at=db_later(86400.0)),
        [{"uid": f"{n:016x}", "url": f"https://a.example/{n}"} for n in range(NUMBER)],
    )


def statements_of(question: Callable[[Connection], object], connection: Connection) -> list[tuple[str, Any]]:
    seen = []

    def note(_c: object, _cur: object, statement: str, parameters: Any, _ctx: object, _many: object) -> None:
        seen.append((statement, parameters))

    event.listen(connection, "before_cursor_execute", note)
    question(connection)
    event.remove(connection, "before_cursor_execute", note)
    return seen


@pytest.mark.parametrize(
    ("question", "index"),
    [
        (lambda c: claim_due_feeds(c, 100), "ix_feed_schedules_walks_next_run_at"),
        (lambda c: claim_due_feeds(c, 100, lanes=[Lane.WALKS]), "ix_feed_schedules_walks_next_run_at"),
        (lambda c: seconds_to_next_request(c, [Lane.WALKS]), "ix_feed_schedules_walks_requested_at"),
        (lambda c: claim_articles(c, 100), "ix_articles_next_attempt_at"),
        (lambda c: retry_old_failures(c, []), "ix_articles_attempted_at"),
        (seconds_to_next_article, "ix_articles_next_attempt_at"),
        (lambda c: claim_analyses(c, 100), "ix_items_analyze_at"),
        (lambda c: list_items(c, limit=50), "ix_items_pub_date"),
        (lambda c: list_items(c, ItemFilter(person_id=FIRST_PERSON, starred=True)), "ix_items_url"),
        (lambda c: load_item_page(c, ItemFilter(run_id=RunId(new_uuid()))), "ix_items_run_id"),
        (lambda c: load_item_page(c, ItemFilter(min_score=0.9)), "ix_items_score"),
        (lambda c: load_newest(c, [FeedId(new_uuid())], 50), "ix_items_feed_id_pub_date"),
        (lambda c: load_item_by_url(c, "https://a.example/1"), "ix_items_url"),
        (lambda c: load_item_page(c, ItemFilter(sources=("SITE 7",))), "ix_feeds_source"),
        (lambda c: load_item_page(c, ItemFilter(topics=("Topic 7",))), "ix_feeds_topic"),
    ],
    ids=[
        "claim feeds",
        "claim walks",
        "next request",
        "claim articles",
        "old failures",
        "next article",
        "claim analyses",
        "list items",
        "starred items",
        "items of a run",
        "scored items",
        "newest of feeds",
        "item by URL",
        "items of a source",
        "items of a topic",
    ],
)
async def test_the_question_is_answered_from_an_index(
    database: Database, question: Callable[[Connection], object], index: str
) -> None:
    said = await plan_of(database, question)
    assert index in said, said
    for bad in ("SCAN feeds", "SCAN feed_schedules", "SCAN articles", "ix_feeds_enabled"):
        assert bad not in said.replace("SCAN items USING INDEX", ""), said
    assert "Seq Scan" not in _without_empty(said), said


@pytest.mark.parametrize(
    "question",
    [
        lambda c: claim_feeds(c, [FeedId(new_uuid()), FeedId(new_uuid())]),
        lambda c: load_served_feeds(c, [f"{number:064x}" for number in range(2)]),
    ],
    ids=["feeds", "served feeds"],
)
async def test_rows_that_are_named_are_found_without_reading_the_others(
    database: Database, question: Callable[[Connection], object]
) -> None:
    said = await plan_of(database, question)
    for bad in ("SCAN feeds", "SCAN feed_schedules", "SCAN articles", "Seq Scan"):
        assert bad not in _without_empty(said), said


async def test_entries_are_found_by_url_id_and_page_without_reading_other_items(database: Database) -> None:
    entry = Listed(url="https://a.example/1", guid="tag:1", title="T")

    def load(connection: Connection) -> object:
        (feed_id,) = connection.execute(select(feeds.c.id).limit(1)).scalars()
        return load_known(connection, {feed_id: [entry]})

    said = await plan_of(database, load, is_small_read_whole=False)
    for index in ("ix_items_guid", "ix_items_page"):
        assert index in said, said
    assert "hashed SubPlan" not in said, said
    assert "SCAN items" not in said, said
    assert "Seq Scan on items" not in said, said


@pytest.mark.parametrize(
    "question",
    [
        lambda c: list_feeds(c, sources=["SITE 7"], limit=500),
        lambda c: load_feed_page(c, FeedFilter(source="SITE 7"), limit=50),
    ],
    ids=["list", "page"],
)
async def test_feeds_of_a_source_are_found_without_reading_the_others(
    database: Database, question: Callable[[Connection], object]
) -> None:
    said = await plan_of(database, question)
    assert "ix_feeds_source" in said, said
    assert "Seq Scan on feeds" not in said, said
    assert "SCAN feeds" not in said, said


async def test_what_is_read_along_with_an_item_is_found_by_its_url(database: Database) -> None:
    said = await plan_of(database, lambda c: load_told_along(c, ["https://a.example/1"], Along.COPIES))
    assert "ix_items_url" in said, said
    assert "SCAN items" not in said, said
    assert "Seq Scan on items" not in said, said


async def test_a_feed_is_built_from_its_own_articles_alone_also_before_there_are_statistics(
    database: Database,
) -> None:
    """As while a new database is filled: PostgreSQL guesses by the size of the table how many items a feed has."""
    feed = await add_feed(database)
    keys = [f"{number:016x}" for number in range(NUMBER, 3 * NUMBER)]

    def add(connection: Connection) -> None:
        connection.execute(
            insert(items).values(feed_id=feed.id, pub_date=NOW, content="word " * 300),
            [
                {"id": new_uuid(), "hash": key * 4, "url": f"https://a.example/{key}", "uid": key}
                for key in keys
            ],
        )
        connection.execute(
            insert(articles), [{"uid": key, "url": f"https://a.example/{key}"} for key in keys]
        )

    await database.write(add)
    said = await plan_of(
        database, lambda c: load_last_items(c, feed, 50, with_text=True), has_statistics=False
    )
    for bad in ("SCAN articles", "Seq Scan on articles", "Hash", "Merge"):
        assert bad not in said, said


def _without_empty(plan: str) -> str:
    """Tables that nothing was put into are read as a whole, which costs nothing."""
    return plan.replace("Seq Scan on marks", "").replace("Seq Scan on cached_feeds", "")


async def plan_of(
    database: Database,
    question: Callable[[Connection], object],
    *,
    is_small_read_whole: bool = True,
    has_statistics: bool = True,
) -> str:
    """The plan of the first statement that a question asks; without `is_small_read_whole`, of all.

    PostgreSQL reads a table of this size as a whole where it looks for many rows; `is_small_read_whole=False` keeps it
    from that, to see whether an index can be used at all.
    """

    def plan(connection: Connection) -> str:
        # Which feeds the person hides is asked first, and is a question by key.
        asked = [one for one in statements_of(question, connection) if "FROM hidden_feeds" not in one[0]]
        if not database.is_sqlite and not is_small_read_whole:
            for way in ("seqscan", "hashjoin", "mergejoin", "bitmapscan"):
                connection.execute(text(f"SET LOCAL enable_{way} = off"))
        explain = "EXPLAIN QUERY PLAN" if database.is_sqlite else "EXPLAIN"
        return "\n".join(
            str(row[-1])
            for statement, parameters in (asked if not is_small_read_whole else asked[:1])
            for row in connection.exec_driver_sql(f"{explain} {statement}", parameters)
        )

    await database.write(fill)
    if not database.is_sqlite and has_statistics:
        await database.read(lambda c: c.execute(text("ANALYZE")))
    return await database.write(plan)
