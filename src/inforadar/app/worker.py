"""A worker, put together from the settings: engine, pool, stages, store."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from inforadar.actions.discover import Discovery
from inforadar.actions.preview import Previewer
from inforadar.app.analysis import make_builder, open_analysis
from inforadar.app.store import SAMPLE
from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.errors import ConfigError
from inforadar.fetch.client import Client
from inforadar.fetch.engine import Engine
from inforadar.fetch.guard import AllowedNetworks
from inforadar.fetch.pace import Free, Pause, Reserve, SharedPacer
from inforadar.model.article import Extracted, NotExtracted
from inforadar.model.feed import FeedKind
from inforadar.model.ids import FeedId, UrlHash
from inforadar.model.item import Listing
from inforadar.pipeline.articles import ArticleListener, Canonicalizer, Extract
from inforadar.pipeline.collect.feed import FeedCollector, Parse
from inforadar.pipeline.collect.jobs import Collector
from inforadar.pipeline.collect.page_titles import PageTitles
from inforadar.pipeline.collect.pages import PagesCollector, Read
from inforadar.pipeline.collect.sitemap import SitemapCollector, SitemapPolicy
from inforadar.pipeline.pool import WorkPool
from inforadar.pipeline.robots import Robots
from inforadar.pipeline.schedule import SchedulePolicy
from inforadar.pipeline.search_index import SearchIndexer
from inforadar.pipeline.worker import ALL_STAGES, Stage, Worker
from inforadar.stages.canonical import extract
from inforadar.stages.diff import diff
from inforadar.stages.discover.feed.parse import NeedsSlowParser, parse_feed, parse_feed_slowly
from inforadar.stages.discover.pages.listing import PageListing, PageReader
from inforadar.store.database import Database
from inforadar.store.feeds.feeds import load_feeds
from inforadar.store.hosts import free_slots, load_crawl_delays, load_pauses, pause_host, reserve_slots
from inforadar.store.items.items import load_known_hashes
from inforadar.store.writer import Writer
from inforadar.urls import host_key

if TYPE_CHECKING:
    from inforadar.store.redis.projection import RedisProjection

HOLD_S = 15.0
"""How much longer than a request may take a host's slot is held, for what comes around it."""
PARSE_TIMEOUT_S = 10.0
EXTRACT_TIMEOUT_S = 10.0


@asynccontextmanager
async def open_worker(
    settings: Settings,
    database: Database,
    *,
    stages: frozenset[Stage] = ALL_STAGES,
    engine: Engine | None = None,
    now: Callable[[], datetime] = utc_now,
    listener: ArticleListener | None = None,
) -> AsyncIterator[Worker]:
    """A worker with everything it needs; by default it goes out to the web. `listener` hears of each article."""
    fetcher = settings.fetcher
    async with AsyncExitStack() as stack:
        if Stage.CANONICAL in stages:
            pool = WorkPool(warm_up=("inforadar.stages.canonical",))
        else:
            # Listing pages come at the pace of their hosts: one process reads them all.
            pool = WorkPool(workers=1, warm_up=("inforadar.stages.discover.pages.fetch",))
        stack.push_async_callback(pool.close)
        projection = await stack.enter_async_context(open_redis(settings, database, now=now))
        if engine is None:
            engine = await stack.enter_async_context(open_engine(settings, database))
        robots = Robots(engine=engine, database=database, user_agent=fetcher.agent, now=now)
        writer = await stack.enter_async_context(Writer(database, diff, outbox=projection is not None))
        yield Worker(
            database=database,
            writer=writer,
            pacer=engine.pacer,
            stages=stages,
            interval_s=fetcher.interval,
            batch_size=fetcher.batch_size,
            workers=fetcher.workers,
            now=now,
            projection=projection,
            collectors=make_collectors(
                settings, database, engine, robots=robots, pool=pool, now=now, projection=projection
            ),
            canonicalizer=make_canonicalizer(
                settings,
                database,
                engine,
                robots=robots,
                pool=pool,
                now=now,
                projection=projection,
                listener=listener,
            ),
            analysis=await stack.enter_async_context(
                open_analysis(settings, database, check=Stage.ANALYZE in stages, now=now)
            ),
            builder=make_builder(settings, database, now),
            indexer=SearchIndexer(database=database),
        )


def make_canonicalizer(
    settings: Settings,
    database: Database,
    engine: Engine,
    *,
    robots: Robots,
    pool: WorkPool,
    now: Callable[[], datetime],
    projection: RedisProjection | None = None,
    listener: ArticleListener | None = None,
) -> Canonicalizer:
    canonical = settings.canonical
    return Canonicalizer(
        database=database,
        engine=engine,
        robots=robots,
        extract=_extractor(pool),
        timeout_s=canonical.timeout,
        max_bytes=int(canonical.max_body_size_mb * 2**20),
        retries=canonical.retries,
        workers=canonical.workers,
        now=now,
        projection=projection,
        listener=listener,
    )


def make_collectors(
    settings: Settings,
    database: Database,
    engine: Engine,
    *,
    robots: Robots,
    pool: WorkPool,
    now: Callable[[], datetime],
    projection: RedisProjection | None = None,
) -> Mapping[FeedKind, Collector]:
    """How each kind of feed is collected."""
    fetcher = settings.fetcher
    policy = SchedulePolicy(
        success_interval_s=fetcher.success_interval,
        error_policy=fetcher.error_policy,
        reprobe=fetcher.reprobe == "weekly",
    )
    canonicalizer = make_canonicalizer(
        settings, database, engine, robots=robots, pool=pool, now=now, projection=projection
    )
    sitemap = SitemapCollector(
        engine=engine,
        robots=robots,
        database=database,
        titles=PageTitles(canonicalizer=canonicalizer),
        policy=policy,
        sitemaps=SitemapPolicy(
            max_bytes=int(settings.sitemap.max_file_size_mb * 2**20),
            **settings.sitemap.model_dump(exclude={"max_file_size_mb"}),
        ),
        request_timeout_s=fetcher.request_timeout,
        now=now,
    )
    feed = FeedCollector(
        fetch=engine.fetch,
        parse=_parser(pool),
        policy=policy,
        max_articles=fetcher.max_articles,
        request_timeout_s=fetcher.request_timeout,
        job_timeout_s=fetcher.job_timeout,
        now=now,
        sitemap=sitemap.collect,
        max_sitemap_bytes=sitemap.sitemaps.max_bytes,
    )

    async def load_known(feed_id: FeedId, hashes: Sequence[UrlHash]) -> frozenset[UrlHash]:
        return await database.read(load_known_hashes, feed_id, hashes)

    pages = PagesCollector(
        engine=engine,
        robots=robots,
        read=_page_reader(pool),
        load_known=load_known,
        policy=policy,
        request_timeout_s=fetcher.request_timeout,
        now=now,
        cutoff_date=fetcher.cutoff_date,
        window_days=fetcher.window_days,
    )
    return {FeedKind.FEED: feed, FeedKind.PAGES: pages, FeedKind.SITEMAP: sitemap}


@contextmanager
def _redis_extra() -> Iterator[None]:
    """Around an import of what needs it."""
    try:
        yield
    except ModuleNotFoundError:
        raise ConfigError("REDIS_URL needs the extra: pip install 'inforadar[redis]'.") from None


@asynccontextmanager
async def open_redis(
    settings: Settings, database: Database, *, now: Callable[[], datetime] = utc_now
) -> AsyncIterator[RedisProjection | None]:
    """What Redis shows of the database; None if it is not configured."""
    if settings.redis.url is None:
        yield None
        return
    with _redis_extra():
        from inforadar.store.redis.projection import open_projection  # noqa: PLC0415 - an extra
    async with open_projection(settings.redis.url.get_secret_value(), database, now=now) as projection:
        yield projection


@asynccontextmanager
async def open_engine(settings: Settings, database: Database) -> AsyncIterator[Engine]:
    """The way out to the web. The sample's own address, if it is there, is the one exception to the guard."""
    fetcher = settings.fetcher
    sample = await sample_hosts(database)
    client = Client(
        user_agent=fetcher.agent,
        timeout_s=fetcher.request_timeout,
        max_bytes=int(fetcher.max_body_size_mb * 2**20),
        allowed=AllowedNetworks.parse([*fetcher.allowed_networks, *sorted(sample)]),
        proxy=fetcher.proxy or None,
    )
    async with _open_pacer(database, settings, sample) as pacer, client:
        yield Engine(client, pacer)


@asynccontextmanager
async def open_discovery(settings: Settings, database: Database) -> AsyncIterator[Discovery]:
    """Looks for the feeds of a site."""
    pool = WorkPool(workers=1)
    try:
        async with open_engine(settings, database) as engine:
            yield Discovery(engine=engine, parse=_parser(pool), user_agent=settings.fetcher.agent)
    finally:
        await pool.close()


@asynccontextmanager
async def open_previewer(
    settings: Settings, database: Database, *, pool: WorkPool | None = None
) -> AsyncIterator[Previewer]:
    """Shows what selectors catch. `pool`: one that is warm already, and stays open."""
    used = pool or WorkPool(workers=1)
    try:
        async with open_engine(settings, database) as engine:
            agent = settings.fetcher.agent
            robots = Robots(engine=engine, database=database, user_agent=agent, now=utc_now)
            yield Previewer(engine=engine, robots=robots, pool=used, now=utc_now)
    finally:
        if pool is None:
            await used.close()


async def sample_hosts(database: Database) -> frozenset[str]:
    """`address:port` of the sample world, if its feeds are there."""
    feeds = await database.read(load_feeds, origin=SAMPLE)
    return frozenset(host_key(feed.url) for feed in feeds)


@asynccontextmanager
async def _open_pacer(
    database: Database, settings: Settings, unpaced: frozenset[str]
) -> AsyncIterator[SharedPacer]:
    """Slots in the table `hosts`; with Redis configured, there."""

    async def reserve(hosts: Sequence[str], hold_s: float) -> Mapping[str, tuple[float, float]]:
        return await database.write(reserve_slots, hosts, hold_s)

    async def free(delays: Mapping[str, float]) -> None:
        await database.write(free_slots, delays)

    async def pause(host: str, seconds: float, reason: str) -> None:
        await database.write(pause_host, host, seconds, reason)

    async def load() -> tuple[Mapping[str, datetime], Mapping[str, float]]:
        return await database.read(load_pauses), await database.read(load_crawl_delays)

    async with AsyncExitStack() as stack:
        slots: tuple[Reserve, Free, Pause] = reserve, free, pause
        if settings.redis.url:
            with _redis_extra():
                from inforadar.fetch.pace_redis import open_redis_slots  # noqa: PLC0415 - an extra
            url = settings.redis.url.get_secret_value()
            shared = await stack.enter_async_context(
                open_redis_slots(url, reserve=reserve, free=free, pause=pause)
            )
            slots = shared.reserve, shared.free, shared.pause
        pacer = SharedPacer(
            delay_s=settings.fetcher.domain_delay,
            hold_s=settings.fetcher.request_timeout + HOLD_S,
            unpaced=unpaced,
            reserve=slots[0],
            free=slots[1],
            pause=slots[2],
            load=load,
            now=utc_now,
        )
        try:
            yield pacer
        finally:
            await pacer.close()


def _parser(pool: WorkPool) -> Parse:
    async def parse(body: bytes, url: str, content_type: str, zone: tzinfo) -> Listing:
        try:
            return parse_feed(body, url, content_type, zone)
        except NeedsSlowParser:
            return await pool.run(parse_feed_slowly, body, url, content_type, zone, timeout_s=PARSE_TIMEOUT_S)

    return parse


def _page_reader(pool: WorkPool) -> Read:
    async def read(reader: PageReader, body: bytes, url: str, content_type: str, at: datetime) -> PageListing:
        return await pool.run(reader, body, url, content_type, at, timeout_s=PARSE_TIMEOUT_S)

    return read


def _extractor(pool: WorkPool) -> Extract:
    async def extract_in_pool(body: bytes, url: str, content_type: str) -> Extracted | NotExtracted:
        return await pool.run(extract, body, url, content_type, timeout_s=EXTRACT_TIMEOUT_S)

    return extract_in_pool
