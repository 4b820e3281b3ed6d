"""Seed 4's Python API, as a program that embeds it would use it: state, functions, and the flow's steps."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from lxml import etree

from inforadar.config import Settings, load_settings
from inforadar.embed.sitemap_rss import SitemapError
from inforadar.embed.sitemap_run import (
    IncrementalConfig,
    SitemapRss,
    TitleOf,
    detect_changes,
    everything,
    find_titles,
    publish_changes,
)
from inforadar.embed.sitemap_visit import SitemapVisit, open_sitemap_visit
from inforadar.errors import StoreError, UsageError
from inforadar.pipeline.collect.page_titles import Missing
from inforadar.public import (
    DatabaseCorrupted,
    IncrementalResult,
    IncrementalStateManager,
    SitemapEntry,
    SiteState,
    apply_rss_filters,
    create_rss_items,
    fetch_sitemap,
    generate_rss_xml,
    sort_entries_by_date,
)
from inforadar.stages.discover.sitemap import queue
from tests.support.site.answers import status
from tests.support.site.server import Site
from tests.support.site.sitemaps import SitemapSite

T0 = datetime(2026, 11, 15, 12, tzinfo=UTC)


def entries(*names: str, lastmod: datetime | None = None) -> list[SitemapEntry]:
    return [SitemapEntry(f"https://news.example/{name}", lastmod) for name in names]


def urls(*names: str) -> list[str]:
    return [entry.url for entry in entries(*names)]


async def test_the_seeds_methods_find_what_is_new_pending_and_failed(database_url: str) -> None:
    manager = IncrementalStateManager(database_url)
    assert await manager.get_site_state("site") == SiteState(site_name="site")
    assert await manager.detect_new_urls("site", entries("a", "b", "c")) == urls("a", "b", "c")
    await manager.mark_urls_processed("site", urls("a"))
    await manager.mark_urls_processed("site", urls("b"), success=False)
    result = await manager.detect(
        "site", entries("a", "b", "c", "d"), sitemap_url="https://news.example/s.xml"
    )
    assert result == IncrementalResult(
        new_urls=tuple(urls("d")), pending_urls=tuple(urls("b", "c")), skipped_urls=tuple(urls("a"))
    )
    assert result.total_to_process == 3
    state = await manager.get_site_state("site")
    assert state.sitemap_url == "https://news.example/s.xml"
    assert state.last_run is not None


def test_results_are_made_as_the_seed_writes_them() -> None:
    assert SiteState("a", "b", None) == SiteState(site_name="a", sitemap_url="b", last_run=None)
    result = IncrementalResult(["n"], ["p"], ["s"], 2)
    assert (result.new_urls, result.pending_urls, result.skipped_urls) == (["n"], ["p"], ["s"])
    assert result.total_to_process == IncrementalResult(["n"], ["p"]).total_to_process == 2


async def test_clean_up_forgets_only_what_left_the_sitemap(tmp_path: Path) -> None:
    now = T0
    async with IncrementalStateManager(tmp_path / "state.db", now=lambda: now) as manager:
        await manager.detect_new_urls("site", entries("stays", "leaves"))
        await manager.mark_urls_processed("site", urls("stays", "leaves"))
        now += timedelta(days=1)
        await manager.detect_new_urls("site", entries("stays"))
        assert await manager.cleanup_old_states() == 0
        now += timedelta(days=31)
        assert await manager.cleanup_old_states(days_to_keep=30) == 1
        assert await manager.detect_new_urls("site", entries("stays", "leaves")) == urls("leaves")


async def test_a_baseline_counts_the_rest_of_a_first_run_as_seen(tmp_path: Path) -> None:
    manager = IncrementalStateManager(tmp_path / "state.db")
    listed = [
        *entries("old", lastmod=T0 - timedelta(days=9)),
        *entries("new", lastmod=T0),
        *entries("undated"),
    ]
    result = await manager.detect("site", listed, baseline_items=1)
    assert (result.new_urls, result.skipped_urls) == (tuple(urls("new")), tuple(urls("old", "undated")))
    assert await manager.detect_new_urls("site", listed) == urls("new")


async def test_a_state_file_of_the_seeds_own_schema_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "rss_incremental.db"
    with closing(sqlite3.connect(path)) as old, old:
        old.executescript(
            """
            CREATE TABLE site_states (site_name TEXT PRIMARY KEY, sitemap_url TEXT, last_run TIMESTAMP,
                created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
            CREATE TABLE url_states (site_name TEXT, url TEXT, state INTEGER DEFAULT 0,
                first_seen TIMESTAMP DEFAULT CURRENT_TIMESTAMP, last_seen TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
                PRIMARY KEY (site_name, url), FOREIGN KEY (site_name) REFERENCES site_states(site_name));
            INSERT INTO site_states (site_name) VALUES ('site');
            INSERT INTO url_states (site_name, url, state) VALUES ('site', 'https://news.example/a', 1);
            INSERT INTO url_states (site_name, url, state) VALUES ('site', 'https://news.example/b', 2);
            """
        )
    assert await IncrementalStateManager(path).detect_new_urls("site", entries("a", "b", "c")) == urls(
        "b", "c"
    )


async def test_a_damaged_state_file_is_moved_aside_and_a_damaged_database_is_not(tmp_path: Path) -> None:
    path, main = tmp_path / "state.db", tmp_path / "inforadar.db"
    for file in (path, main):
        file.write_bytes(b"This is no database at all. " * 400)
    with pytest.raises(DatabaseCorrupted, match=r"moved to state\.db\.damaged-"):
        await IncrementalStateManager(path).detect_new_urls("site", entries("a"))
    assert await IncrementalStateManager(path).detect_new_urls("site", entries("a")) == urls("a")
    assert len(list(tmp_path.glob("state.db.damaged-*"))) == 1
    for where in (main, f"sqlite:///{main}"):
        with pytest.raises(StoreError, match="inforadar db restore"):
            await IncrementalStateManager(where).get_site_state("site")
    assert main.read_bytes().startswith(b"This is no database")


def test_a_document_says_where_each_title_comes_from_and_is_valid_xml() -> None:
    listed = [
        SitemapEntry(
            "https://news.example/a", T0, "Яблоки & <груши>", images=("https://news.example/1.jpg",)
        ),
        *entries("apple-harvest", "苹果"),
    ]
    items = create_rss_items(listed, {"https://news.example/apple-harvest": "Harvest 🍎"}, now=T0)
    assert [item.title_from for item in items] == ["sitemap", "page", "slug"]
    channel = {"title": "Orchard", "description": "News", "link": "https://news.example/", "language": "ru"}
    root = etree.fromstring(generate_rss_xml(items, channel, now=T0).encode())
    assert root.xpath("channel/title/text()") == ["Orchard"]
    assert root.xpath("channel/language/text()") == ["ru"]
    assert root.xpath("channel/item/title/text()")[1:] == ["Harvest 🍎", "苹果"]
    with pytest.raises(UsageError, match="A channel has no 'titel'"):
        generate_rss_xml(items, {"titel": "x"})


@pytest.fixture
def settings(tmp_path: Path, site: Site) -> Settings:
    return load_settings(tmp_path, {}).replaced(
        fetcher={"allowed_networks": tuple(site.endpoints), "domain_delay": 0}
    )


@pytest.fixture
async def visit(settings: Settings) -> AsyncIterator[SitemapVisit]:
    async with open_sitemap_visit(settings) as opened:
        yield opened


async def test_fetch_sitemap_follows_an_index_and_refuses_what_is_none(
    site: Site, settings: Settings
) -> None:
    news = SitemapSite(site)
    news.publish("/a.xml", "a1", "a2", pages=False)
    news.publish("/b.xml", "b1", lastmod="2026-11-01", pages=False)
    site.respond("/gone.xml", status(404))
    url = news.index("/index.xml", a=None, b=None, gone=None, index=None)
    found = await fetch_sitemap(url, settings=settings)
    chosen = sort_entries_by_date(apply_rss_filters(found, {"exclude_patterns": ["a2"]}))
    assert [entry.url.rpartition("/")[2] for entry in chosen] == ["b1", "a1"]
    with pytest.raises(SitemapError, match="This is an HTML page, not a sitemap"):
        await fetch_sitemap(site.page("/page", "<p>Hello</p>"), settings=settings)


class Flow:
    """The flow's steps, one after the other, as the flow takes them."""

    def __init__(self, site: Site, visit: SitemapVisit, config: IncrementalConfig | None) -> None:
        self.news, self.visit, self.config = SitemapSite(site), visit, config
        self.title_of: TitleOf = visit.title_of

    async def run(self, *, max_items: int = 20, at: datetime | None = None) -> SitemapRss:
        from inforadar.embed import sitemap_rss  # noqa: PLC0415 - not the one of the public API

        url = self.news.site.url("/sitemap.xml")
        listing = await sitemap_rss.read_sitemap(url, self.visit.fetch)
        listed = listing.entries
        detected = (
            await detect_changes("site", url, listed, self.config, max_items, is_whole=listing.is_whole)
            if self.config
            else everything(listed, max_items)
        )
        by_url = {entry.url: entry for entry in listed}
        titles = await find_titles(by_url, detected.todo, self.title_of, self.visit.known_titles)
        return await publish_changes(
            "site",
            url,
            by_url,
            detected,
            titles=titles,
            channel={"title": "Site"},
            config=self.config,
            max_items=max_items,
            known=self.visit.known_titles,
            now=at or datetime.now(UTC),
        )


def shown(result: SitemapRss) -> list[str]:
    return [str(title) for title in etree.fromstring(result.xml.encode()).xpath("channel/item/title/text()")]


async def test_the_feed_holds_the_last_items_and_keeps_its_date_when_nothing_changed(
    site: Site, visit: SitemapVisit, tmp_path: Path
) -> None:
    flow = Flow(site, visit, IncrementalConfig(db_path=str(tmp_path / "state.db"), baseline_items=2))
    flow.news.publish("/sitemap.xml", "a", lastmod="2026-10-01")
    flow.news.publish("/sitemap.xml", "b", lastmod="2026-10-02")
    flow.news.publish("/sitemap.xml", "c", lastmod="2026-10-03")
    first = await flow.run()
    assert (shown(first), first.is_full) == (["Title of c", "Title of b"], False)
    assert set(first.titles_from.values()) == {"page"}
    flow.news.asked()
    again = await flow.run()
    assert (again.xml, again.processed) == (first.xml, ())
    assert flow.news.asked() == ["/sitemap.xml"]
    # What has left the sitemap stays in the feed: a reader that polls rarely must not lose it.
    flow.news.publish("/sitemap.xml", "d", lastmod="2026-10-04")
    flow.news.withdraw("/sitemap.xml", "c")
    assert shown(await flow.run()) == ["Title of d", "Title of c", "Title of b"]


async def test_a_page_that_cannot_be_had_is_failed_and_a_damaged_state_means_full_mode_once(
    site: Site, visit: SitemapVisit, tmp_path: Path
) -> None:
    path = tmp_path / "state.db"
    flow = Flow(site, visit, IncrementalConfig(db_path=str(path), baseline_items=2))
    flow.news.publish("/sitemap.xml", "good", "bad", "third")
    site.respond("/news/bad", status(404))
    first = await flow.run()
    assert [url.rpartition("/")[2] for url in first.failed] == ["bad"]
    assert shown(first) == ["Title of good"]
    path.write_bytes(b"damaged " * 1000)
    full = await flow.run()
    assert full.is_full
    assert sorted(shown(full)) == ["Title of good", "Title of third"]
    assert not (await flow.run()).is_full


async def test_a_page_whose_host_is_busy_is_left_for_the_next_run_and_did_not_fail(
    site: Site, visit: SitemapVisit, tmp_path: Path
) -> None:
    state = str(tmp_path / "state.db")
    flow = Flow(site, visit, IncrementalConfig(db_path=state, retry_failed_urls=False))
    flow.news.publish("/sitemap.xml", "busy")

    async def busy(url: str) -> Missing:
        return Missing.BUSY

    flow.title_of = busy
    first = await flow.run()
    assert (first.processed, first.failed, shown(first)) == ((), (), [])
    flow.title_of = visit.title_of
    assert shown(await flow.run()) == ["Title of busy"]


async def test_a_sitemap_of_too_many_files_is_not_whole(
    site: Site, visit: SitemapVisit, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inforadar.embed import sitemap_rss  # noqa: PLC0415 - not the one of the public API

    news = SitemapSite(site)
    for name in ("a", "b", "c"):
        news.publish(f"/{name}.xml", f"page-{name}", title="頁")
    url = news.index("/sitemap.xml", a=None, b=None, c=None)
    whole = await sitemap_rss.read_sitemap(url, visit.fetch)
    assert (len(whole.entries), whole.is_whole) == (3, True)
    monkeypatch.setattr(queue, "MAX_FILES", 3)
    part = await sitemap_rss.read_sitemap(url, visit.fetch)
    assert (len(part.entries), part.is_whole) == (2, False)


@pytest.mark.parametrize("is_cut_off", [False, True])
async def test_what_stands_in_a_file_that_cannot_be_had_has_not_left_and_is_not_published_again(
    site: Site, visit: SitemapVisit, tmp_path: Path, is_cut_off: bool
) -> None:
    config = IncrementalConfig(
        db_path=str(tmp_path / "state.db"), max_history_days=0, cleanup_interval_days=0
    )
    flow = Flow(site, visit, config)
    flow.news.publish("/a.xml", "a", title="A")
    flow.news.publish("/b.xml", "b", title="B")
    flow.news.index("/sitemap.xml", a=None, b=None)
    assert len((await flow.run()).processed) == 2
    if is_cut_off:
        site.sitemap("/b.xml", "<urlset><url><loc>http://")
    else:
        site.respond("/b.xml", status(503))
    assert (await flow.run()).processed == ()
    flow.news.serve("/b.xml")
    assert (await flow.run()).processed == ()


async def test_a_first_run_goes_on_for_a_day_while_files_of_the_sitemap_are_missing(tmp_path: Path) -> None:
    now = T0
    async with IncrementalStateManager(tmp_path / "state.db", now=lambda: now) as manager:

        async def new(*names: str, is_whole: bool) -> tuple[str, ...]:
            result = await manager.detect("site", entries(*names), baseline_items=1, is_whole=is_whole)
            return result.new_urls

        assert await new("a", is_whole=False) == tuple(urls("a"))
        now += timedelta(hours=1)
        assert await new("a", "archive-1", "archive-2", is_whole=True) == ()
        now += timedelta(hours=1)
        assert await new("a", "b", "c", is_whole=True) == tuple(urls("b", "c"))

        assert await manager.detect("other", entries("a"), baseline_items=1, is_whole=False)
        now += timedelta(days=1)
        await manager.detect("other", entries("a"), baseline_items=1, is_whole=False)
        assert await manager.detect_new_urls("other", entries("a", "b", "c"), is_whole=False) == urls(
            "a", "b", "c"
        )


async def test_full_mode_keeps_no_state(site: Site, visit: SitemapVisit) -> None:
    flow = Flow(site, visit, None)
    flow.news.publish("/sitemap.xml", "a", "b", title="X")
    assert (await flow.run()).processed == (await flow.run()).processed
    assert (await flow.run(max_items=1)).items == 1


def test_an_incremental_config_is_checked_and_takes_its_path_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RSS_INCREMENTAL_DB", "/data/state.db")
    assert IncrementalConfig.parse({"baseline_items": 3}).db_path == "/data/state.db"
    with pytest.raises(UsageError, match="incremental_config has no 'dbpath'"):
        IncrementalConfig.parse({"dbpath": "x"})
