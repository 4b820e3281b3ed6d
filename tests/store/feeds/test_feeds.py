"""Feeds: adding, finding, asking for, deleting and reviving."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import text

from inforadar.errors import InvalidUrlError, NotFoundError, UsageError
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.feed_options import FeedOptions, parse_options
from inforadar.model.http import Outcome, Validators
from inforadar.model.ids import FeedId, UrlHash, new_uuid
from inforadar.model.schedule import NextRun
from inforadar.store.database import Database
from inforadar.store.feeds import queries
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.changes import request_feed, sync_feed, sync_unless_recent, update_feed
from inforadar.store.feeds.delete_feeds import delete_feed, purge_feeds
from inforadar.store.feeds.queries import (
    count_feeds,
    find_feed,
    find_feed_by_url,
    load_broken_count,
    load_feed,
    load_feeds,
    load_root_domains,
)
from inforadar.store.leases import claim_due_feeds
from inforadar.store.published.cached_feeds import CachedFeed
from inforadar.store.published.save_builds import save_cached_feeds
from inforadar.store.schema.articles import articles
from inforadar.store.schema.feeds import cached_feeds, feed_schedules, feed_urls, feeds
from inforadar.store.schema.items import item_changes, items
from tests.store.making import (
    NOW,
    add_feed,
    claim,
    collect,
    collected,
    count,
    listed,
    reload,
    save,
    start_run,
)


async def test_a_new_feed_is_out_of_the_schedule_and_named_after_its_domain(database: Database) -> None:
    feed, is_new = await database.write(
        insert_feed, "HTTPS://News.Example.co.uk:443/feed?b=2&a=1&utm_source=x#top"
    )
    assert is_new
    assert feed.url == "https://news.example.co.uk/feed?b=2&a=1&utm_source=x"
    assert (feed.source, feed.topic, feed.root_domain) == ("example.co.uk", "general", "example.co.uk")
    assert (feed.enabled, feed.polling, feed.enforce_feed_domain) == (False, False, True)
    assert (feed.next_run_at, feed.requested_at, feed.kind) == (None, None, None)


async def test_adding_a_feed_twice_changes_nothing(database: Database) -> None:
    first, _ = await database.write(insert_feed, "https://example.com/feed", topic="one")
    second, is_new = await database.write(
        insert_feed, "https://EXAMPLE.com/feed#x", topic="two", enabled=True
    )
    assert not is_new
    assert second == first
    assert await database.read(count_feeds) == 1


async def test_several_processes_can_add_the_same_feed_at_once(database: Database) -> None:
    url = "https://example.com/feed"
    added = await asyncio.gather(*(database.write(insert_feed, url) for _ in range(8)))
    assert sum(is_new for _, is_new in added) == 1
    assert len({feed.id for feed, _ in added}) == 1
    assert (await count(database, feeds), await count(database, feed_schedules)) == (1, 1)


async def test_http_and_https_are_one_feed_and_www_is_another(database: Database) -> None:
    added = [
        await add_feed(database, url)
        for url in ("http://example.com/", "https://example.com/", "https://www.example.com/")
    ]
    assert added[0] == added[1]
    assert await database.read(count_feeds) == 2


async def test_a_text_that_is_no_url_is_refused(database: Database) -> None:
    with pytest.raises(InvalidUrlError, match="only http and https"):
        await database.write(insert_feed, "ftp://example.com/feed")


async def test_a_deleted_feed_stays_and_is_revived_from_the_start(database: Database) -> None:
    feed = await add_feed(database, topic="old", title="Old")
    failed = NextRun(after_s=None, failures=2, error="gone")
    await collect(database, feed, listed(), validators=Validators(etag="e", url=feed.url), next_run=failed)
    stale = await claim(database, feed)
    await database.write(request_feed, feed.id)
    await database.write(delete_feed, feed.id, NOW)
    gone = await reload(database, feed)
    assert (gone.deleted_at, gone.enabled) == (NOW, False)
    assert await database.read(load_feeds) == []
    assert await database.read(count_feeds) == 0

    back, is_new = await database.write(insert_feed, feed.url, topic="new", enabled=True)
    assert is_new
    assert (back.id, back.deleted_at, back.topic, back.title) == (feed.id, None, "new", "Old")
    assert not back.validators
    assert (back.next_run_at, back.requested_at, back.last_error, back.failures) == (None, None, None, 0)
    assert await count(database, items) == 1
    job = collected(stale, await start_run(database), listed("https://example.com/late"))
    assert await save(database, [job]) == {feed.id: None}


async def deleted(database: Database, **columns: Any) -> Feed:
    feed = await add_feed(database, **columns)
    await database.write(delete_feed, feed.id, NOW)
    return feed


async def test_a_revived_feed_keeps_what_nobody_says_anew(database: Database) -> None:
    options = {"selectors": {"item": "li"}, "cutoff_date": "2020-01-02", "keep_days": 7, "title": "Mine"}
    feed = await deleted(
        database,
        kind=FeedKind.PAGES,
        source="Site",
        topic="world",
        title="Its own",
        origin="sample",
        enforce_feed_domain=False,
        with_root_domain=False,
        options=parse_options(options),
    )
    back, is_new = await database.write(insert_feed, feed.url)
    assert is_new
    assert back == replace(feed, enabled=False)

    await database.write(delete_feed, feed.id, NOW)
    back, _ = await database.write(
        insert_feed,
        feed.url,
        kind=FeedKind.FEED,
        source="Other",
        topic="local",
        title="Theirs",
        enforce_feed_domain=True,
        with_root_domain=True,
        polling=False,
        options=FeedOptions(keep_days=9),
    )
    assert (back.kind, back.source, back.topic, back.title) == (FeedKind.FEED, "Other", "local", "Theirs")
    assert (back.enforce_feed_domain, back.root_domain, back.polling) == (True, "example.com", False)
    assert back.options.to_json() == {**options, "keep_days": 9, "title": "Theirs"}


async def test_what_is_given_for_a_new_feed_only_fills_what_a_revived_one_lacks(database: Database) -> None:
    feed = await deleted(database, topic="world")
    usual: dict[str, Any] = {
        "kind": FeedKind.PAGES,
        "topic": "python",
        "options": parse_options({"cutoff_date": "2026-01-02"}),
        "defaulted": {"kind", "topic", "cutoff_date"},
    }
    back, _ = await database.write(insert_feed, feed.url, **usual)
    assert (back.kind, back.topic, back.options) == (FeedKind.PAGES, "world", usual["options"])
    await database.write(
        update_feed, feed.id, {"kind": FeedKind.FEED, "options": {"cutoff_date": "2020-02-03"}}
    )
    await database.write(delete_feed, feed.id, NOW)
    back, _ = await database.write(insert_feed, feed.url, **usual)
    assert (back.kind, back.options) == (FeedKind.FEED, parse_options({"cutoff_date": "2020-02-03"}))


async def test_a_deleted_feed_is_revived_by_a_former_url_where_it_is_now(database: Database) -> None:
    feed = await add_feed(database)
    await collect(database, feed, moved_to="https://new.example/feed")
    await database.write(delete_feed, feed.id, NOW)
    back, _ = await database.write(insert_feed, "https://example.com/feed")
    assert (back.id, back.url) == (feed.id, "https://new.example/feed")


async def test_a_feed_is_found_by_its_id_its_url_or_the_beginning_of_one(database: Database) -> None:
    feed = await add_feed(database, "https://example.com/feed?a=b")
    await add_feed(database, "https://example.org/100%25_feed")
    for reference in (
        str(feed.id),
        feed.id.hex,
        str(feed.id).upper(),
        f"  {feed.url} ",
        "https://EXAMPLE.com/feed?a=b",
        "https://example.c",
        "example.com/feed",
    ):
        assert (await database.read(find_feed, reference)).id == feed.id
    assert (await database.read(find_feed, "example.org/100%25_f")).url.endswith("feed")


async def test_a_feed_is_found_by_the_beginning_of_its_id(database: Database) -> None:
    feed = await add_feed(database)
    assert (await database.read(find_feed, str(feed.id)[:20])).id == feed.id


async def test_a_beginning_that_fits_several_feeds_is_refused_with_their_names(database: Database) -> None:
    for n in range(7):
        await add_feed(database, f"https://example.com/{n}")
    with pytest.raises(UsageError, match=r"fits 7 feeds: https://example.com/0, .*/4\. Give more"):
        await database.read(find_feed, "example.com")


@pytest.mark.parametrize("reference", ["nothing", "https://nothing.example/", "0" * 32, "100%", "_"])
async def test_a_feed_that_is_not_there_is_said_to_be_not_there(database: Database, reference: str) -> None:
    await add_feed(database)
    with pytest.raises(NotFoundError, match="There is no feed"):
        await database.read(find_feed, reference)


async def test_a_deleted_feed_is_found_by_nothing_but_said_to_be_deleted(database: Database) -> None:
    feed = await deleted(database)
    for reference in (str(feed.id), feed.id.hex, feed.url):
        with pytest.raises(
            NotFoundError, match=rf"/feed is deleted\. `inforadar feed restore {feed.id}` brings it back\."
        ):
            await database.read(find_feed, reference)
    with pytest.raises(NotFoundError, match="There is no feed"):
        await database.read(find_feed, "example.com")


async def test_no_feed_is_found_by_nothing(database: Database) -> None:
    await add_feed(database)
    with pytest.raises(UsageError, match="Which feed"):
        await database.read(find_feed, "  ")


async def test_a_url_that_is_someones_now_is_not_someones_former(database: Database) -> None:
    moved = await add_feed(database)
    await collect(database, moved, moved_to="https://new.example/feed")
    found = await database.read(find_feed_by_url, "https://example.com/feed")
    assert found is not None
    assert found.id == moved.id
    assert await database.read(find_feed_by_url, "https://never.example/") is None


async def test_feeds_are_listed_by_source_topic_and_url_and_filtered_without_regard_to_case(
    database: Database,
) -> None:
    for url, source, topic in (
        ("https://c.example/", "Ведомости", "мир"),
        ("https://b.example/", "habr", "Python"),
        ("https://a.example/", "Habr", "python"),
        ("https://d.example/", "BBC", "world"),
    ):
        await add_feed(database, url, source=source, topic=topic)
    await add_feed(database, "https://off.example/", source="zzz", enabled=False, origin="sample")

    async def urls(**filters: object) -> list[str]:
        return [feed.url[8] for feed in await database.read(load_feeds, **filters)]  # type: ignore[arg-type]

    assert (await urls())[:3] == ["d", "a", "b"]
    assert await urls(sources=["HABR"]) == ["a", "b"]
    assert await urls(sources=["Ведомости"]) == ["c"]
    assert await urls(sources=["Habr", "bbc"], topics=["PYTHON", "World"]) == ["d", "a", "b"]
    assert await urls(origin="sample") == ["o"]
    assert len(await urls(only_enabled=True)) == 4


async def test_feeds_with_a_name_of_any_length_are_found_by_it(database: Database) -> None:
    """Long ones stand in no index."""
    names = ["n" * 200, "N" * 201, "ж" * 200, "n" * 3000]
    for number, name in enumerate(names):
        await add_feed(database, f"https://{number}.example/", source=name, topic=name)
    for name in names:
        (found,) = await database.read(load_feeds, sources=[name.lower()], topics=[name])
        assert found.source == name


async def test_sqlite_folds_the_case_of_every_script(database: Database) -> None:
    await add_feed(database, source="Ведомости")
    if database.is_sqlite:
        assert len(await database.read(load_feeds, sources=["ВЕДОМОСТИ"])) == 1


async def test_an_edit_writes_only_what_is_named(database: Database) -> None:
    feed = await add_feed(database, title="T", kind=FeedKind.FEED)
    await database.write(update_feed, feed.id, {"topic": "x"})
    now = await reload(database, feed)
    assert (now.topic, now.title, now.kind, now.enabled) == ("x", "T", FeedKind.FEED, True)


async def test_a_request_is_heard_whatever_the_schedule_says(database: Database) -> None:
    feed = await add_feed(database)
    await database.write(request_feed, feed.id)
    assert (await reload(database, feed)).next_run_at is None
    (lease,) = await database.write(claim_due_feeds, 1)
    assert lease.feed.id == feed.id


async def test_a_request_can_bring_a_fallback(database: Database) -> None:
    feed = await add_feed(database)
    await database.write(request_feed, feed.id, fallback_s=300.0)
    now = await reload(database, feed)
    assert now.next_run_at is not None
    assert now.requested_at is not None
    assert 299 < (now.next_run_at - now.requested_at).total_seconds() < 301


async def test_sync_brings_a_feed_back_into_the_schedule(database: Database) -> None:
    feed = await add_feed(database)
    failed = NextRun(after_s=None, failures=4, error="404")
    await collect(database, feed, outcome=Outcome.PERMANENT_ERROR, next_run=failed)
    assert await database.read(load_broken_count) == 1
    await database.write(sync_feed, feed.id)
    now = await reload(database, feed)
    assert (now.last_error, now.failures, now.locked_until) == (None, 0, None)
    assert await database.read(load_broken_count) == 0
    assert len(await database.write(claim_due_feeds, 1)) == 1


async def test_a_fetch_asked_for_twice_within_seconds_is_one(database: Database) -> None:
    feed = await add_feed(database)
    assert await database.write(sync_unless_recent, feed.id, 30)
    first = (await reload(database, feed)).requested_at
    assert not await database.write(sync_unless_recent, feed.id, 30)
    assert (await reload(database, feed)).requested_at == first
    # Commands, and a button pressed later, ask again.
    await database.write(sync_feed, feed.id)
    assert (await reload(database, feed)).requested_at != first
    assert await database.write(sync_unless_recent, feed.id, 0)


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
async def test_a_feed_that_another_program_inserts_gets_an_id_on_postgresql(database: Database) -> None:
    given = "INSERT INTO feeds (url, url_hash, source) VALUES ('https://x.example/', 'x', 'x') RETURNING id"
    assert await database.write(lambda connection: connection.execute(text(given)).scalar_one())


async def test_feeds_that_need_a_person_are_counted_to_an_end(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every page asks; with a million feeds there are thousands of them."""
    monkeypatch.setattr(queries, "MANY_BROKEN", 2)
    for number in range(3):
        feed = await add_feed(database, f"https://news.example/{number}")
        failed = NextRun(after_s=None, failures=4, error="404")
        await collect(database, feed, outcome=Outcome.PERMANENT_ERROR, next_run=failed)
    assert await database.read(load_broken_count) == 2


async def test_sync_refuses_what_nobody_would_fetch(database: Database) -> None:
    feed = await add_feed(database, enabled=False)
    with pytest.raises(UsageError, match=r"is disabled. Enable it first"):
        await database.write(sync_feed, feed.id)
    await database.write(delete_feed, feed.id, NOW)
    with pytest.raises(UsageError, match=r"is deleted"):
        await database.write(sync_feed, feed.id)
    with pytest.raises(NotFoundError):
        await database.write(sync_feed, FeedId(new_uuid()))


async def test_purging_removes_everything_of_the_feed_and_nothing_of_others(database: Database) -> None:
    feed = await add_feed(database)
    other = await add_feed(database, "https://other.example/feed")
    for one in (feed, other):
        await collect(database, one, listed(f"{one.url}/1", views=1))
        await collect(database, one, listed(f"{one.url}/1", views=2), moved_to=f"{one.url}/moved")
        document = CachedFeed(xml_header="h", xml_content="c", item_refs=(UrlHash("r"),), updated_at=NOW)
        await database.write(save_cached_feeds, {one.id: document})
    await database.write(purge_feeds, [feed.id])
    for table in (feeds, feed_schedules, feed_urls, cached_feeds, items, item_changes):
        assert await count(database, table) == 1, table.name
    assert await count(database, articles) == 1  # what another feed lists too would stay
    with pytest.raises(NotFoundError):
        await database.read(load_feed, feed.id)


async def test_root_domains_are_listed_once(database: Database) -> None:
    for url in ("https://a.example.com/", "https://b.example.com/", "https://x.org/"):
        await add_feed(database, url)
    await add_feed(database, "https://hidden.net/", with_root_domain=False)
    assert await database.read(load_root_domains) == ["example.com", "x.org"]
