"""Looks at articles: when they happen, what they cost, and what they keep (V1 to V4)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import insert, select, update

from inforadar.actions.refresh import RefreshOutcome, refresh_article
from inforadar.model.feed_options import RevisionMode
from inforadar.model.revision import ChangeKind, LookState
from inforadar.pipeline.revise.outcome import next_due
from inforadar.pipeline.revise.stage import RevisionStage
from inforadar.pipeline.worker import Worker
from inforadar.store.articles.queries import load_article
from inforadar.store.database import Database
from inforadar.store.feeds.changes import request_feed
from inforadar.store.feeds.options import update_feed_options
from inforadar.store.revisions.claims import LookBudget
from inforadar.store.revisions.prune import prune_versions
from inforadar.store.revisions.queries import (
    count_revisions,
    load_revision,
    load_revisions,
    load_significant,
    load_versions,
    load_watch,
)
from inforadar.store.schema.history import fetch_days
from inforadar.store.schema.items import items
from inforadar.store.schema.people import marks
from inforadar.store.schema.revisions import article_looks, look_days
from inforadar.store.types import db_later
from inforadar.urls import uid
from tests.pipeline.canonical_fixtures import Open, list_urls, settings, worker
from tests.support.site.answers import Answer, html, status
from tests.support.site.documents import Entry, article_page, rss
from tests.support.site.server import Site

__all__ = ["settings", "worker"]

FIRST = (
    "A ferry ran aground in thick fog off Halden early on Tuesday, leaving 40 people injured, said the coast guard.",
    'The Northern Star was carrying 312 passengers. "We felt a heavy blow," said Martin Okafor, a passenger on deck.',
    "The operator said in a statement that the captain had received a weather warning before leaving the port.",
)
SECOND = (FIRST[0].replace(", leaving 40 people injured", ""), *FIRST[1:])
FREE = LookBudget(per_host_day=50, share=None)


def page(paragraphs: tuple[str, ...] = FIRST, title: str = "Ferry runs aground off Halden") -> str:
    return article_page(title=title, paragraphs=paragraphs, author="Jane Roe")


@asynccontextmanager
async def collected(
    site: Site, database: Database, worker: Open, mode: RevisionMode | None = RevisionMode.ALWAYS
) -> AsyncIterator[tuple[Worker, RevisionStage, str]]:
    """An article that was fetched, of a feed whose articles are always looked at again."""
    url = site.page("/articles/1", page())
    feed = await list_urls(site, database, [url])
    if mode is not None:
        await database.write(update_feed_options, feed.id, {"revisions": mode.value})
    async with worker() as running:
        await running.collecting.claim_and_collect()
        assert await running.canonicalizer.run_once() == {"success": 1}
        yield running, replace(running.revising, budget=FREE, plan_s=0), url


async def make_due(database: Database) -> None:
    """Times in the database are moved, nobody waits for them."""
    values = {"due_at": db_later(-1.0), "looked_at": None}
    await database.write(lambda c: c.execute(update(article_looks).values(**values)))


async def look(stage: RevisionStage, database: Database) -> dict[str, int]:
    await stage.run_once()
    await make_due(database)
    return await stage.run_once()


async def text_of(database: Database, url: str) -> str:
    found = await database.read(load_article, uid(url))
    assert found is not None
    assert found.extracted is not None
    return found.extracted.clean_text


async def test_a_dropped_number_is_kept_with_both_versions(
    site: Site, database: Database, worker: Open
) -> None:
    async with collected(site, database, worker) as (_, stage, url):
        site.respond("/articles/1", html(page(SECOND), ETag='"2"'))
        assert await look(stage, database) == {"changed": 1}
        old, new = await database.read(load_versions, uid(url))
        (stored,) = await database.read(load_revisions, uid(url))
        assert await look(stage, database) == {"unchanged": 1}
        renewed = (await database.read(load_versions, uid(url)))[-1]
    assert "40 people" in old.snapshot.text
    assert "40 people" not in new.snapshot.text
    assert (old.number, new.number) == (1, 2)
    assert old.hash != new.hash
    assert old.seen_at <= old.last_seen_at <= new.seen_at < renewed.last_seen_at
    assert new.headers["etag"] == '"2"'
    assert ChangeKind.NUMBER in stored.revision.kinds
    assert stored.revision.is_significant
    assert not stored.revision.is_noted
    assert (stored.revision.score_before is None) == (stored.revision.score_after is None)
    assert await text_of(database, url) == new.snapshot.text
    assert await database.read(count_revisions, [uid(url)]) == {uid(url): 1}
    assert await database.read(load_revision, stored.id) == stored
    (listed,) = await database.read(load_significant, limit=5)
    assert (listed.stored.id, listed.stored.url) == (stored.id, url)


async def test_a_look_is_conditional_and_asks_robots_first(
    site: Site, database: Database, worker: Open
) -> None:
    site.respond("/robots.txt", Answer(body=b"User-agent: *\nDisallow: /private\n"))
    url = site.feed("/articles/1", page(), etag='"1"', content_type="text/html; charset=utf-8")
    feed = await list_urls(site, database, [url])
    await database.write(update_feed_options, feed.id, {"revisions": "always"})
    async with worker() as running:
        await running.collecting.claim_and_collect()
        await running.canonicalizer.run_once()
        assert await look(replace(running.revising, budget=FREE), database) == {"unchanged": 1}
    asked = site.requests_for("/articles/1")
    assert [request.headers.get("if-none-match") for request in asked] == [None, '"1"']
    assert len(site.requests_for("/robots.txt")) == 1


async def test_robots_that_forbid_a_page_later_end_the_looks(
    site: Site, database: Database, worker: Open
) -> None:
    async with collected(site, database, worker) as (running, stage, url):
        site.respond("/robots.txt", Answer(body=b"User-agent: *\nDisallow: /articles\n"))
        await running.revising.robots.refresh(url)
        asked = len(site.requests_for("/articles/1"))
        assert await look(stage, database) == {"in_vain": 1}
        watch = await database.read(load_watch, uid(url))
    assert len(site.requests_for("/articles/1")) == asked
    assert watch is not None
    assert "robots.txt" in watch.note


NOT_THE_ARTICLE = {
    "gone": status(404),
    "busy": status(503),
    "error page": html(
        article_page(title="Error", paragraphs=["Page not found. Try our search, or go home."] * 3)
    ),
    "wall": html(
        article_page(title="Wall", paragraphs=["Subscribe to continue reading this article now."] * 3)
    ),
    "cut off": html(page(FIRST[:1])),
    "no text": html("<html><body>" + "<nav><a href='/x'>x</a></nav>" * 50),
}


async def test_an_answer_that_is_not_the_article_replaces_nothing(
    site: Site, database: Database, worker: Open
) -> None:
    async with collected(site, database, worker) as (running, stage, url):
        before = await text_of(database, url)
        for name, answer in NOT_THE_ARTICLE.items():
            site.respond("/articles/1", answer)
            assert await look(stage, database) == {"in_vain": 1}, name
            watch = await database.read(load_watch, uid(url))
            assert watch is not None
            assert watch.note, name
            await refresh_article(running.canonicalizer, uid(url))
            assert await text_of(database, url) == before, name
    assert await database.read(load_versions, uid(url)) == []


async def test_another_page_is_believed_when_it_is_seen_twice(
    site: Site, database: Database, worker: Open
) -> None:
    async with collected(site, database, worker) as (_, stage, url):
        other = [
            f"Recipe number {n} asks for butter, flour, sugar and some patience in the kitchen."
            for n in range(6)
        ]
        site.respond("/articles/1", html(page(tuple(other))))
        assert await look(stage, database) == {"in_vain": 1}
        assert await database.read(load_versions, uid(url)) == []
        assert await look(stage, database) == {"changed": 1}


async def test_a_page_that_changes_with_every_request_is_left_alone_after_three_looks(
    site: Site, database: Database, worker: Open
) -> None:
    async with collected(site, database, worker) as (_, stage, url):
        numbers = iter(range(100, 200))
        site.respond(
            "/articles/1",
            lambda _: html(page((*FIRST, f"The lucky number of this hour is {next(numbers)}."))),
        )
        assert await look(stage, database) == {"changed": 1}
        assert await look(stage, database) == {"changed": 1}
        watch = await database.read(load_watch, uid(url))
        assert watch is not None
        assert watch.due_at is not None
        assert watch.looked_at is not None
        assert watch.due_at - watch.looked_at <= timedelta(minutes=5)
        assert await look(stage, database) == {"unstable": 1}
        asked = len(site.requests)
        assert await look(stage, database) == {}
    watch = await database.read(load_watch, uid(url))
    assert watch is not None
    assert watch.state is LookState.UNSTABLE
    assert "every request" in watch.note
    assert len(site.requests) == asked
    assert await database.read(load_revisions, uid(url)) == []
    assert await database.read(load_significant, limit=5) == []


async def test_an_article_edited_twice_is_not_called_unstable(
    site: Site, database: Database, worker: Open
) -> None:
    async with collected(site, database, worker) as (_, stage, url):
        for paragraphs in (SECOND, SECOND[1:]):
            site.respond("/articles/1", html(page(paragraphs)))
            assert await look(stage, database) == {"changed": 1}
        assert await look(stage, database) == {"unchanged": 1}
        site.respond("/articles/1", html(page(FIRST)))
        assert await look(stage, database) == {"changed": 1}
    assert len(await database.read(load_revisions, uid(url))) == 3


async def test_a_feed_decides_which_articles_are_looked_at(
    site: Site, database: Database, worker: Open
) -> None:
    async with collected(site, database, worker, None) as (_, stage, url):
        feed_id = await database.read(lambda c: c.execute(select(items.c.feed_id)).scalar_one())
        assert await look(stage, database) == {}
        star = {"hash": select(items.c.hash).scalar_subquery(), "url": url, "starred_at": db_later(0.0)}
        await database.write(lambda c: c.execute(insert(marks).values(**star)))
        assert await look(stage, database) == {"unchanged": 1}
        await database.write(update_feed_options, feed_id, {"revisions": "off"})
        assert await look(stage, database) == {}


async def test_a_changed_title_in_the_feed_asks_for_a_look_at_once(
    site: Site, database: Database, worker: Open
) -> None:
    async with collected(site, database, worker, None) as (running, stage, url):
        assert await stage.run_once() == {}
        site.feed("/general.xml", rss([Entry(url=url, title="Ferry: nobody injured")]))
        feed_id = await database.read(lambda c: c.execute(select(items.c.feed_id)).scalar_one())
        await database.write(request_feed, feed_id)
        site.respond("/articles/1", html(page(SECOND)))
        await running.collecting.claim_and_collect()
        assert await stage.run_once() == {"changed": 1}


async def test_budgets_are_never_exceeded(site: Site, database: Database, worker: Open) -> None:
    urls = [site.page(f"/articles/{n}", page(title=f"Story {n}")) for n in range(6)]
    feed = await list_urls(site, database, urls)
    await database.write(update_feed_options, feed.id, {"revisions": "always"})
    async with worker() as running:
        await running.collecting.claim_and_collect()
        await running.canonicalizer.run_once()
        assert await look(running.revising, database) == {}, "one collecting request allows no look"
        row = {"day": datetime.now(UTC).date(), "outcome": "temporary_error", "fetches": 39}
        await database.write(lambda c: c.execute(insert(fetch_days).values(**row)))
        assert await running.revising.run_once() == {"unchanged": 4}, "a tenth of 40"
        assert await look(running.revising, database) == {}
        few = replace(running.revising, budget=LookBudget(per_host_day=5, share=None))
        assert await few.run_once() == {"unchanged": 1}, "the host has had four"
        spent = await database.read(lambda c: c.execute(select(look_days.c.host, look_days.c.looks)).all())
        due = await database.read(lambda c: c.execute(select(article_looks.c.due_at)).scalars().all())
    assert sorted(count for _, count in spent) == [5, 5]
    assert len([at for at in due if at is not None]) == 6


async def test_looking_can_be_switched_off(site: Site, database: Database, worker: Open) -> None:
    async with collected(site, database, worker) as (_, stage, _url):
        assert await look(replace(stage, hours=()), database) == {}


async def test_a_refresh_by_hand_keeps_the_version_before(
    site: Site, database: Database, worker: Open
) -> None:
    async with collected(site, database, worker) as (running, _, url):
        site.respond("/articles/1", html(page(SECOND)))
        refreshed = await refresh_article(running.canonicalizer, uid(url))
    assert refreshed.outcome is RefreshOutcome.CHANGED
    assert len(await database.read(load_versions, uid(url))) == 2


async def test_retention_leaves_the_first_the_last_and_the_significant_versions(
    site: Site, database: Database, worker: Open
) -> None:
    typo = tuple(text.replace("passenger", "passanger") for text in SECOND)
    wording = tuple(text.replace("said in a statement", "told reporters") for text in SECOND)
    async with collected(site, database, worker) as (_, stage, url):
        for paragraphs in (SECOND, typo, SECOND, wording):
            site.respond("/articles/1", html(page(paragraphs)))
            await look(stage, database)
            await look(stage, database)
        assert [one.number for one in await database.read(load_versions, uid(url))] == [1, 2, 3, 4, 5]
        assert await database.write(prune_versions, uid(url), 2) == 2
        kept = await database.read(load_versions, uid(url))
        revisions = await database.read(load_revisions, uid(url))
    assert [one.number for one in kept] == [1, 2, 5]
    assert [(one.old_version, one.new_version) for one in revisions] == [(1, 2), (2, 5)]


async def test_a_live_page_keeps_ten_versions(site: Site, database: Database, worker: Open) -> None:
    lines: tuple[str, ...] = tuple(
        f"09:{n:02} The coast guard reports again from Halden: {FIRST[1]} {n}" for n in range(5)
    )
    url = site.page("/live/1", page(lines, "Halden ferry: live updates"))
    feed = await list_urls(site, database, [url])
    await database.write(update_feed_options, feed.id, {"revisions": "always"})
    async with worker() as running:
        stage = replace(running.revising, budget=FREE)
        await running.collecting.claim_and_collect()
        await running.canonicalizer.run_once()
        for n in range(12):
            lines = (f"10:{n:02} All passengers of boat {n} have left the ship. {FIRST[2]}", *lines)
            site.page("/live/1", page(lines, "Halden ferry: live updates"))
            assert await look(stage, database) == {"changed": 1}
        versions = await database.read(load_versions, uid(url))
        revisions = await database.read(load_revisions, uid(url))
    assert len(versions) == 10
    assert (versions[0].number, versions[-1].number) == (1, 13)
    assert all(one.revision.is_live and not one.revision.is_significant for one in revisions)


def test_looks_follow_their_plan() -> None:
    first = datetime(2026, 5, 12, 6, tzinfo=UTC)
    hours = (1.0, 6.0, 24.0, 72.0)

    def due(after: float) -> Any:
        return next_due(first, first + timedelta(hours=after), hours)

    assert due(0) == first + timedelta(hours=1)
    assert due(1) == first + timedelta(hours=6)
    assert due(30) == first + timedelta(days=3)
    assert due(72) is None
