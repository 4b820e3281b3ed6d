"""Drives the terminal app: keys and mouse go in, the text on its screen comes out, events say when to look."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from textual.events import Key
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.worker import WorkerCancelled

from inforadar.config import Settings
from inforadar.model.article import Extracted
from inforadar.model.http import Outcome
from inforadar.model.item import ItemChange
from inforadar.pipeline.search_index import SearchIndexer
from inforadar.store.database import Database, open_database
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.queries import list_items
from inforadar.store.items.save import save_changes
from inforadar.store.upkeep.upgrade import upgrade_database
from inforadar.tui.app import RadarApp
from inforadar.tui.screens.all_screens import load_keymap
from tests.support.faces.newsroom import Newsroom, analysis
from tests.support.paths import ROOT

if TYPE_CHECKING:
    from textual.widget import Widget

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
MOST_LOOKS, STILL = 20, 3
SNAPSHOTS = ROOT / "tests" / "tui" / "snapshots"


@dataclass(frozen=True, slots=True)
class Terminal:
    app: RadarApp
    pilot: Pilot[None]

    async def press(self, *keys: str) -> None:
        """Press one key after another, each time waiting for everything it triggers."""
        for key in keys:
            self.send(key)
            await self.settle()

    async def type(self, text: str) -> None:
        for sign in text:
            self.app.post_message(Key(_character_to_key(sign), sign))
        await self.settle()

    async def click(self, widget: type[Widget] | str | None = None, *, at: tuple[int, int] = (0, 0)) -> None:
        await self.pilot.click(widget, offset=at)
        await self.settle()

    async def settle(self) -> None:
        """Wait until every message is handled, the work it started is done, and the screen stops changing.

        New text moves what is below it and may add a scroll bar, which moves it again. No clock is used, and a
        screen that never stops changing is not waited for forever.
        """
        still, before = 0, ""
        for _ in range(MOST_LOOKS):
            if not self.app.is_running:
                return
            await self._turn()
            await self.pilot._wait_for_screen()
            # A load that a newer one replaced is cancelled.
            with suppress(WorkerCancelled):
                await self.app.workers.wait_for_complete()
            if not self.app.is_running:
                return
            self.app.screen._on_timer_update()
            seen = self.text
            still, before = (still + 1 if seen == before else 0), seen
            if still == STILL:
                return

    def send(self, *keys: str) -> None:
        """Send keys without waiting for the work they start."""
        for key in keys:
            self.app.post_message(Key(key, _SIGNS.get(key, key if len(key) == 1 else None)))

    async def until(self, shown: str) -> None:
        """Wait until the text is on the screen, checking each time the app has handled its messages.

        Not after each repaint: a screen that is covered while it waits for its repaint may call nobody back.
        """
        async with asyncio.timeout(60):
            while shown not in self.text:
                await self._turn()

    async def until_left(self) -> None:
        """Wait until the app has exited; its background work may still be ending."""
        async with asyncio.timeout(60):
            while self.app.is_running:
                await asyncio.sleep(0)

    async def _turn(self) -> None:
        """Wait until the app has handled the messages that it has now."""
        reached = asyncio.Event()
        self.app.call_later(reached.set)
        async with asyncio.timeout(30):
            await reached.wait()

    @property
    def lines(self) -> list[str]:
        return [strip.text.rstrip() for strip in self.app.screen._compositor.render_strips()]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def title(self) -> str:
        return self.lines[0]

    @property
    def status(self) -> str:
        return self.lines[-1]

    @property
    def current(self) -> str:
        """The line under the cursor."""
        return next(line for line in self.lines if line.startswith("▌"))


_SIGNS = {
    "space": " ",
    "colon": ":",
    "slash": "/",
    "asterisk": "*",
    "question_mark": "?",
    "exclamation_mark": "!",
    "less_than_sign": "<",
    "greater_than_sign": ">",
}


@asynccontextmanager
async def opened(
    settings: Settings,
    database: Database,
    size: tuple[int, int] = (80, 24),
    now: Callable[[], datetime] = lambda: NOW,
) -> AsyncIterator[Terminal]:
    app = RadarApp(settings, database, now=now, keymap=load_keymap(settings.home))
    async with app.run_test(size=size) as pilot:
        terminal = Terminal(app, pilot)
        await terminal.settle()
        yield terminal


def assert_snapshot(terminal: Terminal, name: str) -> None:
    """Compare the screen with the committed snapshot; UPDATE_SNAPSHOTS=1 rewrites it."""
    path = SNAPSHOTS / f"{name}.txt"
    shown = terminal.text + "\n"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(shown, "utf-8")
    assert shown == path.read_text("utf-8")


FIRST = "https://habr.example/1"
LOADED = "https://bbc.example/2"
CYRILLIC = "https://habr.example/3"
CHINESE = "https://bbc.example/4"
MARKDOWN = (
    "## Measured\n\nWe **measured** it.\n\n- one\n- two\n\n> Quoted.\n\n[more](https://habr.example/more)"
)


async def fill(settings: Settings) -> None:
    """Four feeds of three sources with 45 items: counters, scores, other scripts, a text, a change, a dead feed."""
    async with open_database(settings.database_url) as database:
        await upgrade_database(database)
        newsroom = Newsroom(database=database)
        habr = await newsroom.add_feed("https://habr.example/python", source="Habr", topic="python")
        bbc = await newsroom.add_feed("https://bbc.example/world", source="BBC", topic="world")
        dead = await newsroom.add_feed("https://dead.example/rust", source="Dead", topic="rust")
        await newsroom.fetched(dead, Outcome.PERMANENT_ERROR, error="dead.example answered 404.")
        many = await newsroom.add_feed("https://many.example/python", source="Many", topic="python")
        rows = (
            (habr, FIRST, "How we cut cold starts by nine tenths", 1, (12.0, 2100, 8)),
            (bbc, LOADED, "Minister SLAMS critics in furious late-night row", 2, (None, None, None)),
            (habr, CYRILLIC, "Асинхронность на практике", 3, (0.0, 140, 6)),
            (bbc, CHINESE, "兰屿市旧渡轮改成流动图书馆", 26, (None, None, None)),
        )
        for feed, url, title, hours, (rating, views, comments) in rows:
            at = NOW - timedelta(hours=hours)
            counters = {"rating": rating, "views": views, "comments": comments}
            await newsroom.add_item(
                feed,
                url,
                title=title,
                published_at=at,
                snippet=f"In short: {title}",
                author="Ada",
                **counters,
            )
        first = (await database.read(list_items, ItemFilter(sources=("Habr",))))[0]
        fields = {"title": ("How we cut starts", first.title or ""), "views": (120, 2100)}
        change = ItemChange(id=first.id, url=first.url, fields=fields)
        await database.write(save_changes, [change], run_id=None, at=NOW - timedelta(minutes=30))
        text = Extracted(clean_text="Measured. We measured it.", markdown=MARKDOWN)
        await newsroom.finish_articles({FIRST: text, LOADED: text})
        await newsroom.finish_analyses({FIRST: analysis(0.12), LOADED: analysis(0.81)})
        for number in range(41):
            at = NOW - timedelta(days=3, minutes=number)
            url = f"https://many.example/{number}"
            await newsroom.add_item(many, url, title=f"Number {number:02}", published_at=at)
        await SearchIndexer(database=database).run_once()
