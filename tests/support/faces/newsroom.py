"""Fills a database to serve, through the store's own functions, as the pipeline does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from inforadar.model.analysis import Analysis, Score, to_json
from inforadar.model.article import Extracted, NotExtracted
from inforadar.model.feed import Feed
from inforadar.model.http import Outcome
from inforadar.model.ids import ItemId, RunId, UrlHash, new_uuid
from inforadar.model.item import Item, ItemChange, Listed, NewItem
from inforadar.model.schedule import FinishedJob, NextRun
from inforadar.stages.diff import diff
from inforadar.store.analyses.claims import claim_analyses
from inforadar.store.analyses.save import save_analysis
from inforadar.store.articles.claims import claim_articles
from inforadar.store.articles.save import ArticleEnding, save_article
from inforadar.store.database import Database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.items.queries import list_items
from inforadar.store.items.save import FeedItems, insert_items, save_changes
from inforadar.store.leases import claim_feeds
from inforadar.store.published.cached_feeds import CachedFeed
from inforadar.store.published.save_builds import save_cached_feeds
from inforadar.store.writer import save_collected
from inforadar.urls import url_hash

BUILT_AT = datetime(2026, 3, 1, 12, 0, 5, tzinfo=UTC)
PLAIN = Score(value=0.1, reason="Nothing found.")
ANALYSIS = Analysis(
    title="Minister answers critics",
    title_reason="The verb was loaded.",
    description="A minister answered criticism on Monday.",
    description_reason="",
    summary="The minister answered.",
    facts=("The session was on Monday.",),
    framing=PLAIN,
    clickbait=PLAIN,
    persuasive=PLAIN,
    hyper_stimulus=PLAIN,
    speculative=PLAIN,
    overall=PLAIN,
    category="politics",
    language="en",
    model="test",
    prompt_version="1",
)


def analysis(overall: float | None, **fields: Any) -> Analysis:
    return replace(ANALYSIS, overall=Score(value=overall, reason=""), **fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class Newsroom:
    database: Database

    async def add_feed(self, url: str = "https://news.example/feed", **fields: Any) -> Feed:
        feed, _ = await self.database.write(insert_feed, url, **{"enabled": True, "polling": True} | fields)
        return feed

    async def add_item(self, feed: Feed, url: str, **fields: Any) -> Item:
        """Add an item with the fields of a `Listed`."""
        at = datetime.now(UTC)
        listed = Listed(**{"url": url, "title": "A title", "published_at": at} | fields)
        new = NewItem(url=url, hash=url_hash(url), listed=listed)
        batch = FeedItems(feed_id=feed.id, topic=feed.topic, run_id=None, at=at, added=(new,))
        await self.database.write(insert_items, [batch])
        found = await self.database.read(list_items, limit=10_000)
        return next(item for item in found if item.url == url and item.feed_id == feed.id)

    async def add_items(self, feed: Feed, number: int) -> None:
        at = datetime.now(UTC)
        added = tuple(
            NewItem(
                url=url,
                hash=url_hash(url),
                listed=Listed(url=url, title=f"Number {count}", published_at=at - timedelta(minutes=count)),
            )
            for count in range(1, number + 1)
            for url in [f"https://news.example/{feed.id}/{count}"]
        )
        batch = FeedItems(feed_id=feed.id, topic=feed.topic, run_id=None, at=at, added=added)
        await self.database.write(insert_items, [batch])

    async def finish_articles(self, results: Mapping[str, Extracted | NotExtracted]) -> None:
        """Finish the articles in {url: result of extraction}; claims everything that is waiting."""
        at = datetime.now(UTC)
        for job in await self.database.write(claim_articles, 10_000):
            if job.url in results:
                ending = ArticleEnding(job=job, at=at, result=results[job.url])
                assert await self.database.write(save_article, ending)

    async def finish_analyses(self, results: Mapping[str, Analysis]) -> None:
        """Save {url: analysis} for items whose article is finished."""
        for job in await self.database.write(claim_analyses, 10_000):
            if found := results.get(job.url):
                stored = (to_json(found), found.overall.value, datetime.now(UTC))
                assert await self.database.write(save_analysis, job, *stored)

    async def analyze(self, scores: Mapping[str, float | None]) -> None:
        """Give items an article and an analysis by {url: overall score}; claims everything that is waiting."""
        text = Extracted(clean_text="Text.", markdown="Text.")
        await self.finish_articles(dict.fromkeys(scores, text))
        await self.finish_analyses({url: analysis(score) for url, score in scores.items()})

    async def change(self, item: Item, **fields: tuple[Any, Any]) -> None:
        change = ItemChange(id=ItemId(item.id), url=item.url, fields=fields)
        await self.database.write(save_changes, [change], run_id=None, at=datetime.now(UTC))

    async def fetched(
        self,
        feed: Feed,
        outcome: Outcome = Outcome.SUCCESS,
        *,
        moved_to: str | None = None,
        ago: timedelta = timedelta(),
        **next_run: Any,
    ) -> None:
        """Record a finished fetch; `next_run` has the fields of a `NextRun`."""
        (lease,) = await self.database.write(claim_feeds, [feed.id])
        job = FinishedJob(
            lease=lease,
            run_id=RunId(new_uuid()),
            at=datetime.now(UTC) - ago,
            outcome=outcome,
            next_run=NextRun(**{"after_s": None} | next_run),
            moved_to=moved_to,
        )
        saved = await self.database.write(save_collected, [job], diff)
        assert saved[feed.id] is not None

    async def build(self, feed: Feed, document: str, at: datetime = BUILT_AT) -> None:
        cached = CachedFeed(xml_header="", xml_content=document, item_refs=(UrlHash(""),), updated_at=at)
        await self.database.write(save_cached_feeds, {feed.id: cached})
