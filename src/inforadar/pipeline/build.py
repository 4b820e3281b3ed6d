"""Building: renders the last N items of a feed as the document that the API serves (C6).

A document that would not change keeps its date, so that readers get a 304. It holds as much text as the feed's
options say; the API takes the texts out for those who may not read them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import quote

import structlog

from inforadar.model.feed import Feed
from inforadar.stages.publish.entry import ChannelInfo, Entry
from inforadar.stages.publish.rss import RssDocument, render_rss, rendered_texts, self_link_start
from inforadar.stages.publish.shape import shaped
from inforadar.store.database import Database
from inforadar.store.published.cached_feeds import BuildJob, CachedFeed, load_build_jobs
from inforadar.store.published.readdress import mark_documents_without
from inforadar.store.published.save_builds import finish_builds
from inforadar.store.published.stale_addresses import has_documents_without

BATCH = 20
"""Feeds that are built at a time: all their texts are in memory."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Builder:
    """Builds the documents of feeds that changed."""

    database: Database
    last_n: int
    public_url: str
    """The API's public address, without a trailing slash."""
    now: Callable[[], datetime]

    async def queue_stale_addresses(self) -> None:
        """Queue documents that contain another public address than ours. Called once by each worker.

        The address may have changed since the last worker ran, and a feed without new items would keep the old one.
        """
        link = self_link_start(_address(self.public_url))
        if not await self.database.read(has_documents_without, link):
            return
        before, marked = None, 0
        while (step := await self.database.write(mark_documents_without, link, before=before)) is not None:
            before, number = step
            marked += number
        log.info("feeds.readdressed", public_url=self.public_url, feeds=marked)

    async def run_once(self) -> int:
        """Build every feed whose items changed; return the number of new documents."""
        total = 0
        while jobs := await self.database.read(load_build_jobs, limit=BATCH, last_n=self.last_n):
            built = await asyncio.to_thread(self._build, jobs)
            stored = await self.database.write(finish_builds, built)
            for job, document in built:
                if document:
                    feed, is_stored = job.feed, job.feed.id in stored
                    log.info(
                        "feed.built",
                        feed_id=str(feed.id),
                        url=feed.url,
                        items=len(job.items),
                        stored=is_stored,
                    )
                    total += is_stored
        return total

    def _build(self, jobs: Sequence[BuildJob]) -> list[tuple[BuildJob, CachedFeed | None]]:
        return [(job, self._document_or_none(job)) for job in jobs]

    def _document_or_none(self, job: BuildJob) -> CachedFeed | None:
        """Build one document; a feed that cannot be rendered keeps its old one and does not affect the others."""
        try:
            return self._document(job)
        except Exception:
            log.exception("feed.not_built", feed_id=str(job.feed.id), url=job.feed.url)
            return None

    def _document(self, job: BuildJob) -> CachedFeed | None:
        """Render the feed's document; None if it is unchanged."""
        from inforadar.views.published import entries_of  # noqa: PLC0415 - 4 MB that a worker needs with its first feed

        refs = tuple(item.hash for item in job.items)
        known = rendered_texts(job.cached.xml_content) if job.cached else {}
        entries = [
            shaped(entry, job.content)
            for entry in entries_of(((item, item.text) for item in job.items), known)
        ]
        # The document contains each item's hash, so with other items it cannot be the same.
        if (
            job.cached
            and job.cached.item_refs == refs
            and self._render(job, entries, job.cached.updated_at).whole == job.cached.xml_content
        ):
            return None
        # HTTP dates have whole seconds, and so does the document's own date. No two builds share a date,
        # because readers and the API recognize a change by it.
        at = self.now().replace(microsecond=0)
        if job.cached and at <= job.cached.updated_at:
            at = job.cached.updated_at.replace(microsecond=0) + timedelta(seconds=1)
        rendered = self._render(job, entries, at)
        return CachedFeed(
            updated_at=at, xml_header=rendered.header, xml_content=rendered.whole, item_refs=refs
        )

    def _render(self, job: BuildJob, entries: Sequence[Entry], at: datetime) -> RssDocument:
        return render_rss(channel_of(job.feed, self.public_url, at), entries)


def _address(public_url: str) -> str:
    """The beginning of every document's own URL."""
    return f"{public_url}/rss?url="


def channel_of(feed: Feed, public_url: str, built_at: datetime) -> ChannelInfo:
    return ChannelInfo(
        id=feed.id,
        title=feed.title or feed.source,
        link=feed.site_url or feed.url,
        description=feed.description or f"{feed.source}, {feed.topic}, deframed by Info Radar",
        self_url=_address(public_url) + quote(feed.url, safe=""),
        built_at=built_at,
        language=feed.language,
        icon=feed.icon,
    )
