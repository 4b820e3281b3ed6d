"""Adding feeds: what is filled in, how the faces differ, and that an add is one transaction."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from inforadar.actions.feed_input import split_credentials
from inforadar.actions.opml_import import import_opml
from inforadar.actions.subscribe import NewFeed, subscribe, with_defaults
from inforadar.cli.feed.selectors_file import read_selectors
from inforadar.config import FetcherSettings
from inforadar.errors import InvalidUrlError, UsageError
from inforadar.model.feed import FeedKind
from inforadar.model.feed_options import FeedOptions, parse_options
from inforadar.model.subscription import EMBEDDED, LIVE, REGISTERED, Start, WantedFeed
from inforadar.store.database import Database
from inforadar.store.feeds.credentials import load_credentials
from inforadar.store.feeds.delete_feeds import delete_feed
from inforadar.store.leases import claim_due_feeds
from tests.store.making import add_feed

NOW = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
FETCHER = FetcherSettings()
SELECTORS = {"item": "li", "link": "a", "title": "a", "date": "time"}


def new_feed(
    url: str,
    kind: FeedKind | None = None,
    topic: str | None = None,
    usual: date | None = None,
    **options: Any,
) -> NewFeed:
    return with_defaults(
        url, kind=kind, topic=topic, options=parse_options(options), usual_cutoff=usual, now=NOW
    )


@pytest.mark.parametrize(
    ("url", "kind", "topic"),
    [
        ("https://habr.com/ru/hubs/python/articles/", FeedKind.PAGES, "python"),
        ("https://habr.com/ru/articles/", FeedKind.PAGES, "general"),
        ("https://www.habr.com/ru/companies/yandex/articles/", FeedKind.PAGES, "yandex"),
        ("https://habr.com/ru/rss/articles/", None, "general"),
        ("https://habr.com/ru/rss/hubs/python/articles/", None, "general"),
        ("https://news.example/latest", None, "general"),
        ("https://[broken/", None, "general"),
    ],
)
def test_a_listing_of_a_site_with_a_reader_is_of_kind_pages_and_its_hub_the_topic(
    url: str, kind: FeedKind | None, topic: str
) -> None:
    new = new_feed(url)
    assert (new.kind, new.topic) == (kind, topic)


def test_the_cutoff_of_a_paged_site_is_stored_with_it() -> None:
    assert new_feed("https://habr.com/ru/articles/").options.cutoff_date == date(2026, 2, 12)
    given = new_feed("https://a.example/", selectors=SELECTORS, cutoff_date="2020-01-02")
    assert given.kind is FeedKind.PAGES
    assert given.options.to_json() == {"cutoff_date": "2020-01-02", "selectors": SELECTORS}
    assert new_feed("https://a.example/feed.xml", cutoff_date="2020-01-02").options == FeedOptions()


def test_what_the_person_did_not_name_is_told_apart() -> None:
    url = "https://habr.com/ru/hubs/python/articles/"
    settings_say = new_feed(url, usual=date(2020, 1, 2))
    assert settings_say.options.cutoff_date == date(2020, 1, 2)
    assert settings_say.defaulted == {"kind", "topic", "cutoff_date"}
    said = new_feed(url, FeedKind.PAGES, "t", cutoff_date="2020-01-02")
    assert said.defaulted == frozenset()
    assert new_feed("https://a.example/", selectors=SELECTORS).defaulted == {
        "topic",
        "cutoff_date",
    }


def test_selectors_are_for_paged_sites_and_must_be_usable() -> None:
    with pytest.raises(UsageError, match="for kind pages"):
        new_feed("https://a.example/", FeedKind.SITEMAP, selectors=SELECTORS)
    with pytest.raises(UsageError, match="`date` is missing"):
        new_feed("https://a.example/", selectors={"item": "li"})


def test_all_that_is_wrong_with_a_file_of_selectors_is_said_at_once(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_selectors(path)
    path.write_bytes(b"item = '\xff'")
    with pytest.raises(UsageError, match="is not a UTF-8 text file"):
        read_selectors(path)
    path.write_text("item = 3\ncolour = 'x'\n")
    with pytest.raises(UsageError) as refused:
        read_selectors(path)
    assert "`colour` is not a key" in str(refused.value)
    assert "`link` is missing." in str(refused.value)
    path.write_text("item = 'li'\nlink = 'a'\ntitle = 'a'\ndate = 'time'\n")
    assert read_selectors(path) == {**SELECTORS, "first_page": 1}


def test_a_url_is_parted_from_its_password_or_refused() -> None:
    bare, headers = split_credentials("https://ada:secret@news.example/feed")
    assert (bare, set(headers)) == ("https://news.example/feed", {"Authorization"})
    with pytest.raises(InvalidUrlError, match="cannot be read"):
        split_credentials("http://[")


HABR = "https://habr.com/ru/articles/"


async def test_the_cutoff_of_the_settings_is_honoured_however_a_feed_is_added(database: Database) -> None:
    fetcher = FetcherSettings(cutoff_date=date(2020, 1, 2))
    for number, start in enumerate((REGISTERED, LIVE, EMBEDDED)):
        added = await subscribe(database, fetcher, WantedFeed(url=f"{HABR}?{number}"), start)
        assert added.feed.options.cutoff_date == date(2020, 1, 2)
    opml = f'<opml><body><outline xmlUrl="{HABR}"/></body></opml>'.encode()
    (imported,) = (await import_opml(database, fetcher, opml)).added
    assert imported.options.cutoff_date == date(2020, 1, 2)
    own = WantedFeed(url=f"{HABR}?own", options=FeedOptions(cutoff_date=date(2024, 5, 6)))
    assert (await subscribe(database, fetcher, own, LIVE)).feed.options.cutoff_date == date(2024, 5, 6)


@pytest.mark.parametrize(
    ("start", "enforced"),
    [(REGISTERED, True), (EMBEDDED, True), (LIVE, False)],
    ids=["cli", "python", "page"],
)
async def test_items_of_other_hosts_are_dropped_from_the_command_line_and_python_alone(
    database: Database, start: Start, enforced: bool
) -> None:
    added = await subscribe(database, FETCHER, WantedFeed(url="https://a.example/"), start)
    assert added.feed.enforce_feed_domain is enforced
    named = await subscribe(database, FETCHER, WantedFeed(url="https://b.example/", any_host=True), start)
    assert named.feed.enforce_feed_domain is False


async def test_an_add_is_one_transaction_with_its_password_and_its_first_fetch(database: Database) -> None:
    before = database.writes
    start = Start(enabled=True, polling=True, fetch_within_s=0.0)
    wanted = WantedFeed(url="https://ada:secret@a.example/feed", root_domain=False, topic="мир")
    added = await subscribe(database, FETCHER, wanted, start)
    assert database.writes - before == 1
    feed = added.feed
    assert (added.is_new, added.kept_credentials) == (True, True)
    assert (feed.url, feed.topic, feed.root_domain, feed.polling) == (
        "https://a.example/feed",
        "мир",
        None,
        True,
    )
    assert set(await database.read(load_credentials)) == {feed.id}
    (lease,) = await database.write(claim_due_feeds, 1)
    assert lease.feed.id == feed.id


async def test_a_registered_feed_is_neither_enabled_nor_asked_for(database: Database) -> None:
    feed = (await subscribe(database, FETCHER, WantedFeed(url="https://a.example/feed"))).feed
    assert (feed.enabled, feed.polling, feed.requested_at, feed.next_run_at) == (False, False, None, None)
    assert await database.write(claim_due_feeds, 1) == []


async def test_a_revived_feed_keeps_what_the_start_does_not_say(database: Database) -> None:
    feed = await add_feed(database, enforce_feed_domain=False, with_root_domain=False, topic="world")
    await database.write(delete_feed, feed.id, NOW)
    back = await subscribe(database, FETCHER, WantedFeed(url=feed.url))
    assert (back.is_new, back.feed.id, back.feed.topic) == (True, feed.id, "world")
    assert (back.feed.enabled, back.feed.polling) == (False, True)
    assert (back.feed.enforce_feed_domain, back.feed.root_domain) == (False, None)


async def test_an_existing_feed_stays_as_it_is(database: Database) -> None:
    feed = await add_feed(database)
    again = await subscribe(database, FETCHER, WantedFeed(url=f"{feed.url}#x", topic="other"), LIVE)
    assert (again.is_new, again.feed, again.kept_credentials) == (False, feed, None)
