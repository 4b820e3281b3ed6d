"""Alerts: feeds that are broken, silent, losing entries, moved or gone, and a key to be quiet about one."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.binding import Binding
from textual.content import Content

from inforadar.actions.rules.silence import silence_alerts
from inforadar.errors import UsageError
from inforadar.model.alert import Alert
from inforadar.model.search import parse_time
from inforadar.store.rules.alerts import load_alerts
from inforadar.texts import counted
from inforadar.tui.cells import fit
from inforadar.tui.list.view import ChosenFeed, View
from inforadar.tui.screens.base import COMMON
from inforadar.tui.screens.entries import EntriesScreen
from inforadar.tui.screens.form import Field, FormScreen, Values
from inforadar.tui.session import Session
from inforadar.tui.text import safe
from inforadar.tui.widgets.line import hint
from inforadar.views.times import shown_time

QUIET_DAYS = 7
HINTS = (
    *hint("Enter", "articles", "open"),
    *hint("z", "be quiet", "quiet"),
    *hint("v", "past ones", "past"),
    *hint("Esc", "back", "back"),
    *hint("?", "help", "help"),
)


class AlertsScreen(EntriesScreen[Alert]):
    HELP = "Alerts"
    KEYS = "alerts"
    HINTS = HINTS
    EMPTY = "No alerts: every feed is well."
    BINDINGS: ClassVar = [
        Binding("j,down", "move(1)", "Next alert"),
        Binding("k,up", "move(-1)", "Previous alert"),
        Binding("g,home", "edge('top')", "To the first alert"),
        Binding("G,end", "edge('bottom')", "To the last alert"),
        Binding("enter,l,right", "open", "Open the articles of the feed"),
        Binding("z", "quiet", "Be quiet about the feed until a time, or no longer"),
        Binding("v", "past", "Also alerts that are over, or only open ones"),
        Binding("u", "undo", "Undo the last change"),
        Binding("F", "app.feeds", "All feeds"),
        Binding("R,ctrl+l", "reload", "Reload"),
        Binding("escape,backspace,h,left,A", "back", "Back to the articles"),
        *COMMON,
    ]

    def __init__(self, session: Session, *, open_list: Callable[[View], None]) -> None:
        """`open_list` shows the articles of a view."""
        super().__init__(session)
        self._open_list = open_list
        self._with_past = False

    async def load(self) -> None:
        self.show(
            await self.session.database.read(load_alerts, only_open=not self._with_past, with_quiet=True)
        )

    @property
    def resting(self) -> str:
        return counted(len(self.entries), "alert") if self.entries else ""

    def line_of(self, entry: Alert) -> Content:
        now = self.session.now()
        told = "over" if entry.ended_at else "quiet" if entry.quiet_until else ""
        right = f"{told}  {shown_time(entry.began_at, now)}".strip()
        style = "$muted" if told else "$error" if entry.kind in {"broken", "gone"} else "$warning"
        room = max(10, self.line_cells - len(right) - 2)
        return Content.assemble((fit(safe(entry.title[:300]), room), style), (f"  {right}", "$muted"))

    def detail_of(self, entry: Alert) -> Content:
        quiet = (
            f" Quiet until {shown_time(entry.quiet_until, self.session.now())}." if entry.quiet_until else ""
        )
        return Content(safe(entry.message[:600]) + quiet)

    async def action_open(self) -> None:
        if alert := self.current:
            self._open_list(View(feed=ChosenFeed(id=alert.feed_id, name=alert.name)))

    def action_past(self) -> None:
        self._with_past = not self._with_past
        self.action_reload()

    async def action_quiet(self) -> None:
        alert = self.current
        if alert is None:
            return
        database = self.session.database
        if alert.quiet_until:
            await silence_alerts(database, alert.feed_id, None)
            await self.load()
            self.say(f"{safe(alert.name[:100])}: told again.")
            return

        async def save(values: Values) -> str:
            now = self.session.now()
            until = parse_time(values["until"] or f"{QUIET_DAYS}d", now)
            if until <= now:
                raise UsageError(f"{values['until']!r} is in the past.")
            await silence_alerts(database, alert.feed_id, until)
            self.session.undo.add("Told again.", lambda: silence_alerts(database, alert.feed_id, None))
            return f"Quiet about {safe(alert.name[:100])} until {shown_time(until, now)}. u undoes."

        async def saved(sentence: str | None) -> None:
            if sentence:
                await self.load()
                self.say(sentence)

        field = Field(name="until", label="Until: a date such as 2027-05-01, or 7d", value=f"{QUIET_DAYS}d")
        await self.app.push_screen(FormScreen(f"Be quiet about {alert.name}", [field], save), saved)
