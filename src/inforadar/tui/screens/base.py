"""The base of all screens: the session, a title line, help, opening the browser.

Everything else is an action of the app (`app.fetch`) or is passed in when the screen is created: no screen knows the
app or another screen.
"""

from __future__ import annotations

from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from rich.cells import cell_len
from textual.app import SuspendNotSupported
from textual.binding import Binding
from textual.screen import Screen

from inforadar.errors import InfoRadarError
from inforadar.tui.session import Session
from inforadar.tui.text import safe
from inforadar.tui.widgets.line import Line, Span

COMMON = (
    Binding("colon", "app.command", "Command line", key_display=":"),
    Binding("question_mark", "help", "Help", key_display="?"),
    Binding("q", "app.quit", "Quit"),
)
"""Keys of every full-size screen."""


class RadarScreen(Screen[None]):
    """A full-size screen. Its help is generated from `BINDINGS`."""

    HELP: ClassVar = ""
    """The name of the screen."""
    AUTO_FOCUS = None
    DEFAULT_CSS = """
    RadarScreen { background: $background; color: $foreground; layout: vertical; }
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session

    def show_title(self, name: str, words: str, right: str = "", style: str = "warn") -> None:
        """`Info Radar · Fetch    source: Habr`: every title shows the filters in the same form."""
        is_long = cell_len(f"Info Radar · {name}    {words}  {right}") > self.app.size.width - 2
        # Without enough room, the filters matter more than our own name.
        own = [Span(name, "name")] if is_long else [Span("Info Radar", "name"), Span(f" · {name}")]
        left = [*own, Span(f"    {words}" if words else "", "muted")]
        self.query_one("#title", Line).show(left, [Span(right, style)] if right else [])

    def begin(self, work: Coroutine[Any, Any, None], *, group: str, exclusive: bool = False) -> None:
        """Run work in the background; if it fails, show the error in the status line."""
        self.run_worker(self._with_errors_shown(work), group=group, exclusive=exclusive)

    async def _with_errors_shown(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except InfoRadarError as fault:
            self.say(safe(fault))

    async def action_help(self) -> None:
        from inforadar.tui.screens.help import HelpScreen  # noqa: PLC0415 - on demand

        await self.app.push_screen(HelpScreen(self.HELP, type(self)))

    async def open_in_browser(self, url: str) -> str:
        """Open the URL; return a sentence with the result."""
        from inforadar.tui.browser import open_in_browser  # noqa: PLC0415 - on demand

        return open_in_browser(url, self._suspended)

    @contextmanager
    def _suspended(self) -> Iterator[None]:
        """Give the terminal to another program."""
        try:
            with self.app.suspend():
                yield
        except SuspendNotSupported:
            yield

    def say(self, sentence: str) -> None:
        """Show a sentence in the status line. It must be sanitized with `safe`."""
        raise NotImplementedError
