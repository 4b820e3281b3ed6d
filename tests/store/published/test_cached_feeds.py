"""Built feeds: what is to be built, and that a change meanwhile is not lost."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update

from inforadar.model.feed import Feed
from inforadar.store.database import Database
from inforadar.store.feeds.options import update_feed_options
from inforadar.store.published.cached_feeds import (
    BuildJob,
    CachedFeed,
    load_build_jobs,
    load_cached_feed,
    load_last_items,
)
from inforadar.store.published.save_builds import finish_builds
from inforadar.store.published.served import load_feed_content
from inforadar.store.schema.items import items
from tests.store.making import NOW, add_feed, collect, listed


def document(text: str) -> CachedFeed:
    return CachedFeed(updated_at=NOW, xml_header="<rss>", xml_content=text, item_refs=())


async def changed_feed(database: Database) -> Feed:
    feed = await add_feed(database)
    await collect(database, feed, listed("https://example.com/1"))
    return feed


async def job_of(database: Database) -> BuildJob:
    (job,) = await database.read(load_build_jobs, limit=10, last_n=50)
    return job


async def finish(database: Database, job: BuildJob, built: CachedFeed | None = None) -> bool:
    return job.feed.id in await database.write(finish_builds, [(job, built)])


async def served(database: Database, feed: Feed) -> str | None:
    cached = await database.read(load_cached_feed, feed.id)
    return cached and cached.xml_content


async def test_a_feed_whose_items_changed_is_to_be_built(database: Database) -> None:
    feed = await add_feed(database)
    await collect(database, feed)
    assert await database.read(load_build_jobs, limit=10, last_n=50) == []
    await collect(database, feed, listed("https://example.com/1", title="заголовок"))
    job = await job_of(database)
    assert (job.feed.id, job.cached, [item.title for item in job.items]) == (feed.id, None, ["заголовок"])


async def test_the_last_items_are_the_newest(database: Database) -> None:
    feed = await add_feed(database)
    entries = [listed(f"https://example.com/{n}", published_at=NOW - timedelta(days=n)) for n in range(5)]
    await collect(database, feed, *reversed(entries))
    found = await database.read(load_last_items, feed, 3)
    assert [item.url[-1] for item in found] == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({}, {"1", "2"}),
        ({"analyze": True}, {"1"}),
        ({"analyzer": "local"}, {"1"}),
        ({"model": "m"}, {"1"}),
        ({"prompt": "p"}, {"1"}),
        ({"analyze": False, "prompt": "p"}, {"1", "2"}),
    ],
)
async def test_a_feed_that_asks_for_analysis_has_analyzed_items_only(
    database: Database, options: dict[str, Any], shown: set[str]
) -> None:
    feed = await add_feed(database)
    await collect(database, feed, listed("https://example.com/1"), listed("https://example.com/2"))
    await database.write(
        lambda c: c.execute(update(items).where(items.c.url.endswith("1")).values(analyzed_at=NOW))
    )
    await finish(database, await job_of(database))
    await database.write(update_feed_options, feed.id, options)
    job = await job_of(database)
    assert {item.url[-1] for item in job.items} == shown
    content = await database.read(load_feed_content, feed.id, 50)
    assert {item.url[-1] for item in content.items} == shown


async def test_a_document_is_stored_and_replaced_and_the_feed_is_off_the_list(database: Database) -> None:
    feed = await changed_feed(database)
    for text in ("one", "два"):
        await collect(database, feed, listed("https://example.com/1", title=text))
        assert await finish(database, await job_of(database), document(text))
        assert await served(database, feed) == text
        assert await database.read(load_build_jobs, limit=10, last_n=50) == []
    cached = await database.read(load_cached_feed, feed.id)
    assert cached == document("два")


async def test_what_is_stored_comes_back_whole(database: Database) -> None:
    feed = await changed_feed(database)
    whole = CachedFeed(updated_at=NOW, xml_header="<a>", xml_content="<a/>", item_refs=("x" * 64, "y,{}\"'"))  # type: ignore[arg-type]
    await finish(database, await job_of(database), whole)
    assert await database.read(load_cached_feed, feed.id) == whole


async def test_nothing_new_to_serve_takes_the_feed_off_the_list_and_keeps_the_document(
    database: Database,
) -> None:
    feed = await changed_feed(database)
    await finish(database, await job_of(database), document("one"))
    await collect(database, feed, listed("https://example.com/1", title="t"))
    assert await finish(database, await job_of(database))
    assert await served(database, feed) == "one"
    assert await database.read(load_build_jobs, limit=10, last_n=50) == []


async def test_items_that_changed_while_it_was_built_are_built_next(database: Database) -> None:
    feed = await changed_feed(database)
    job = await job_of(database)
    await collect(database, feed, listed("https://example.com/2"))
    assert await finish(database, job, document("old"))
    assert await served(database, feed) == "old"
    assert len((await job_of(database)).items) == 2


async def test_an_older_build_does_not_replace_what_another_worker_built_meanwhile(
    database: Database,
) -> None:
    feed = await changed_feed(database)
    slow = await job_of(database)
    await collect(database, feed, listed("https://example.com/2"))
    assert await finish(database, await job_of(database), document("new"))
    assert not await finish(database, slow, document("old"))
    assert await served(database, feed) == "new"


async def test_of_feeds_that_are_finished_together_each_ends_as_it_would_alone(database: Database) -> None:
    made = [await add_feed(database, f"https://{name}.example/feed") for name in "abcd"]
    for feed in made:
        await collect(database, feed, listed(f"{feed.url}/1"))
    new, changed, same, late = made
    jobs = {job.feed.id: job for job in await database.read(load_build_jobs, limit=10, last_n=50)}
    await collect(database, changed, listed(f"{changed.url}/2"))
    await finish(database, jobs[late.id], document("by another worker"))
    built = [(jobs[feed.id], document("ours") if feed is not same else None) for feed in made]
    assert await database.write(finish_builds, built) == {new.id, changed.id, same.id}
    assert [await served(database, feed) for feed in made] == ["ours", "ours", None, "by another worker"]
    assert (await job_of(database)).feed.id == changed.id
