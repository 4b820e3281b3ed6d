"""The first screen of an empty database: three ways to start."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from inforadar.tui.screens.base import COMMON, RadarScreen
from inforadar.tui.widgets.line import Line, hint

WAYS = (
    (
        "add_sample",
        "s",
        "Look at the sample",
        "A small news world of its own, in many languages. No network is needed.",
    ),
    ("ask_for_feed", "a", "Add a feed", "Give a site, a feed or a sitemap; the feed is looked for."),
    ("ask_for_opml", "i", "Import OPML", "The list of feeds that another reader has written."),
)
"""(action of the app, key, name, description)."""


class WelcomeScreen(RadarScreen):
    HELP = "Welcome"
    KEYS = "welcome"
    BINDINGS: ClassVar = [
        Binding("s", "app.add_sample", "Look at the sample"),
        Binding("a", "app.ask_for_feed", "Add a feed"),
        Binding("i", "app.ask_for_opml", "Import an OPML file"),
        Binding("j,down", "move('down')", "Down"),
        Binding("k,up", "move('up')", "Up"),
        Binding("enter", "choose", "Begin with it"),
        Binding("escape", "back", "To the empty list"),
        *COMMON,
    ]
    DEFAULT_CSS = """
    WelcomeScreen Static { padding: 1 3 1 3; height: auto; }
    WelcomeScreen OptionList { height: auto; padding: 0 2; }
    WelcomeScreen OptionList, WelcomeScreen OptionList:focus { border: none; background: $background; }
    WelcomeScreen #room { height: 1fr; padding: 0; }
    """

    def compose(self) -> ComposeResult:
        yield Line(id="title", left_first=False)
        yield Static("Nothing is watched yet. How would you like to begin?", markup=False)
        yield OptionList(*(Option(_way(key, name, says), id=id_) for id_, key, name, says in WAYS))
        yield Static(id="room")
        yield Line(id="status")

    def on_mount(self) -> None:
        self.show_title("Welcome", "")
        self.say("")
        self.query_one(OptionList).highlighted = 0

    def say(self, sentence: str) -> None:
        hints = (
            *hint("Enter", "begin", "choose"),
            *hint("?", "help", "help"),
            *hint("q", "quit", "app.quit"),
        )
        self.show_status(sentence, hints)

    async def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        await self.run_action(f"app.{event.option_id}")

    def action_move(self, where: str) -> None:
        ways = self.query_one(OptionList)
        if where == "down":
            ways.action_cursor_down()
        else:
            ways.action_cursor_up()

    def action_choose(self) -> None:
        self.query_one(OptionList).action_select()

    def action_back(self) -> None:
        self.dismiss()


def _way(key: str, name: str, says: str) -> Content:
    return Content.assemble((f"{key}  ", "bold $accent"), (name, "bold"), f"\n   {says}\n")
