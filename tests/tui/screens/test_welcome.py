"""The first start on an empty database: the sample, a feed, an OPML file, by key and by mouse."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from inforadar.config import Settings, load_settings
from inforadar.model.feed import FeedKind
from inforadar.store.feeds.queries import load_feeds
from inforadar.tui.screens.articles import ArticlesScreen
from inforadar.tui.screens.prompt import PromptScreen
from inforadar.tui.screens.welcome import WelcomeScreen
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.terminal import assert_snapshot, opened
from tests.support.ports import free_port
from tests.support.site.documents import rss
from tests.support.site.server import Site

OPML = """<opml version="2.0"><body><outline text="Tech">
<outline text="One" xmlUrl="https://habr.com/ru/articles/"/><outline text="Two" xmlUrl="https://two.example/feed"/>
</outline></body></opml>"""


async def test_an_empty_database_is_greeted_and_the_list_is_behind(
    newsroom: Newsroom, web_settings: Settings
) -> None:
    async with opened(web_settings, newsroom.database) as terminal:
        assert isinstance(terminal.app.screen, WelcomeScreen)
        assert_snapshot(terminal, "welcome-80x24")
        await terminal.press("escape")
        assert "No articles yet. f fetches them." in terminal.text


async def test_opml_is_imported_and_a_wrong_file_is_named(
    newsroom: Newsroom, web_settings: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "feeds.opml"
    file.write_text(OPML, "utf-8")
    settings = web_settings.replaced(fetcher={"cutoff_date": date(2020, 1, 2)})
    async with opened(settings, newsroom.database) as terminal:
        await terminal.press("i")
        await terminal.type(str(tmp_path / "none"))
        await terminal.press("enter")
        assert "cannot be read: No such file or directory." in " ".join(terminal.text.split())
        await terminal.press("i")
        await terminal.type(str(file))
        await terminal.press("enter")
        assert "2 feeds added, 0 already there, 0 skipped." in terminal.status
        assert isinstance(terminal.app.screen, ArticlesScreen)
    added = await newsroom.database.read(load_feeds)
    assert [feed.topic for feed in added] == ["Tech", "Tech"]
    assert [feed.options.cutoff_date for feed in added] == [date(2020, 1, 2), None], "of the paged site alone"


async def test_a_site_is_looked_over_for_its_feeds_and_one_is_chosen(
    newsroom: Newsroom, web_settings: Settings, news_site: Site
) -> None:
    news_site.page(
        "/",
        '<html><head><link rel="alternate" type="application/rss+xml" href="/a.xml">'
        '<link rel="alternate" type="application/rss+xml" href="/b.xml"></head><body>Hello</body></html>',
    )
    allowed = {"FETCHER_ALLOWED_NETWORKS": ",".join(news_site.endpoints), "FETCHER_DOMAIN_DELAY": "0"}
    settings = load_settings(web_settings.home, allowed)
    async with opened(settings, newsroom.database) as terminal:
        await terminal.press("j", "enter")
        assert isinstance(terminal.app.screen, PromptScreen)
        await terminal.type(news_site.url("/"))
        # The choice waits for an answer, so the work is not done when the key is.
        terminal.send("enter")
        await terminal.until("Which of its feeds?")
        assert "named by the page" in terminal.text
        terminal.send("space", "j", "space")
        await terminal.press("enter")
        assert "Added 127.0.0.1/general. f fetches now." in terminal.status
    (feed,) = await newsroom.database.read(load_feeds)
    assert feed.url == news_site.url("/b.xml")
    assert feed.kind is FeedKind.FEED
    assert feed.enabled
    assert feed.requested_at


async def test_an_address_without_a_feed_is_answered_with_a_sentence(
    newsroom: Newsroom, web_settings: Settings, news_site: Site
) -> None:
    news_site.feed("/feed.xml", rss())
    allowed = {"FETCHER_ALLOWED_NETWORKS": ",".join(news_site.endpoints), "FETCHER_DOMAIN_DELAY": "0"}
    async with opened(load_settings(web_settings.home, allowed), newsroom.database) as terminal:
        await terminal.press("a")
        await terminal.type(news_site.url("/nothing"))
        await terminal.press("enter")
        assert "404" in terminal.status
        await terminal.press("colon")
        await terminal.type(f"add {news_site.url('/feed.xml')}")
        await terminal.press("enter")
        assert "Added" in terminal.status


async def test_the_sample_is_there_after_one_key(newsroom: Newsroom, web_settings: Settings) -> None:
    settings = load_settings(web_settings.home, {"INFORADAR_SAMPLE_PORT": str(free_port())})
    async with opened(settings, newsroom.database) as terminal:
        await terminal.press("s")
        assert isinstance(terminal.app.screen, ArticlesScreen)
        assert "feeds are there." in terminal.status
        assert "Harbour" in terminal.text


async def test_the_ways_to_begin_can_be_clicked(newsroom: Newsroom, web_settings: Settings) -> None:
    async with opened(web_settings, newsroom.database) as terminal:
        await terminal.click("OptionList", at=(8, 3))
        assert terminal.status.startswith(" Site, feed or sitemap:")
        await terminal.press("escape")
        await terminal.click("OptionList", at=(8, 6))
        assert terminal.status.startswith(" OPML file:")
