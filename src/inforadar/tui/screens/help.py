"""Help for a screen, generated from its key bindings."""

from __future__ import annotations

from typing import Any, ClassVar

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from inforadar.model.analysis import NOT_MEASURED, NOT_MEASURED_SHORT
from inforadar.tui.commands.keys import Keymap, described_keys
from inforadar.tui.commands.parse import COMMANDS


class HelpScreen(ModalScreen[None]):
    BINDINGS: ClassVar = [
        Binding("escape,q,question_mark,enter", "close", "Close"),
        Binding("j,down", "scroll(1)", "Down"),
        Binding("k,up", "scroll(-1)", "Up"),
    ]
    DEFAULT_CSS = """
    HelpScreen { align: center middle; background: $background 60%; }
    HelpScreen VerticalScroll {
        width: 76; max-width: 100%; height: auto; max-height: 100%;
        background: $background; border: round $muted; padding: 0 2; scrollbar-size-vertical: 1;
    }
    HelpScreen Static { height: auto; }
    """

    def __init__(self, name: str, about: type[Screen[Any]], keymap: Keymap | None = None) -> None:
        super().__init__()
        self._name, self._about, self._keymap = name, about, keymap or {}

    def compose(self) -> ComposeResult:
        with VerticalScroll() as box:
            box.border_title = f"Help · {self._name}"
            box.border_subtitle = "Esc closes"
            yield Static(self._table(list(described_keys(self._about, self._keymap))))
            yield Static("")
            yield Static(self._table([(command.usage, command.says) for command in COMMANDS]))
            yield Static("")
            yield Static(self._table([(NOT_MEASURED_SHORT, f"Score: {NOT_MEASURED} in this language")]))

    def _table(self, rows: list[tuple[str, str]]) -> Table:
        accent = self.app.theme_variables["accent"]
        table = Table.grid(padding=(0, 2))
        table.add_column(no_wrap=True, min_width=16)
        table.add_column()
        for keys, says in rows:
            table.add_row(Text(keys, style=accent), Text(says))
        return table

    def action_close(self) -> None:
        self.dismiss()

    def action_scroll(self, by: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)
