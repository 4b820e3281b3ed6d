"""A page that is published again: its item moves up, and its article is fetched again."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import select

from inforadar.model.article import Extracted
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.ids import RunId
from inforadar.model.schedule import Lease, ListingPart, PartState
from inforadar.pipeline.search_index import SearchIndexer
from inforadar.stages.diff import diff
from inforadar.store.articles.claims import claim_articles, extend_articles
from inforadar.store.articles.save import ArticleEnding, save_article
from inforadar.store.database import Database
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.pages import load_item_page
from inforadar.store.schema.articles import articles
from inforadar.store.sitemaps.record import save_site
from inforadar.store.types import db_now
from inforadar.store.writer import save_part
from tests.store.making import NOW, add_feed, claim, collect, listed, start_run

URLS = [f"https://example.com/страница-{n}" for n in range(3)]
TEXT = Extracted(clean_text="старый текст", markdown="старый текст")


async def a_sitemap(database: Database) -> tuple[Feed, Lease, RunId]:
    """Its pages were published a day apart, the first one last."""
    feed = await add_feed(database, "https://example.com/sitemap.xml", kind=FeedKind.SITEMAP)
    days = [NOW - timedelta(days=n) for n in range(3)]
    await collect(
        database,
        feed,
        *(listed(url, title="Новости", published_at=at) for url, at in zip(URLS, days, strict=True)),
    )
    await database.write(save_site, "сайт", at=NOW)
    return feed, await claim(database, feed), await start_run(database)


async def publish_again(database: Database, lease: Lease, run: RunId, url: str) -> None:
    state = PartState(site="сайт", modified={url: NOW + timedelta(hours=1)})
    part = ListingPart(lease=lease, run_id=run, at=NOW, listed=(), state=state)
    assert await database.write(save_part, part, diff)


async def due(database: Database) -> list[str]:
    query = select(articles.c.url).where(articles.c.next_attempt_at <= db_now())
    return await database.read(lambda c: list(c.execute(query).scalars()))


async def test_an_article_that_is_being_fetched_while_its_page_changes_is_fetched_again(
    database: Database,
) -> None:
    _, lease, run = await a_sitemap(database)
    jobs = await database.write(claim_articles, 3)
    (job,) = [job for job in jobs if job.url == URLS[2]]
    await publish_again(database, lease, run, URLS[2])
    assert await database.write(claim_articles, 3) == [], "it has a lease"
    assert await database.write(extend_articles, [job]) == {job.uid}
    for one in jobs:
        assert await database.write(save_article, ArticleEnding(job=one, at=NOW, result=TEXT))
    assert await due(database) == [URLS[2]]
    (again,) = await database.write(claim_articles, 3)
    assert await database.write(save_article, ArticleEnding(job=again, at=NOW, result=TEXT))
    assert await due(database) == []


async def test_a_page_that_is_published_again_is_the_first_hit_of_a_search(database: Database) -> None:
    _, lease, run = await a_sitemap(database)
    await SearchIndexer(database=database).run_once()
    await publish_again(database, lease, run, URLS[2])
    await SearchIndexer(database=database).run_once()
    page = await database.read(load_item_page, ItemFilter(query="новости"))
    assert [item.url for item in page.items] == [URLS[2], URLS[0], URLS[1]]
