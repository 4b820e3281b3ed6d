"""Editing a feed: one transaction, whatever is changed, and another URL starts the feed over there."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from inforadar.actions.edit import edit_feed, edit_live, set_root_domain
from inforadar.config import FetcherSettings
from inforadar.errors import DuplicateFeedError, NotFoundError, UsageError
from inforadar.model.feed import ErrorPolicy, Feed, FeedKind
from inforadar.model.feed_options import FeedOptions, parse_options
from inforadar.model.http import Outcome, Validators
from inforadar.model.schedule import NextRun
from inforadar.model.subscription import FALLBACK_S, Edited, FeedChanges
from inforadar.store.database import Database
from inforadar.store.feeds.credentials import load_credentials
from inforadar.store.feeds.delete_feeds import delete_feed
from inforadar.store.feeds.queries import find_feed_by_url, load_broken_count, load_former_urls
from inforadar.store.feeds.save_credentials import save_credentials
from inforadar.store.leases import claim_due_feeds
from inforadar.store.schema.feeds import feed_schedules
from tests.store.making import (
    NOW,
    add_feed,
    claim,
    collect,
    collected,
    listed,
    reload,
    rows,
    save,
    set_schedule,
    start_run,
)

FETCHER = FetcherSettings()
NEW = "https://example.com/news.xml"
ELSEWHERE = "https://news.example.org/feed"
SELECTORS = {"item": "li", "link": "a", "title": "a", "date": "time"}


async def edit(database: Database, feed: Feed, fetcher: FetcherSettings = FETCHER, **changes: Any) -> Edited:
    return await edit_feed(database, fetcher, feed.id, FeedChanges(**changes))


async def broken(database: Database, **columns: Any) -> Feed:
    """A feed that was suspended by a permanent error."""
    feed = await add_feed(database, **columns)
    await collect(
        database,
        feed,
        outcome=Outcome.PERMANENT_ERROR,
        validators=Validators(etag="e", url=feed.url),
        next_run=NextRun(after_s=None, failures=3, error="example.com answered 404."),
    )
    return await reload(database, feed)


async def test_everything_is_changed_in_one_transaction(database: Database) -> None:
    feed = await broken(database)
    await database.write(save_credentials, feed.id, {"X-Key": "old"})
    before = database.writes
    edited = await edit(
        database,
        feed,
        url=NEW,
        kind=FeedKind.SITEMAP,
        source="Site",
        topic="мир",
        root_domain=" Other.ORG ",
        enforce_feed_domain=False,
        error_policy=ErrorPolicy.ONE_STRIKE,
        options={"title": "Mine", "timezone": "Europe/Moscow", "keep_days": 7},
        headers={"Authorization": "a"},
    )
    assert database.writes - before == 1
    now = edited.feed
    assert now == await reload(database, feed)
    assert (now.url, now.kind, now.source, now.topic) == (NEW, FeedKind.SITEMAP, "Site", "мир")
    assert (now.root_domain, now.enforce_feed_domain, now.error_policy) == ("other.org", False, "one-strike")
    assert (now.title, now.options.timezone, now.options.keep_days) == ("Mine", "Europe/Moscow", 7)
    assert await database.read(load_credentials) == {feed.id: {"X-Key": "old", "Authorization": "a"}}


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"url": "ftp://example.com/"}, "only http and https"),
        ({"url": ""}, "not a valid URL"),
        ({"url": "http://["}, "cannot be read"),
        ({"topic": " "}, "The topic must have"),
        ({"options": {"title": "x" * 201}}, "The title must have"),
        ({"options": {"timezone": "Mars/Base"}}, "no time zone"),
        ({"options": {"selectors": {"item": "li"}}}, "`date` is missing"),
        ({"root_domain": "a b"}, "is not a domain"),
        ({}, "Nothing to change was named"),
    ],
)
async def test_an_edit_with_something_wrong_changes_nothing(
    database: Database, changes: dict[str, Any], why: str
) -> None:
    feed = await broken(database)
    with pytest.raises(UsageError, match=why):
        await edit(database, feed, **({"enforce_feed_domain": False, **changes} if changes else {}))
    assert await reload(database, feed) == feed


async def test_a_feed_at_another_url_starts_over_and_is_fetched_at_once(database: Database) -> None:
    feed = await broken(database)
    assert await database.read(load_broken_count) == 1
    edited = await edit(database, feed, url=NEW)
    now = edited.feed
    assert (edited.former_url, now.url, now.id) == (feed.url, NEW, feed.id)
    assert not now.validators
    assert (now.last_error, now.failures, now.last_fetch_status, now.kind) == (None, 0, None, None)
    assert now.requested_at is not None
    assert now.next_run_at is not None
    assert await database.read(load_broken_count) == 0
    (lease,) = await database.write(claim_due_feeds, 1)
    assert lease.feed.url == NEW


async def test_a_disabled_feed_at_another_url_is_not_fetched_by_it(database: Database) -> None:
    feed = await broken(database)
    await edit(database, feed, enabled=False)
    now = (await edit(database, feed, url=NEW)).feed
    assert (now.url, now.enabled, now.requested_at, now.next_run_at, now.last_error) == (
        NEW,
        False,
        None,
        None,
        None,
    )


async def test_the_former_url_still_finds_the_feed_and_coming_back_is_no_move(database: Database) -> None:
    feed = await add_feed(database)
    await edit(database, feed, url=ELSEWHERE)
    for url in (feed.url, ELSEWHERE):
        found = await database.read(find_feed_by_url, url)
        assert found is not None
        assert (found.id, found.url) == (feed.id, ELSEWHERE)
    assert [url for url, _ in await database.read(load_former_urls, feed.id)] == [feed.url]
    await edit(database, feed, url=feed.url)
    assert [url for url, _ in await database.read(load_former_urls, feed.id)] == [ELSEWHERE]


async def test_the_same_url_written_otherwise_changes_nothing_about_it(database: Database) -> None:
    feed = await broken(database)
    edited = await edit(database, feed, url="HTTPS://EXAMPLE.com:443/feed#top")
    assert edited.former_url is None
    assert (edited.feed.url, edited.feed.last_error) == (feed.url, feed.last_error)
    assert await database.read(load_former_urls, feed.id) == []


async def test_a_url_of_another_feed_is_refused_with_its_name(database: Database) -> None:
    feed = await add_feed(database)
    other = await add_feed(database, NEW, title="The other one")
    before = await reload(database, feed)
    with pytest.raises(
        DuplicateFeedError, match=rf"already the URL of another feed, The other one \(id {other.id}\)"
    ):
        await edit(database, feed, url=NEW, topic="x")
    await edit(database, other, url=ELSEWHERE)
    with pytest.raises(DuplicateFeedError, match="is a former URL of another feed, The other one"):
        await edit(database, feed, url=NEW, topic="x")
    await database.write(delete_feed, other.id, NOW)
    with pytest.raises(DuplicateFeedError, match=rf"deleted feed, .*`inforadar feed restore {other.id}`"):
        await edit(database, feed, url=ELSEWHERE, topic="x")
    assert await reload(database, feed) == before
    # What a deleted feed only had once hinders nobody.
    assert (await edit(database, feed, url=NEW)).feed.url == NEW


@pytest.mark.parametrize(
    ("was", "becomes", "kept"),
    [
        ("https://example.com/feed", "https://example.com/news", True),
        ("http://example.com/feed", "https://example.com/feed", True),
        ("https://example.com/feed", "http://example.com/feed", False),
        ("https://example.com/feed", "https://www.example.com/feed", False),
    ],
)
async def test_credentials_stay_only_with_their_origin(
    database: Database, was: str, becomes: str, kept: bool
) -> None:
    feed = await add_feed(database, was)
    await database.write(save_credentials, feed.id, {"X-Key": "k"})
    edited = await edit(database, feed, url=becomes)
    assert edited.dropped_credentials is not kept
    assert await database.read(load_credentials) == ({feed.id: {"X-Key": "k"}} if kept else {})


async def test_a_password_in_the_new_url_is_kept_apart_from_it(database: Database) -> None:
    feed = await add_feed(database)
    await database.write(save_credentials, feed.id, {"X-Key": "k"})
    edited = await edit(database, feed, url="https://ada:secret@news.example.org/feed")
    assert (edited.feed.url, edited.dropped_credentials) == (ELSEWHERE, True)
    assert {name for kept in (await database.read(load_credentials)).values() for name in kept} == {
        "Authorization"
    }


@pytest.mark.parametrize(
    ("columns", "url", "kind"),
    [
        ({"kind": FeedKind.SITEMAP}, NEW, None),
        ({"kind": FeedKind.FEED}, "https://habr.com/ru/articles/", FeedKind.PAGES),
        ({"kind": FeedKind.PAGES}, NEW, None),
        ({"kind": FeedKind.PAGES, "options": parse_options({"selectors": SELECTORS})}, NEW, FeedKind.PAGES),
    ],
    ids=["detected again", "a site with a reader", "no longer", "selectors"],
)
async def test_the_kind_is_detected_again_unless_selectors_say_how_to_read(
    database: Database, columns: dict[str, Any], url: str, kind: FeedKind | None
) -> None:
    feed = await add_feed(database, **columns)
    edited = await edit(database, feed, FetcherSettings(cutoff_date=date(2020, 1, 2)), url=url)
    assert edited.feed.kind is kind
    becomes_pages = kind is FeedKind.PAGES and feed.kind is not kind
    assert edited.feed.options.cutoff_date == (date(2020, 1, 2) if becomes_pages else None)
    (schedule,) = await rows(database, feed_schedules)
    assert schedule.walks is (kind is FeedKind.PAGES)


async def test_a_kind_that_is_named_stays(database: Database) -> None:
    feed = await add_feed(database)
    assert (await edit(database, feed, url=NEW, kind=FeedKind.SITEMAP)).feed.kind is FeedKind.SITEMAP


async def test_source_and_root_domain_follow_the_url_unless_a_person_chose_them(database: Database) -> None:
    feed = await add_feed(database)
    now = (await edit(database, feed, url=ELSEWHERE)).feed
    assert (now.source, now.root_domain) == ("example.org", "example.org")
    named = await add_feed(database, "https://example.com/other", source="Mine", with_root_domain=False)
    now = (await edit(database, named, url="https://news.example.org/other")).feed
    assert (now.source, now.root_domain) == ("Mine", None)


async def test_a_job_that_fetched_the_former_url_cannot_be_saved(database: Database) -> None:
    feed = await add_feed(database)
    stale = await claim(database, feed)
    await edit(database, feed, url=NEW)
    job = collected(stale, await start_run(database), listed(), moved_to="https://third.example/")
    assert await save(database, [job]) == {feed.id: None}
    assert (await reload(database, feed)).url == NEW


async def test_switches_alone_ask_for_nothing(database: Database) -> None:
    feed = await add_feed(database)
    for changes in ({"polling": False}, {"enabled": False}, {"enabled": True}, {"root_domain": None}):
        now = (await edit_live(database, FETCHER, feed.id, FeedChanges(**changes))).feed
        assert (now.requested_at, now.next_run_at) == (None, None)
    assert (await set_root_domain(database, feed.id, "A.example")).root_domain == "a.example"
    assert (await reload(database, feed)).polling is False


async def test_an_edit_in_the_page_enables_polls_and_schedules_unless_told_otherwise(
    database: Database,
) -> None:
    feed = await add_feed(database, enabled=False, polling=False)
    now = (await edit_live(database, FETCHER, feed.id, FeedChanges(topic="x", polling=False))).feed
    assert (now.enabled, now.polling) == (True, False)
    assert now.requested_at is not None
    assert now.next_run_at is not None
    assert abs((now.next_run_at - now.requested_at).total_seconds() - FALLBACK_S) < 5


async def test_an_edit_elsewhere_leaves_the_schedule_and_disabled_feeds_alone(database: Database) -> None:
    feed = await add_feed(database)
    await set_schedule(database, feed, next_run_at=NOW)
    now = (await edit(database, feed, topic="x")).feed
    assert (now.next_run_at, now.requested_at is not None) == (NOW, True)
    off = await add_feed(database, NEW, enabled=False)
    assert (await edit(database, off, topic="x")).feed.requested_at is None


async def test_options_that_nobody_knows_survive_an_edit(database: Database) -> None:
    feed = await add_feed(database, options=parse_options({"of_a_newer_version": 1, "title": "T"}))
    now = (await edit(database, feed, options={"title": None, "keep_days": 7})).feed
    assert now.options == FeedOptions(keep_days=7, other={"of_a_newer_version": 1})


async def test_a_deleted_feed_is_not_edited(database: Database) -> None:
    feed = await add_feed(database)
    await database.write(delete_feed, feed.id, NOW)
    with pytest.raises(NotFoundError, match="is deleted"):
        await edit(database, feed, topic="x")
