"""The reading view in the terminal: what it shows, every key, a text that is fetched because someone asked."""

from __future__ import annotations

from inforadar.config import Settings, load_settings
from inforadar.model.item import Enclosure
from inforadar.model.person import FIRST_PERSON
from inforadar.store.database import Database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.people.marks import NO_MARKS, load_marks
from inforadar.tui.screens.articles import ArticlesScreen
from inforadar.tui.screens.help import HelpScreen
from inforadar.urls import url_hash
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.terminal import FIRST, Terminal, assert_snapshot, opened
from tests.support.site.server import Site

LONG = "<p>" + "A sentence of the article that is long enough to be taken for its text. " * 30 + "</p>"


async def test_it_shows_titles_facts_scores_text_and_changes(terminal: Terminal) -> None:
    await terminal.press("enter")
    assert_snapshot(terminal, "reading-80x24")
    await terminal.press("G")
    text = terminal.text
    assert "Measured" in text
    assert "• one" in text
    assert "What changed" in text
    assert "1 Mar 2026, 11:30  title  How we cut starts → How we cut cold" in text
    assert "views  120 → 2100" in text


async def test_a_wide_terminal_has_the_analysis_beside_the_text(
    filled: Database, web_settings: Settings
) -> None:
    async with opened(web_settings, filled, size=(140, 30)) as wide:
        await wide.press("enter")
        assert_snapshot(wide, "reading-140x30")
        await wide.pilot.resize_terminal(80, 24)
        await wide.settle()
        assert "Measured" not in wide.lines[8]


async def test_without_a_text_the_snippet_stands_there_and_how_to_get_more(terminal: Terminal) -> None:
    await terminal.press("j", "j", "enter")
    assert "In short: Асинхронность на практике" in terminal.text
    assert "has not been fetched yet" in terminal.text
    assert "d gets it now, and its analysis." in terminal.text


async def test_keys_scroll_and_go_to_the_neighbours_over_pages(terminal: Terminal) -> None:
    await terminal.press("enter")
    body = terminal.app.screen.query_one("#body")
    await terminal.press("j", "down")
    assert body.scroll_y == 2
    await terminal.press("k", "up")
    assert body.scroll_y == 0
    await terminal.press("space")
    assert body.scroll_y > 5
    await terminal.press("b", "pagedown", "pageup")
    assert body.scroll_y == 0
    await terminal.press("end")
    assert body.scroll_y == body.max_scroll_y
    await terminal.press("home")
    assert body.scroll_y == 0
    await terminal.press("p")
    assert "This is the first article." in terminal.status
    await terminal.press("n")
    assert "Minister SLAMS" in terminal.text
    await terminal.press(*["n"] * 20)
    assert "Number 17" in terminal.text
    await terminal.press("p")
    assert "Number 16" in terminal.text
    await terminal.press("escape")
    assert "Number 16" in terminal.current


async def test_marks_are_set_here_too(terminal: Terminal, filled: Database) -> None:
    await terminal.press("enter", "asterisk")
    assert terminal.title.endswith("starred")
    await terminal.press("a", "m")
    assert terminal.title.endswith("starred · archived · unread")
    marks = (await filled.read(load_marks, FIRST_PERSON, [url_hash(FIRST)]))[url_hash(FIRST)]
    assert marks.starred_at
    assert marks.archived_at
    assert marks.read_at is None
    await terminal.press("a", "asterisk", "backspace")
    assert (await filled.read(load_marks, FIRST_PERSON, [url_hash(FIRST)]))[url_hash(FIRST)] == NO_MARKS
    assert isinstance(terminal.app.screen, ArticlesScreen)


async def test_reasons_are_a_line_each_until_they_are_asked_for(terminal: Terminal) -> None:
    await terminal.press("enter", "e", "e", "question_mark")
    assert isinstance(terminal.app.screen, HelpScreen)
    assert "Help · Reading" in terminal.text
    await terminal.press("escape", "q")
    await terminal.until_left()


async def test_light_and_dark_change_what_is_being_read(terminal: Terminal) -> None:
    await terminal.press("enter")
    before = terminal.text
    terminal.app.use_theme("light")
    await terminal.settle()
    assert terminal.text == before
    assert not terminal.app.current_theme.dark


async def test_d_gets_the_text_from_the_site(
    newsroom: Newsroom, web_settings: Settings, news_site: Site, in_utc: None
) -> None:
    url = news_site.page("/story", f"<html><head><title>A story</title></head><body>{LONG}</body></html>")
    feed, _ = await newsroom.database.write(insert_feed, news_site.url("/feed"), enabled=True)
    await newsroom.add_item(feed, url, title="A story")
    allowed = {"FETCHER_ALLOWED_NETWORKS": ",".join(news_site.endpoints), "FETCHER_DOMAIN_DELAY": "0"}
    settings = load_settings(web_settings.home, allowed)
    async with opened(settings, newsroom.database) as terminal:
        await terminal.press("enter", "d")
        assert "Stored, " in terminal.text
        assert "Scored 0." in terminal.text
        assert "█" in terminal.text
        await terminal.press("G")
        assert "sentence of the article that is long enough" in terminal.text
        news_site.page("/story", "gone")
        await terminal.press("d")
        assert "Failed: only 4 characters of HTML (FAIL_BAD_HTML). The text of" in terminal.text
        assert "stays." in terminal.text
    assert len(news_site.requests_for("/story")) == 2


async def test_an_entry_that_shares_its_page_shows_the_feeds_text_and_its_files(
    newsroom: Newsroom, web_settings: Settings
) -> None:
    feed = await newsroom.add_feed()
    await newsroom.add_item(
        feed,
        "https://news.example/log#2",
        title="Версия 2",
        content="<p>Новое *в* версии 二</p><script>alert(1)</script>",
        authors=("Анна", "Zoë"),
        comments_url="https://news.example/talk",
        enclosures=(Enclosure(url="https://cdn.example/7.mp3", type="audio/mpeg", duration=61),),
    )
    async with opened(web_settings, newsroom.database) as terminal:
        await terminal.press("enter")
        text = terminal.text
        assert "Новое *в* версии 二" in text
        assert "alert" not in text
        assert "Анна, Zoë" in text
        assert "Comments  https://news.example/talk" in text
        assert "File  https://cdn.example/7.mp3 (audio/mpeg, 1:01)" in text
        assert "gets it now" not in text
        await terminal.press("d")
        assert terminal.status.strip().startswith("Not analyzed yet.") or "Scored" in terminal.status
