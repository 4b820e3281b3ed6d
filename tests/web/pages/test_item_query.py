from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest
from starlette.datastructures import QueryParams

from inforadar.errors import UsageError
from inforadar.model.ids import FeedId, ItemId
from inforadar.store.change_count import ChangeCount
from inforadar.store.database import Database
from inforadar.store.people.sidebar import MAX_SIDE_FEEDS, SideFeed, Totals
from inforadar.web.pages.item_query import Query, Show, band_choices, parse_query, show_choices
from inforadar.web.pages.sidebar import (
    FEW_FEEDS,
    Sidebar,
    SidebarLoader,
    SideContent,
    make_sidebar,
    make_topics,
)
from tests.support.faces.newsroom import Newsroom

FEED = UUID("019a8f5e-0000-7000-8000-000000000001")
NOW = datetime(2026, 3, 1, 12, 0, 5, 123456, tzinfo=UTC)


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/?source=Habr",
        "/?source=Habr&source=%D0%A5%D0%B0%D0%B1%D1%80+%26+%D0%9A%D0%BE&topic=go",
        "/?show=unread&score=loaded&q=a+%22b%22&after=1.2",
        f"/?feed={FEED}&show=unread&at=1772366405123456",
    ],
)
def test_an_address_is_read_and_written_alike(address: str) -> None:
    assert parse_query(QueryParams(address.partition("?")[2])).href == address


@pytest.mark.parametrize("wrong", ["show=everything", "score=0.5", "score=LOADED", "feed=x", "at=-1", "at=²"])
def test_what_is_not_known_is_said(wrong: str) -> None:
    with pytest.raises(UsageError):
        parse_query(QueryParams(wrong))


def test_a_query_becomes_a_filter() -> None:
    found = parse_query(QueryParams("source=Habr&topic=go&show=starred&score=slanted&q=ferry")).filter
    assert (found.sources, found.topics, found.query) == (("Habr",), ("go",), "ferry")
    assert (found.starred, found.unread, found.archived) == (True, False, False)
    assert (found.min_score, found.below_score) == (0.34, 0.67)
    assert parse_query(QueryParams("show=archived")).filter.archived
    assert parse_query(QueryParams(f"feed={FEED}")).filter.feed_id == FEED


def test_the_place_alone_is_no_filter() -> None:
    assert not Query(after="1.2").is_filtered
    assert Query(words="x").is_filtered


def test_an_unread_list_is_held_while_it_is_read_and_its_articles_remember_that() -> None:
    held = Query(show=Show.UNREAD, after="1.2").held(NOW)
    assert held.filter.unread_at == NOW
    assert held.item_href(ItemId(FEED)) == f"/item/{FEED}?show=unread&at=1772366405123456"
    assert held.held(datetime.now(UTC)).at == NOW
    assert held.first == Query(show=Show.UNREAD)
    assert Query().held(NOW) == Query()


def test_choosing_keeps_the_other_filters_and_choosing_a_score_again_clears_it() -> None:
    query = Query(sources=("BBC",), show=Show.UNREAD, band="loaded", words="x", at=NOW, after="1.2")
    shows = show_choices(query)
    assert [(one.name, one.active) for one in shows] == [("all", False), ("unread", True)]
    assert shows[0].href == "/?source=BBC&score=loaded&q=x"
    loaded = band_choices(query)[2]
    assert loaded.active
    assert loaded.href == "/?source=BBC&show=unread&q=x"


def side_feed(
    number: int,
    topic: str,
    *,
    state: str = "success",
    unread: int = 1,
    source: str = "Habr",
    own: str | None = None,
) -> SideFeed:
    return SideFeed(
        id=FeedId(UUID(int=number)),
        name=own or f"Feed {number}",
        source=source,
        topic=topic,
        state=state,
        unread=unread,
        own_title=own,
    )


def test_a_feed_is_called_by_its_source_where_the_topic_has_one_of_it() -> None:
    feeds = [side_feed(1, "t"), side_feed(2, "t", source="BBC"), side_feed(3, "t", source="habr")]
    feeds.append(side_feed(4, "t", source="Wire", own="My wire"))
    (topic,) = make_topics(Query(), feeds)
    assert [(feed.name, feed.title) for feed in topic.feeds] == [
        ("BBC", "Feed 2"),
        ("Feed 1", "Feed 1"),
        ("Feed 3", "Feed 3"),
        ("My wire", "My wire"),
    ]


def side_of(
    query: Query,
    feeds: list[SideFeed],
    totals: Totals | None = None,
    searches: dict[str, str] | None = None,
) -> Sidebar:
    return make_sidebar(query, SideContent(feeds, searches or {}), totals, make_topics(query, feeds))


def test_topics_hold_their_feeds_with_numbers_and_the_worst_state() -> None:
    feeds = [side_feed(2, "Python", state="waiting", unread=2), side_feed(1, "python"), side_feed(3, "world")]
    side = side_of(Query(), feeds, Totals(all=9, unread=4, starred=1, archived=0), {"ferries": "ferry"})
    assert [(one.name, one.count, one.active) for one in side.shows] == [
        ("all", 9, True),
        ("unread", 4, False),
        ("starred", 1, False),
        ("archived", 0, False),
    ]
    python, world = side.topics
    assert [feed.name for feed in python.feeds] == ["Feed 1", "Feed 2"]
    assert (python.unread, python.unwell, python.is_open) == (3, "waiting to try again", True)
    assert (world.unread, world.unwell) == (1, None)
    assert [(one.name, one.href) for one in side.searches] == [("ferries", "/?q=ferry")]


def test_links_of_the_sidebar_keep_unread_and_unfold_what_is_shown() -> None:
    feeds = [side_feed(number, f"topic {number % 2}") for number in range(FEW_FEEDS + 1)]
    side = side_of(Query(feed=feeds[1].id, show=Show.UNREAD, words="x", at=NOW), feeds)
    assert [topic.is_open for topic in side.topics] == [False, True]
    assert side.topics[0].href == "/?topic=topic+0&show=unread"
    assert side.topics[1].feeds[0].href == f"/?feed={feeds[1].id}&show=unread"
    assert side.topics[1].feeds[0].active
    assert side.feed_name == "Feed 1"
    assert not any(one.active for one in side.shows)


def test_very_many_feeds_are_cut() -> None:
    side = side_of(Query(), [side_feed(number, "t") for number in range(MAX_SIDE_FEEDS + 1)])
    assert side.has_more
    assert len(side.topics[0].feeds) == MAX_SIDE_FEEDS


async def test_sidebars_have_one_key_while_their_feeds_stay_the_same(database: Database) -> None:
    newsroom = Newsroom(database=database)
    await newsroom.add_feed("https://news.example/feed", topic="world")
    changes = ChangeCount()
    loader = SidebarLoader(database, changes, clock=lambda: 0.0)  # no load is slow
    first = await loader.load(None, Query())
    changes.add()
    again = await loader.load(None, Query())
    assert again.key == first.key
    assert again.topics is first.topics
    others = [Query(show=Show.UNREAD), Query(topics=("world",)), Query(feed=first.topics[0].feeds[0].id)]
    assert len({(await loader.load(None, query)).key for query in others} | {first.key}) == 4
    await newsroom.add_feed("https://other.example/feed", topic="science")
    changes.add()
    changed = await loader.load(None, Query())
    assert changed.key != first.key
    assert [topic.name for topic in changed.topics] == ["science", "world"]
