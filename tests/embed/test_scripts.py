"""Scripts as people write them, without an `if __name__ == "__main__"` guard, each run as a program of its own."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from inforadar.app.worker import open_worker
from inforadar.config import Settings
from inforadar.model.article import ArticleStatus
from inforadar.store.articles.queries import load_article
from inforadar.store.database import Database
from inforadar.urls import uid
from tests.pipeline.canonical_fixtures import article, list_urls, settings
from tests.support.site.documents import entries, rss
from tests.support.site.server import Site

__all__ = ["settings"]

pytestmark = pytest.mark.slow

HEAD = """
import asyncio, logging, sys
from pathlib import Path
from inforadar.config import load_settings
from inforadar.public import *

where, networks = sys.argv[1], tuple(sys.argv[2].split(","))
settings = load_settings(Path.cwd(), {}).replaced(
    fetcher={"allowed_networks": networks, "domain_delay": 0}, database={"url": where}
)
with open("runs", "a") as file:
    file.write("x")
"""
CANONICAL = HEAD + "counts = asyncio.run(canonical_fetcher_run_once(where, settings=settings))\n"
SERVICE = (
    HEAD
    + """
async def work():
    async with FeedFetcherService(where, FetcherConfig(domain_delay=0), settings=settings) as service:
        await service.add_feed(sys.argv[3])
        await service.process_feeds()

asyncio.run(work())
"""
)
SITEMAP = (
    HEAD
    + """
async def work():
    found = await fetch_sitemap(sys.argv[3], settings=settings)
    state = IncrementalStateManager("сайты.db")
    return found, await state.detect_new_urls("мир", found)

found, new = asyncio.run(work())
assert [one.url for one in found] == new and len(new) == 2, (found, new)
"""
)


async def run(folder: Path, script: str, *args: str) -> tuple[str, str]:
    """Run a script to its end; return what it wrote to standard output and to standard error."""
    path = folder / "новости.py"
    path.write_text(script, encoding="utf-8")
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(path), *args, cwd=folder, stdout=pipe, stderr=pipe
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    assert (folder / "runs").read_text() == "x", "the script was run again by a process of the pool"
    return out.decode(), err.decode()


async def queued(site: Site, database: Database, settings: Settings, number: int) -> list[str]:
    urls = [article(site, one) for one in range(number)]
    await list_urls(site, database, urls)
    async with open_worker(settings, database) as running:
        await running.collecting.claim_and_collect()
    return urls


async def test_a_script_that_fetches_articles_is_not_run_again_and_loses_none(
    site: Site, database: Database, database_url: str, settings: Settings, tmp_path: Path
) -> None:
    urls = await queued(site, database, settings, 12)
    said = await run(tmp_path, CANONICAL + "print(counts)", database_url, ",".join(site.endpoints))
    assert said == ("{'success': 12}\n", "")
    for url in urls:
        stored = await database.read(load_article, uid(url))
        assert stored is not None
        assert (stored.status, stored.attempts) == (ArticleStatus.SUCCESS, 1)


async def test_a_script_that_collects_feeds_is_silent_until_it_configures_logging(
    site: Site, database_url: str, database: Database, tmp_path: Path
) -> None:
    url = site.feed("/feed.xml", rss(entries(3, base=site.url("/статьи"))))
    networks = ",".join(site.endpoints)
    assert await run(tmp_path, SERVICE, database_url, networks, url) == ("", "")
    (tmp_path / "runs").unlink()
    configured = SERVICE.replace("async def work", "logging.basicConfig(level='INFO')\n\nasync def work")
    second = site.feed("/second.xml", rss(entries(1, base=site.url("/ещё"))))
    out, err = await run(tmp_path, configured, database_url, networks, second)
    assert out == ""
    assert "INFO:inforadar:feed.fetched " in err


async def test_a_logger_that_is_given_gets_the_events(
    site: Site, database_url: str, database: Database, tmp_path: Path
) -> None:
    url = site.feed("/feed.xml?token=hunter2", rss(entries(3, base=site.url("/статьи"))))
    given = SERVICE.replace("settings=settings)", "settings=settings, logger=logging.getLogger('новости'))")
    given = given.replace("async def work", "logging.basicConfig(level='INFO')\n\nasync def work")
    out, err = await run(tmp_path, given, database_url, ",".join(site.endpoints), url)
    assert out == ""
    assert "INFO:новости:feed.fetched " in err
    assert "INFO:inforadar:" not in err
    assert "hunter2" not in err


async def test_a_program_that_uses_structlog_itself_keeps_its_own_events(
    site: Site, database_url: str, database: Database, tmp_path: Path
) -> None:
    url = site.feed("/feed.xml", rss(entries(3, base=site.url("/статьи"))))
    own = SERVICE + "import structlog\nstructlog.get_logger().info('мое событие')\n"
    out, err = await run(tmp_path, own, database_url, ",".join(site.endpoints), url)
    assert "мое событие" in out
    assert "feed.fetched" not in out + err


async def test_a_script_that_reads_a_sitemap_works_without_a_guard(
    site: Site, database_url: str, database: Database, tmp_path: Path
) -> None:
    places = "".join(f"<url><loc>{site.url(f'/{name}')}</loc></url>" for name in ("a", "б"))
    xml = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{places}</urlset>'
    url = site.feed("/sitemap.xml", xml)
    assert await run(tmp_path, SITEMAP, database_url, ",".join(site.endpoints), url) == ("", "")
