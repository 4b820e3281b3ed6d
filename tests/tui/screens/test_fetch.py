"""The Fetch screen: the real run against a site on loopback, watched, scrolled, stopped and aborted (A1 to A5)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from textual.color import Color

from inforadar.config import Settings, load_settings
from inforadar.model.ids import RunId, new_uuid
from inforadar.model.progress import Progress, ProgressKind
from inforadar.store.runs.queries import load_runs
from inforadar.tui.fetch.progress import Tally
from inforadar.tui.list.view import View
from inforadar.tui.screens.articles import ArticlesScreen
from inforadar.tui.screens.fetch import FetchScreen
from inforadar.tui.widgets.log_pane import MAX_LINES, LogLine, LogPane
from inforadar.tui.widgets.progress_line import ProgressLine
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.terminal import NOW, Terminal, assert_snapshot, opened
from tests.support.site.answers import Answer, Exchange, Fault
from tests.support.site.documents import Entry, entries, rss
from tests.support.site.server import Site, render

ITEMS = 60


def settings_for(news_site: Site, settings: Settings) -> Settings:
    allowed = {"FETCHER_ALLOWED_NETWORKS": ",".join(news_site.endpoints), "FETCHER_DOMAIN_DELAY": "0"}
    return load_settings(settings.home, allowed)


@pytest.fixture
async def terminal(
    newsroom: Newsroom, web_settings: Settings, news_site: Site, in_utc: None
) -> AsyncIterator[Terminal]:
    """Two feeds: `Habr` with sixty items, `BBC` with one whose title is hostile."""
    news_site.feed("/habr", rss(entries(ITEMS, base=news_site.url("/h"))))
    news_site.feed(
        "/bbc", rss([Entry(url=news_site.url("/b/1"), title="[red]Late \x1b[2J row\u202e", guid="1")])
    )
    await newsroom.add_feed(news_site.url("/habr"), source="Habr", topic="python", enforce_feed_domain=False)
    await newsroom.add_feed(news_site.url("/bbc"), source="BBC", topic="world", enforce_feed_domain=False)
    async with opened(settings_for(news_site, web_settings), newsroom.database) as running:
        yield running


class Gate:
    """An answer that waits until it may go."""

    def __init__(self, news_site: Site, path: str) -> None:
        self._open = asyncio.Event()
        document = rss(entries(3, base=news_site.url("/h")))
        body = render(Answer(body=document.encode(), headers={"Content-Type": "application/rss+xml"}))

        async def run(exchange: Exchange) -> None:
            await self._open.wait()
            await exchange.send(body)

        news_site.respond(path, Fault(run))

    def open(self) -> None:
        self._open.set()


def log_of(terminal: Terminal) -> LogPane:
    return terminal.app.screen.query_one(LogPane)


async def test_f_fetches_with_the_filters_of_the_list_and_the_log_can_be_read(
    terminal: Terminal, newsroom: Newsroom
) -> None:
    """One real run for all that is looked at when it has ended: each costs a process."""
    await terminal.press("s", "a", "enter", "t", "a", "enter", "f")
    assert isinstance(terminal.app.screen, FetchScreen)
    filters = "source: BBC, Habr · topic: python, world"
    assert terminal.title == f" Info Radar · Fetch    {filters}"
    assert "Done: 61 of 61 items" in terminal.lines[1]
    lines = [line.text for line in log_of(terminal).lines]
    assert "+ Article 60" in lines
    assert "61 added, 0 updated, 0 errors" in lines
    assert terminal.lines[-3].rstrip(" │").endswith("Done. Esc closes.")
    assert log_of(terminal).styles.border_top[1] == Color.parse(terminal.app.theme_variables["success"])
    await look_over(terminal)
    await scroll(terminal)
    await overfill(terminal)
    await terminal.press("escape")
    assert isinstance(terminal.app.screen, ArticlesScreen)
    assert terminal.title == f" Info Radar · Articles    {filters}"
    assert "1–21 of 61" in terminal.status


async def test_a_run_whose_report_is_larger_than_a_pipe_ends_well(
    terminal: Terminal, news_site: Site
) -> None:
    """In one piece, to a screen that is busy with painting."""
    news_site.feed("/habr", rss(entries(100, base=news_site.url("/h/" + "long" * 1000))))
    await terminal.press("f")
    assert "Done: 101 of 101 items" in terminal.lines[1]
    assert terminal.lines[-3].rstrip(" │").endswith("Done. Esc closes.")


async def look_over(terminal: Terminal) -> None:
    """A hostile title is harmless; help is there."""
    await terminal.press("g")
    assert "+ [red]Late [2J row" in terminal.text
    assert all(line.isprintable() for line in terminal.lines)
    await terminal.press("question_mark")
    assert "Help · Fetch" in terminal.text
    await terminal.press("escape", "G")


async def scroll(terminal: Terminal) -> None:
    """By hand, and following the tail again at its end (A4)."""
    log = log_of(terminal)
    assert log.following
    assert log.scroll_y == log.max_scroll_y > 30
    await terminal.press("k", "up")
    assert not log.following
    assert "not following" in terminal.status
    seen = terminal.lines[3]
    log.extend([LogLine(NOW, "Habr", "+ one more")])
    await terminal.settle()
    assert terminal.lines[3] == seen
    await terminal.press("j", "down", "j")
    assert log.following
    assert "not following" not in terminal.status
    log.extend([LogLine(NOW, "Habr", "+ the last one")])
    await terminal.settle()
    assert "+ the last one" in terminal.lines[-3]
    await terminal.press("home", "space", "b", "pagedown", "pageup")
    assert log.scroll_y == 0
    await terminal.press("end")
    assert log.following


async def overfill(terminal: Terminal) -> None:
    """The log has an end, and what is looked at stays; long lines are wrapped, and errors are red."""
    log = log_of(terminal)
    log.extend(LogLine(NOW, "many/lines", f"+ number {number}") for number in range(MAX_LINES))
    assert len(log.lines) == MAX_LINES
    await terminal.press("b")
    seen = terminal.lines[5]
    log.extend(LogLine(NOW, "many/lines", f"+ later {number}") for number in range(500))
    await terminal.settle()
    assert len(log.lines) == MAX_LINES
    assert terminal.lines[5] == seen
    wanted = "! " + "A long title " * 10 + ": views 120 → 140, comments 4 → 6"
    log.follow()
    log.extend([LogLine(NOW, "many/lines", wanted)])
    await terminal.settle()
    rows = [line.strip("│ ") for line in terminal.lines[-6:-2]]
    assert " ".join(rows).endswith("A long title : views 120 → 140, comments 4 → 6")
    style = log.render_line(log.size.height - 1)._segments[1].style
    assert style == log.get_component_rich_style("log--bad")


async def test_the_end_of_a_run_leaves_a_log_that_is_being_read_where_it_is(
    terminal: Terminal, news_site: Site, newsroom: Newsroom
) -> None:
    gate = Gate(news_site, "/habr")
    terminal.send("f")
    await terminal.until("Counting… 1 page, 1 item found")
    log = log_of(terminal)
    log.extend(LogLine(NOW, "Habr", f"+ number {number}") for number in range(100))
    terminal.send("g")
    await terminal.until("not following")
    gate.open()
    await terminal.until("Done: 4 of 4 items")
    await terminal.settle()
    assert (log.scroll_y, log.following) == (0, False)
    assert log.lines[-1].text == "Done. Esc closes."
    assert "not following" in terminal.status


async def test_escape_stops_while_counting_and_the_screen_stays_with_the_report(
    terminal: Terminal, news_site: Site, newsroom: Newsroom
) -> None:
    Gate(news_site, "/habr")
    await terminal.press("colon")
    await terminal.type("fetch")
    terminal.send("enter")
    await terminal.until("Counting… 1 page, 1 item found")
    assert terminal.app.screen.query_one(ProgressLine)._tally.fraction is None
    await news_site.wait_for_requests(2)
    terminal.send("k", "escape")
    await terminal.until("Interrupted by you. Esc closes.")
    await terminal.settle()
    assert isinstance(terminal.app.screen, FetchScreen)
    assert "1 added, 0 updated, 1 error" in terminal.text
    assert "! stopped while waiting for" in terminal.text
    (report,) = await newsroom.database.read(load_runs)
    assert report.interrupted
    await terminal.press("escape")
    assert isinstance(terminal.app.screen, ArticlesScreen)


async def test_a_second_escape_aborts_what_is_in_flight_and_closes_at_once(
    terminal: Terminal, news_site: Site, newsroom: Newsroom
) -> None:
    Gate(news_site, "/habr")
    terminal.send("f")
    await terminal.until("Counting… 1 page, 1 item found")
    await news_site.wait_for_requests(2)
    terminal.send("escape", "escape")
    await terminal.until("No articles yet.")
    assert isinstance(terminal.app.screen, ArticlesScreen)
    await terminal.settle()
    (report,) = await newsroom.database.read(load_runs)
    assert report.interrupted
    assert report.finished_at


async def test_leaving_the_app_in_the_middle_ends_the_run_cleanly(
    terminal: Terminal, news_site: Site, newsroom: Newsroom
) -> None:
    Gate(news_site, "/habr")
    terminal.send("f")
    await terminal.until("Counting… 1 page, 1 item found")
    await terminal.app.action_quit()
    await terminal.until_left()
    async with asyncio.timeout(30):
        while not (report := (await newsroom.database.read(load_runs))[0]).finished_at:
            pass
    assert report.interrupted


async def test_the_screen_looks_as_it_was_approved(
    newsroom: Newsroom, web_settings: Settings, in_utc: None
) -> None:
    """With what a run would have told: the times of a real one are never the same. Nothing is fetched."""
    run = RunId(new_uuid())

    def told(kind: ProgressKind, second: float, text: str = "", **numbers: int) -> Progress:
        at = NOW + timedelta(seconds=second)
        label = "habr/python" if text else ""
        return Progress(run_id=run, at=at, kind=kind, text=text, label=label, **numbers)

    class Recorded(FetchScreen):
        async def _run(self) -> None:
            self._fetching._events.extend(
                [
                    told(ProgressKind.FOUND, 0, found=512),
                    told(ProgressKind.LINE, 1, "page 3: 20 items, 4 new"),
                    told(ProgressKind.PROCESSED, 1, done=10, found=512),
                    told(ProgressKind.LINE, 2, "+ How we cut cold starts by nine tenths"),
                    told(ProgressKind.LINE, 3, "~ Asyncio in practice: views 120 → 140, comments 4 → 6"),
                    told(ProgressKind.LINE, 4, "! item without a date skipped: https://habr.example/x"),
                    told(ProgressKind.PROCESSED, 5, done=214, found=512),
                ]
            )
            self._show()

    await newsroom.add_feed()
    async with opened(web_settings, newsroom.database) as terminal:
        view = View(sources=("Habr",), topics=("python",))
        await terminal.app.push_screen(Recorded(terminal.app.session, view, reload_list=lambda: None))
        await terminal.settle()
        assert_snapshot(terminal, "fetch-80x24")


def test_the_numbers_are_said_as_people_say_them() -> None:
    run = RunId(new_uuid())

    def event(kind: ProgressKind, second: float, **numbers: int) -> Progress:
        return Progress(run_id=run, at=NOW + timedelta(seconds=second), kind=kind, **numbers)

    tally = Tally()
    assert tally.words == "Starting …"
    tally.add([event(ProgressKind.LINE, 0)])
    assert tally.words == "Counting… 0 pages, 0 items found"
    tally.add([event(ProgressKind.COUNTING, 0, pages=7, found=140)])
    assert tally.words == "Counting… 7 pages, 140 items found"
    assert tally.fraction is None
    tally.add([event(ProgressKind.FOUND, 1, pages=7, found=1512)])
    assert tally.words == "0 of 1,512 items"
    tally.add([event(ProgressKind.PROCESSED, 3, pages=7, found=1512, done=84)])
    assert tally.words == "84 of 1,512 items   42/s   0:34 left"
    # The speed is that of the last seconds, not of the whole run.
    later = [event(ProgressKind.PROCESSED, 3 + n, found=1512, done=84 + n) for n in range(1, 21)]
    tally.add(later)
    assert tally.words == "104 of 1,512 items   1/s   23:28 left"
