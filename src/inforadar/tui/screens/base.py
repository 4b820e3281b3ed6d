"""What all screens have: a title line, help for their keys, the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual.binding import Binding
from textual.screen import Screen

from inforadar.tui.view import View
from inforadar.tui.widgets.line import Line, Span

if TYPE_CHECKING:
    from inforadar.tui.app import RadarApp

COMMON = (
    Binding("colon", "command", "Command line", key_display=":"),
    Binding("question_mark", "help", "Help", key_display="?"),
    Binding("q", "quit_app", "Quit"),
)
"""Keys of every screen that fills the terminal."""


class RadarScreen(Screen[None]):
    """A screen that fills the terminal. Its `BINDINGS` are also its help."""

    HELP: ClassVar = ""
    """What the screen is called."""
    AUTO_FOCUS = None
    DEFAULT_CSS = """
    RadarScreen { background: $background; color: $foreground; layout: vertical; }
    """

    @property
    def radar(self) -> RadarApp:
        return cast("RadarApp", self.app)

    def show_title(self, name: str, words: str, right: str = "", style: str = "warn") -> None:
        """`Info Radar · Fetch    source: Habr`: the filters stand in every title in the same form."""
        left = [Span("Info Radar", "name"), Span(f" · {name}"), Span(f"    {words}" if words else "", "muted")]
        self.query_one("#title", Line).show(left, [Span(right, style)] if right else [])

    async def action_help(self) -> None:
        from inforadar.tui.screens.help import HelpScreen  # noqa: PLC0415 - not before it is asked for

        await self.app.push_screen(HelpScreen(self))

    async def action_command(self, text: str = "") -> None:
        await self.radar.ask_for_command(text)

    async def action_quit_app(self) -> None:
        self.radar.leave()

    def view_changed(self, view: View) -> None:
        """The filters, the search or the order are others now."""
