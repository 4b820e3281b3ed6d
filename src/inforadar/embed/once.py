"""Single steps for programs: fetch the queued articles, read a sitemap."""

from __future__ import annotations

from inforadar.app.store import open_store
from inforadar.app.worker import open_worker
from inforadar.config import Settings, load_settings
from inforadar.embed.logs import Logger, logging_to
from inforadar.embed.sitemap_rss import SitemapListing
from inforadar.embed.sitemap_rss import read_sitemap as _read_sitemap
from inforadar.embed.sitemap_visit import open_sitemap_visit
from inforadar.model.sitemap import SitemapEntry
from inforadar.pipeline.worker import Stage


async def canonical_fetcher_run_once(
    database_url: str | None = None, *, settings: Settings | None = None, logger: Logger | None = None
) -> dict[str, int]:
    """Fetch the articles of all queued URLs, then return: step 2 of seed 3. Returns at once if none is queued.

    Returns the number of articles by result: `{"success": 12, "FAIL_HTTP": 1}`. Without arguments all settings come
    from the environment and `inforadar.toml`. Several calls may run at the same time: they share the URLs.
    """
    given = settings or load_settings()
    if database_url is not None:
        given = given.replaced(database={"url": database_url})
    with logging_to(logger):
        async with (
            open_store(given) as database,
            open_worker(given, database, stages=frozenset({Stage.CANONICAL})) as worker,
        ):
            return dict(await worker.canonicalizer.run_to_the_end())


async def fetch_sitemap(
    sitemap_url: str,
    *,
    any_host: bool = False,
    settings: Settings | None = None,
    logger: Logger | None = None,
) -> list[SitemapEntry]:
    """Return only the entries of `read_sitemap`; some may be missing."""
    return (await read_sitemap(sitemap_url, any_host=any_host, settings=settings, logger=logger)).entries


async def read_sitemap(
    sitemap_url: str,
    *,
    any_host: bool = False,
    settings: Settings | None = None,
    logger: Logger | None = None,
) -> SitemapListing:
    """Read all entries of a sitemap, following its indexes, at the polite pace kept in the program's own database."""
    given = settings or load_settings()
    limit = int(given.sitemap.max_file_size_mb * 2**20)
    with logging_to(logger):
        async with open_sitemap_visit(given) as visit:
            return await _read_sitemap(sitemap_url, visit.fetch, any_host=any_host, max_bytes=limit)
