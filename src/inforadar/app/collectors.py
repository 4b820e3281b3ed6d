"""Assembles the collectors and the canonical stage from the settings.

`COLLECTORS` has one entry for each kind of feed. A new kind is registered there, and nowhere else in `app`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from inforadar.config import Settings
from inforadar.fetch.engine import Engine
from inforadar.model.analysis import Subject
from inforadar.model.feed import FeedKind
from inforadar.model.ids import FeedId, UrlHash
from inforadar.pipeline.articles import ArticleListener, Canonicalizer
from inforadar.pipeline.collect.feed import FeedCollector
from inforadar.pipeline.collect.jobs import Collector
from inforadar.pipeline.collect.page_titles import PageTitles
from inforadar.pipeline.collect.pages import PagesCollector
from inforadar.pipeline.collect.sitemap import SitemapCollector, SitemapPolicy
from inforadar.pipeline.pool import WorkPool
from inforadar.pipeline.pool_tasks import PoolTasks
from inforadar.pipeline.revise.stage import RevisionStage
from inforadar.pipeline.robots import Robots
from inforadar.pipeline.schedule import SchedulePolicy
from inforadar.store.database import Database
from inforadar.store.items.known import load_known_hashes
from inforadar.store.revisions.claims import LookBudget

if TYPE_CHECKING:
    from inforadar.app.analysis import RunApart
    from inforadar.store.redis.projection import RedisProjection

LOOK_SHARE = 0.1
"""Looks at articles never exceed this part of the collecting requests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectorParts:
    """The parts that collectors and the canonical stage are made of."""

    settings: Settings
    database: Database
    engine: Engine
    robots: Robots
    pool: WorkPool
    now: Callable[[], datetime]
    projection: RedisProjection | None = None
    """Redis, if it is configured."""
    run_apart: RunApart | None = None
    """Where the local analyzer works; None: in a thread of this process."""


def make_canonicalizer(parts: CollectorParts, *, listener: ArticleListener | None = None) -> Canonicalizer:
    """Make the canonical stage; `listener` is notified of each article."""
    canonical = parts.settings.canonical
    return Canonicalizer(
        database=parts.database,
        engine=parts.engine,
        robots=parts.robots,
        extract=PoolTasks(parts.pool).extract_article,
        timeout_s=canonical.timeout,
        max_bytes=int(canonical.max_body_size_mb * 2**20),
        retries=canonical.retries,
        workers=canonical.workers,
        now=parts.now,
        max_versions=canonical.versions,
        score=partial(_score_wording, parts.run_apart),
        projection=parts.projection,
        listener=listener,
    )


def make_revision_stage(parts: CollectorParts) -> RevisionStage:
    """Make the stage that looks at articles again."""
    canonical = parts.settings.canonical
    return RevisionStage(
        database=parts.database,
        engine=parts.engine,
        robots=parts.robots,
        extract=PoolTasks(parts.pool).extract_article,
        timeout_s=canonical.timeout,
        max_bytes=int(canonical.max_body_size_mb * 2**20),
        workers=canonical.workers,
        hours=canonical.revision_hours,
        budget=LookBudget(per_host_day=canonical.revisions_per_host_day, share=LOOK_SHARE),
        max_versions=canonical.versions,
        score=partial(_score_wording, parts.run_apart),
        now=parts.now,
        projection=parts.projection,
    )


def make_feed_collector(parts: CollectorParts) -> FeedCollector:
    fetcher, sitemap = parts.settings.fetcher, make_sitemap_collector(parts)
    return FeedCollector(
        fetch=parts.engine.fetch,
        parse=PoolTasks(parts.pool).parse_feed,
        policy=make_schedule_policy(parts.settings),
        max_articles=fetcher.max_articles,
        request_timeout_s=fetcher.request_timeout,
        job_timeout_s=fetcher.job_timeout,
        now=parts.now,
        sitemap=sitemap.collect,
        max_sitemap_bytes=sitemap.sitemaps.max_bytes,
    )


def make_pages_collector(parts: CollectorParts) -> PagesCollector:
    fetcher = parts.settings.fetcher
    return PagesCollector(
        engine=parts.engine,
        robots=parts.robots,
        read=PoolTasks(parts.pool).read_page,
        load_known=partial(_load_known, parts.database),
        policy=make_schedule_policy(parts.settings),
        request_timeout_s=fetcher.request_timeout,
        now=parts.now,
        cutoff_date=fetcher.cutoff_date,
        window_days=fetcher.window_days,
    )


def make_sitemap_collector(parts: CollectorParts) -> SitemapCollector:
    settings = parts.settings
    return SitemapCollector(
        engine=parts.engine,
        robots=parts.robots,
        database=parts.database,
        titles=PageTitles(canonicalizer=make_canonicalizer(parts)),
        match_urls=PoolTasks(parts.pool).match_urls,
        policy=make_schedule_policy(settings),
        sitemaps=SitemapPolicy(
            max_bytes=int(settings.sitemap.max_file_size_mb * 2**20),
            baseline_items=settings.sitemap.baseline_items,
            fetch_titles=settings.sitemap.fetch_titles,
            max_page_titles=settings.sitemap.max_page_titles,
            retry_failed_urls=settings.sitemap.retry_failed_urls,
            max_history_days=settings.sitemap.max_history_days,
            cleanup_interval_days=settings.sitemap.cleanup_interval_days,
        ),
        request_timeout_s=settings.fetcher.request_timeout,
        now=parts.now,
    )


COLLECTORS: Mapping[FeedKind, Callable[[CollectorParts], Collector]] = {
    FeedKind.FEED: make_feed_collector,
    FeedKind.PAGES: make_pages_collector,
    FeedKind.SITEMAP: make_sitemap_collector,
}


def make_collectors(parts: CollectorParts) -> Mapping[FeedKind, Collector]:
    """Make the collector of each kind of feed."""
    return {kind: make(parts) for kind, make in COLLECTORS.items()}


def make_schedule_policy(settings: Settings) -> SchedulePolicy:
    fetcher = settings.fetcher
    return SchedulePolicy(
        success_interval_s=fetcher.success_interval,
        error_policy=fetcher.error_policy,
        reprobe=fetcher.reprobe == "weekly",
        polling_mode=fetcher.polling_mode,
        min_interval_s=fetcher.min_interval,
        move_confirmations=fetcher.move_confirmations,
    )


async def _score_wording(run_apart: RunApart | None, subject: Subject) -> float | None:
    """Score by the local analyzer, whatever analyzer a feed uses: two scores of one model can be compared."""
    from inforadar.stages.analyze.local.batches import LocalAnalyzer  # noqa: PLC0415 - few pages change

    return (await LocalAnalyzer(run_apart).analyze(subject)).analysis.overall.value


async def _load_known(database: Database, feed_id: FeedId, hashes: Sequence[UrlHash]) -> frozenset[UrlHash]:
    return await database.read(load_known_hashes, feed_id, hashes)
