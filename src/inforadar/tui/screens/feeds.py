"""The feeds that need attention: the problem of each, and a key to revive it."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList

from inforadar.actions.switch import sync_feed
from inforadar.model.feed import Feed
from inforadar.store.feeds.queries import load_broken_feeds
from inforadar.tui.screens.base import COMMON, RadarScreen
from inforadar.tui.session import Session
from inforadar.tui.text import safe
from inforadar.tui.widgets.line import Line, Span, hint
from inforadar.views.feed_health import feed_health

HINTS = (*hint("r", "revive", "revive"), *hint("Esc", "back", "back"), *hint("?", "help", "help"))


class FeedsScreen(RadarScreen):
    HELP = "Feeds that need you"
    BINDINGS: ClassVar = [
        Binding("j,down", "move('down')", "Next feed"),
        Binding("k,up", "move('up')", "Previous feed"),
        Binding("r", "revive", "Revive it: the next fetch takes it"),
        Binding("o", "browse", "Open its address in the browser"),
        Binding("escape,backspace,h,left", "back", "Back to the list"),
        *COMMON,
    ]
    DEFAULT_CSS = """
    FeedsScreen OptionList { height: 1fr; padding: 1 1 0 1; scrollbar-size-vertical: 1; }
    FeedsScreen OptionList, FeedsScreen OptionList:focus { border: none; background: $background; }
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._feeds: list[Feed] = []

    def compose(self) -> ComposeResult:
        yield Line(id="title", left_first=False)
        yield OptionList()
        yield Line(id="status")

    def on_mount(self) -> None:
        self.show_title("Feeds that need you", "")
        self.say("")
        self.begin(self._load(), group="feeds", exclusive=True)

    async def _load(self) -> None:
        self._feeds = await self.session.database.read(load_broken_feeds)
        now = self.session.now()
        self._list.clear_options()
        self._list.add_options(
            Content.assemble(
                (safe(f"{feed.source}/{feed.topic}"[:200]), "bold"),
                (f"  {safe(feed.url[:300])}\n", "$muted"),
                (f"{safe(feed_health(feed, now).sentence[:1000])}\n", "$error"),
            )
            for feed in self._feeds
        )
        self._list.highlighted = 0 if self._feeds else None
        if not self._feeds:
            self.say("No feed needs you.")

    @property
    def _list(self) -> OptionList:
        return self.query_one(OptionList)

    @property
    def _current(self) -> Feed | None:
        at = self._list.highlighted
        return self._feeds[at] if at is not None and at < len(self._feeds) else None

    def say(self, sentence: str) -> None:
        self.query_one("#status", Line).show([Span(sentence)], HINTS)

    def action_move(self, where: str) -> None:
        if where == "down":
            self._list.action_cursor_down()
        else:
            self._list.action_cursor_up()

    async def action_revive(self) -> None:
        if feed := self._current:
            await sync_feed(self.session.database, feed.id)
            await self._load()
            self.say(f"{safe(feed.source[:100])} is due again. f fetches it now.")

    async def action_browse(self) -> None:
        if feed := self._current:
            self.say(safe(await self.open_in_browser(feed.url)))

    def action_back(self) -> None:
        self.dismiss()
