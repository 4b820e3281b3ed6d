"""A form: some labelled input lines, saved together. What is wrong is said below them, and nothing is lost."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Label, Static

from inforadar.errors import InfoRadarError
from inforadar.tui.text import safe

Values = Mapping[str, str]
Work = Callable[[Values], Awaitable[str]]
"""Does something with the values and returns a sentence; raises `InfoRadarError` if a value is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    name: str
    label: str
    value: str = ""
    hint: str = ""
    """Shown in the empty input line."""


class FormScreen(ModalScreen[str | None]):
    """Returns the sentence of `save`, or `None` if cancelled."""

    BINDINGS: ClassVar = [
        Binding("escape,ctrl+c", "cancel", "Close"),
        # With priority, so that keys typed right after them go to the other line.
        Binding("down,tab", "step(1)", "Next line", priority=True),
        Binding("up,shift+tab", "step(-1)", "Previous line", priority=True),
        Binding("ctrl+t", "attempt", "Try"),
    ]
    DEFAULT_CSS = """
    FormScreen { align: center middle; background: $background 60%; }
    FormScreen VerticalScroll {
        width: 76; max-width: 100%; height: auto; max-height: 100%;
        background: $background; border: round $accent; padding: 0 1; scrollbar-size-vertical: 1;
    }
    FormScreen Label { color: $muted; }
    FormScreen Input { height: 1; padding: 0; background: $panel; }
    FormScreen Input, FormScreen Input:focus { border: none; }
    FormScreen Input:focus { background: $cursor-line; }
    FormScreen Static { height: auto; }
    FormScreen #told.wrong { color: $error; }
    FormScreen #hints { color: $muted; }
    """

    def __init__(
        self, title: str, fields: Sequence[Field], save: Work, *, attempt: Work | None = None
    ) -> None:
        """`attempt` tries the values without saving them."""
        super().__init__()
        self._title, self._fields, self._save, self._attempt = title, fields, save, attempt

    def compose(self) -> ComposeResult:
        with VerticalScroll(can_focus=False) as box:
            box.border_title = Content(safe(self._title[:200]))
            for field in self._fields:
                yield Label(field.label, markup=False)
                yield Input(field.value, placeholder=field.hint, id=field.name, select_on_focus=False)
            yield Static("", id="told", markup=False)
            tries = "  Ctrl-T try" if self._attempt else ""
            yield Static(f"Enter save{tries}  ↑ ↓ move  Esc leave", id="hints", markup=False)

    def on_mount(self) -> None:
        self.query(Input).first().focus()

    @property
    def _values(self) -> Values:
        return {field.name: self.query_one(f"#{field.name}", Input).value.strip() for field in self._fields}

    def action_step(self, by: int) -> None:
        (self.focus_next if by > 0 else self.focus_previous)(Input)

    async def on_input_submitted(self) -> None:
        if (said := await self._run(self._save)) is not None:
            self.dismiss(said)

    async def action_attempt(self) -> None:
        if self._attempt and (said := await self._run(self._attempt)) is not None:
            self._tell(said, is_wrong=False)

    async def _run(self, work: Work) -> str | None:
        try:
            return await work(self._values)
        except InfoRadarError as fault:
            self._tell(safe(fault), is_wrong=True)
            return None

    def _tell(self, text: str, *, is_wrong: bool) -> None:
        told = self.query_one("#told", Static)
        told.set_class(is_wrong, "wrong")
        told.update(text)

    def action_cancel(self) -> None:
        self.dismiss(None)
