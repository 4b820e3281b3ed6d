"""The Fetch screen: counting, then processing, with a live log; `Esc` stops, a second `Esc` closes (A1 to A5)."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding

from inforadar.errors import InfoRadarError
from inforadar.model.ids import short_id
from inforadar.model.progress import ProgressKind
from inforadar.tui.fetch.fetching import Fetching
from inforadar.tui.fetch.progress import Tally
from inforadar.tui.list.view import View
from inforadar.tui.screens.base import RadarScreen
from inforadar.tui.session import Session
from inforadar.tui.widgets.line import Line, Span, hint
from inforadar.tui.widgets.log_pane import LogLine, LogPane
from inforadar.tui.widgets.progress_line import ProgressLine

FRAME_S = 1 / 15


class State(StrEnum):
    RUNNING = "running"
    STOPPING = "stopping"
    """`Esc` was pressed; the current item is finished first."""
    ENDED = "ended"


ESC_LABELS = {State.RUNNING: "stop", State.STOPPING: "abort and close", State.ENDED: "close"}


class FetchScreen(RadarScreen):
    HELP = "Fetch"
    KEYS = "fetch"
    BINDINGS: ClassVar = [
        Binding("escape", "stop", "Stop; again abort and close; close when it has ended"),
        Binding("j,down", "scroll(1)", "Scroll down; the end follows again"),
        Binding("k,up", "scroll(-1)", "Scroll up"),
        Binding("space,pagedown", "scroll_page(1)", "A page down"),
        Binding("b,pageup", "scroll_page(-1)", "A page up"),
        Binding("g,home", "top", "To the beginning"),
        Binding("G,end", "follow", "To the end, and follow"),
        Binding("question_mark", "help", "Help", key_display="?"),
    ]

    def __init__(self, session: Session, view: View, *, reload_list: Callable[[], None]) -> None:
        super().__init__(session)
        self._view = view
        self._reload_list = reload_list
        self._fetching = Fetching()
        self._tally = Tally()
        self._state = State.RUNNING

    def compose(self) -> ComposeResult:
        yield Line(id="title", left_first=False)
        yield ProgressLine()
        yield LogPane()
        yield Line(id="status")

    def on_mount(self) -> None:
        self.show_title("Fetch", self._view.filter_words)
        self._show_hints()
        self.set_interval(FRAME_S, self._show)
        # A worker of the app, not of the screen: an aborted run writes its report after the screen has closed.
        self.app.run_worker(self._run(), group="fetch")

    @property
    def _log(self) -> LogPane:
        return self.query_one(LogPane)

    async def _run(self) -> None:
        try:
            report = await self._fetching.run(self.session.settings, self._view)
        except InfoRadarError as fault:
            self._end("Failed", [(f"! {fault}", "bad"), ("Nothing more is done. Esc closes.", "strong")])
            return
        by_you = " by you" if self._state is State.STOPPING else ""
        last = f"Interrupted{by_you}. Esc closes." if report.interrupted else "Done. Esc closes."
        self._end(
            "Interrupted" if report.interrupted else "Done",
            [
                (f"Report: inforadar run show {short_id(report.run_id)}", "plain"),
                (last, "strong" if report.interrupted else "good"),
            ],
        )

    def _show(self) -> None:
        """Show all events since the last frame. Called once a frame."""
        if self._state is State.ENDED:
            return
        events = self._fetching.take_events()
        self._tally.add(events)
        self._log.extend(
            LogLine(event.at, event.label, event.text) for event in events if event.kind is ProgressKind.LINE
        )
        self.query_one(ProgressLine).show(self._tally)

    def on_log_pane_follow_changed(self) -> None:
        self._show_hints()

    def _end(self, word: str, lines: list[tuple[str, str]]) -> None:
        if self not in self.app.screen_stack:
            # The screen was closed before the run ended: show the items that were added later.
            self._reload_list()
            return
        self._show()
        self._state = State.ENDED
        at = self.session.now()
        self._log.extend(LogLine(at, "", text, style) for text, style in lines)
        self._tally.ended = f"{word}: {self._tally.done:,} of {self._tally.found:,} items"
        self.query_one(ProgressLine).show(self._tally)
        self._show_hints()

    def _show_hints(self) -> None:
        hints = (
            *hint("Esc", ESC_LABELS[self._state], "stop"),
            Span("j/k", "key"),
            Span(" scroll  ", "muted"),
            *hint("end", "follow", "follow"),
        )
        following = () if self._log.following else (Span("not following  ", "warn"),)
        self.query_one("#status", Line).show(hints, (*following, *hint("?", "help", "help")))

    def action_stop(self) -> None:
        match self._state:
            case State.RUNNING:
                self._state = State.STOPPING
                self._fetching.stop()
                self._log.extend([LogLine(self.session.now(), "", "Stopping …", "strong")])
                self._show_hints()
            case State.STOPPING:
                self._fetching.abort()
                self.dismiss()
            case State.ENDED:
                self.dismiss()

    def action_scroll(self, by: int) -> None:
        self._log.move(by)

    def action_scroll_page(self, by: int) -> None:
        self._log.move(by * max(1, self._log.scrollable_content_region.height - 1))

    def action_top(self) -> None:
        self._log.top()

    def action_follow(self) -> None:
        self._log.follow()

    def say(self, sentence: str) -> None:
        self._log.extend([LogLine(self.session.now(), "", sentence, "strong")])
