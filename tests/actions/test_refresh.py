"""Fetching one article anew: conditionally, at the host's pace, and never to lose a text."""

from __future__ import annotations

import itertools

import pytest

from inforadar.actions.refresh import RefreshOutcome, refresh_article
from inforadar.errors import UsageError
from inforadar.model.article import Article, ArticleStatus
from inforadar.store.articles.claims import claim_article
from inforadar.store.articles.queries import count_due_articles, load_article
from inforadar.store.database import Database
from inforadar.urls import uid
from tests.pipeline.canonical_fixtures import PARAGRAPH, Open, list_urls, settings, worker
from tests.support.site.answers import html, status
from tests.support.site.documents import article_page
from tests.support.site.server import Site

__all__ = ["settings", "worker"]

HTML = "text/html; charset=utf-8"


def page(text: str = PARAGRAPH) -> str:
    return article_page(title="Story 1", paragraphs=[text] * 4)


async def stored(database: Database, url: str) -> Article:
    found = await database.read(load_article, uid(url))
    assert found is not None
    return found


async def test_a_refresh_asks_conditionally_and_says_what_happened(
    site: Site, database: Database, worker: Open
) -> None:
    url = site.feed("/articles/1", page(), etag='"v1"', content_type=HTML)
    await list_urls(site, database, [url])
    async with worker() as running:
        await running.collecting.claim_and_collect()
        first = await refresh_article(running.canonicalizer, uid(url))
        assert (first.outcome, first.before_len) == (RefreshOutcome.STORED, None)
        fetched_at = (await stored(database, url)).fetched_at
        again = await refresh_article(running.canonicalizer, uid(url))
        assert (again.outcome, again.after_len) == (RefreshOutcome.NOT_MODIFIED, first.after_len)
        assert site.requests_for("/articles/1")[-1].headers["if-none-match"] == '"v1"'
        after = await stored(database, url)
        assert fetched_at is not None
        assert after.fetched_at is not None
        assert after.fetched_at > fetched_at

        site.feed("/articles/1", page(), etag='"v2"', content_type=HTML)
        same = await refresh_article(running.canonicalizer, uid(url))
        assert same.outcome is RefreshOutcome.SAME
        await refresh_article(running.canonicalizer, uid(url))
        assert site.requests_for("/articles/1")[-1].headers["if-none-match"] == '"v2"'

        site.page("/articles/1", page(PARAGRAPH.replace("agreed", "refused")))
        changed = await refresh_article(running.canonicalizer, uid(url))
        assert changed.outcome is RefreshOutcome.CHANGED
    assert await database.read(count_due_articles) == 0


async def test_validators_are_sent_to_the_url_that_gave_them(
    site: Site, database: Database, worker: Open
) -> None:
    target = site.feed("/new", page(), etag='"v1"', content_type=HTML, host="127.0.0.2")
    url = site.redirect("/articles/1", target, 302)
    await list_urls(site, database, [url])
    async with worker() as running:
        await running.collecting.claim_and_collect()
        await refresh_article(running.canonicalizer, uid(url))
        again = await refresh_article(running.canonicalizer, uid(url))
    assert again.outcome is RefreshOutcome.NOT_MODIFIED
    assert "if-none-match" not in site.requests_for("/articles/1")[-1].headers
    assert site.requests_for("/new")[-1].headers["if-none-match"] == '"v1"'


async def test_no_failure_replaces_a_text_by_nothing(site: Site, database: Database, worker: Open) -> None:
    url = site.page("/articles/1", page())
    await list_urls(site, database, [url])
    async with worker() as running:
        await running.run_once()
        before = await stored(database, url)
        for answer in (status(404), status(503), html("<p>short</p>"), html("<html><body>" + "<br>" * 99)):
            site.respond("/articles/1", answer)
            failed = await refresh_article(running.canonicalizer, uid(url))
            assert failed.outcome is RefreshOutcome.FAILED
            assert failed.failure is not None
            assert failed.after_len == failed.before_len != 0
            after = await stored(database, url)
            assert (after.status, after.extracted) == (ArticleStatus.SUCCESS, before.extracted)
        assert await running.canonicalizer.next_turn_s() is None


async def test_a_refresh_keeps_out_where_robots_txt_forbids(
    site: Site, database: Database, worker: Open
) -> None:
    site.respond("/robots.txt", html("User-agent: *\nDisallow: /articles/\n"))
    url = site.page("/articles/1", page())
    await list_urls(site, database, [url])
    async with worker() as running:
        await running.collecting.claim_and_collect()
        refused = await refresh_article(running.canonicalizer, uid(url))
    assert refused.failure is not None
    assert "robots.txt" in refused.failure.detail
    assert site.requests_for("/articles/1") == []


async def test_a_refresh_keeps_the_hosts_pace(site: Site, database: Database, worker: Open) -> None:
    url = site.page("/articles/1", page())
    await list_urls(site, database, [url])
    async with worker(fetcher={"domain_delay": 0.2}) as running:
        await running.collecting.claim_and_collect()
        await refresh_article(running.canonicalizer, uid(url))
        await refresh_article(running.canonicalizer, uid(url))
    times = [request.at for request in site.requests]
    assert len(times) == 4
    assert all(later - earlier >= 0.19 for earlier, later in itertools.pairwise(times))


async def test_an_article_that_a_worker_holds_is_left_to_it(
    site: Site, database: Database, worker: Open
) -> None:
    url = site.page("/articles/1", page())
    await list_urls(site, database, [url])
    async with worker() as running:
        await running.collecting.claim_and_collect()
        assert await database.write(claim_article, uid(url))
        with pytest.raises(UsageError, match="right now"):
            await refresh_article(running.canonicalizer, uid(url))
    assert site.requests_for("/articles/1") == []
