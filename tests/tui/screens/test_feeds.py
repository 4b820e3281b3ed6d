"""The feeds screen: all feeds by topic, and everything that can be done with one."""

from __future__ import annotations

from inforadar.config import Settings
from inforadar.store.database import Database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.queries import find_feed_by_url, load_feed, load_feeds
from inforadar.tui.list.feed_rows import FeedRow, TopicRow
from inforadar.tui.screens.articles import ArticlesScreen
from inforadar.tui.screens.feeds import FeedsScreen
from inforadar.tui.screens.form import FormScreen
from tests.support.faces.terminal import Terminal, opened


async def open_feeds(terminal: Terminal, *, at: str = "") -> FeedsScreen:
    await terminal.press("F")
    screen = terminal.app.screen
    assert isinstance(screen, FeedsScreen)
    if at:
        names = [row.name if isinstance(row, FeedRow) else row.topic for row in screen.entries]
        screen.list.highlighted = names.index(at)
        await terminal.settle()
    return screen


async def test_all_feeds_stand_below_their_topics_with_unread_articles_health_and_next_run(
    terminal: Terminal,
) -> None:
    screen = await open_feeds(terminal, at="Dead")
    topics = [row.topic for row in screen.entries if isinstance(row, TopicRow)]
    assert topics == ["python", "rust", "world"]
    line = next(line for line in terminal.lines if "● Many" in line)
    assert line.split()[2] == "41"
    assert "needs you" in next(line for line in terminal.lines if "● Dead" in line)
    assert "not scheduled" in next(line for line in terminal.lines if "● Dead" in line)
    assert "https://dead.example/rust" in terminal.text
    assert "dead.example answered 404. Suspended." in terminal.text
    assert "4 feeds · 45 unread" in terminal.text
    await terminal.press("exclamation_mark")
    assert [row.name for row in screen.entries if isinstance(row, FeedRow)] == ["Dead"]
    assert "1 feed · 0 unread" in terminal.text
    await terminal.press("escape", "colon")
    await terminal.type("broken")
    await terminal.press("enter")
    assert terminal.title.strip() == "Info Radar · Feeds that need you"


async def test_a_feed_or_a_topic_opens_as_a_list_and_topics_fold(terminal: Terminal) -> None:
    screen = await open_feeds(terminal, at="BBC")
    await terminal.press("enter")
    assert isinstance(terminal.app.screen, ArticlesScreen)
    assert "feed: BBC" in terminal.title
    assert "1–2 of 2" in terminal.status
    await terminal.press("escape")
    assert "of 45" in terminal.status
    screen = await open_feeds(terminal, at="Many")
    await terminal.press("space")
    assert "Many" not in [row.name for row in screen.entries if isinstance(row, FeedRow)]
    assert "▸ python" in terminal.text
    await terminal.press("e")
    assert "This is a topic." in terminal.text
    await terminal.press("enter")
    assert "topic: python" in terminal.title


async def test_a_feed_is_edited_its_url_too_and_what_is_wrong_is_said_in_the_form(
    terminal: Terminal, filled: Database
) -> None:
    before = await filled.read(find_feed_by_url, "https://bbc.example/world")
    assert before
    screen = await open_feeds(terminal, at="BBC")
    await terminal.press("e")
    assert isinstance(terminal.app.screen, FormScreen)
    await terminal.press("ctrl+u")
    await terminal.type("no url at all")
    await terminal.press("enter")
    assert isinstance(terminal.app.screen, FormScreen)
    assert "not a valid URL" in terminal.text or "no url at all" in terminal.text
    await terminal.press("ctrl+u")
    await terminal.type("https://bbc.example/all.xml")
    await terminal.press("down", "down", "down", "end")
    await terminal.press("home")
    await terminal.type("art, ")
    await terminal.press("enter")
    assert "It is fetched from https://bbc.example/all.xml now." in terminal.text
    after = await filled.read(load_feed, before.id)
    assert (after.url, after.topic, after.source) == ("https://bbc.example/all.xml", "art, world", "BBC")
    assert "▾ art, world" in terminal.text
    assert isinstance(screen.current, FeedRow)
    assert screen.current.feed.id == before.id, "the cursor follows the feed to its new place"


async def test_a_feed_is_paused_and_deleted_and_both_are_undone(terminal: Terminal, filled: Database) -> None:
    async def names(*, only_enabled: bool) -> set[str]:
        return {feed.source for feed in await filled.read(load_feeds, only_enabled=only_enabled)}

    await open_feeds(terminal, at="BBC")
    await terminal.press("p")
    assert "BBC is paused: neither fetched nor shown. u undoes." in terminal.text
    assert await names(only_enabled=True) == {"Habr", "Dead", "Many"}
    await terminal.press("f")
    assert "This feed is paused. p resumes it." in terminal.text
    await terminal.press("u")
    assert await names(only_enabled=True) == {"Habr", "Dead", "Many", "BBC"}
    await terminal.press("x")
    assert "Deleted BBC. u brings it back." in terminal.text
    assert await names(only_enabled=False) == {"Habr", "Dead", "Many"}
    await terminal.press("u")
    assert "BBC is back." in terminal.text
    assert "BBC" in await names(only_enabled=False)
    await terminal.press("u")
    assert "Nothing to undo." in terminal.text


async def test_it_fits_a_terminal_of_40_columns(filled: Database, web_settings: Settings) -> None:
    async with opened(web_settings, filled, size=(40, 15)) as terminal:
        await open_feeds(terminal, at="Dead")
        assert all(len(line) <= 40 for line in terminal.lines)
        for shown in (
            "● Habr",
            "needs you",
            "Enter open",
            "f fetch",
            "a add",
            "e edit",
            "x delete",
            "? help",
        ):
            assert shown in terminal.text, shown


async def test_feeds_of_a_site_without_a_name_yet_are_told_apart_by_their_addresses(
    terminal: Terminal, filled: Database
) -> None:
    for url in ("https://news.example/city.xml", "https://news.example/sport.xml"):
        await filled.write(insert_feed, url, enabled=True)
    screen = await open_feeds(terminal)
    names = [row.name for row in screen.entries if isinstance(row, FeedRow)]
    assert {"news.example/city.xml", "news.example/sport.xml", "BBC"} < set(names)
