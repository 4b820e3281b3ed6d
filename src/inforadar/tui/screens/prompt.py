"""The input line at the bottom: a command after `:`, words after `/`, a URL, a file.

Textual provides the editing keys; this adds history, completion, and an error message above the line, so that the
line can be corrected.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from inforadar.errors import InfoRadarError

Check = Callable[[str], object]
"""Raises an error with a sentence if the line is invalid; the result is ignored."""


class PromptScreen(ModalScreen[str | None]):
    """Returns the line, or `None` if cancelled."""

    BINDINGS: ClassVar = [
        Binding("escape,ctrl+c", "cancel", "Close"),
        Binding("up,ctrl+p", "older", "Earlier line"),
        Binding("down,ctrl+n", "newer", "Later line"),
        Binding("tab", "complete", "Complete"),
    ]
    DEFAULT_CSS = """
    PromptScreen { background: transparent; align: left bottom; }
    PromptScreen #wrong { color: $error; background: $panel; padding: 0 1; height: auto; display: none; }
    PromptScreen #wrong.shown { display: block; }
    PromptScreen Horizontal { height: 1; background: $panel; }
    PromptScreen #sign { width: auto; color: $accent; padding: 0 0 0 1; }
    PromptScreen Input { height: 1; padding: 0; background: $panel; width: 1fr; }
    PromptScreen Input, PromptScreen Input:focus { border: none; }
    """

    def __init__(
        self,
        sign: str,
        text: str = "",
        *,
        history: Sequence[str] = (),
        check: Check | None = None,
        complete: Callable[[str], str] | None = None,
    ) -> None:
        super().__init__()
        self._sign, self._text = sign, text
        self._lines = [*history, text]
        self._at = len(self._lines) - 1
        self._check, self._complete = check, complete

    def compose(self) -> ComposeResult:
        yield Static("", id="wrong", markup=False)
        with Horizontal():
            yield Static(self._sign, id="sign", markup=False)
            yield Input(self._text, select_on_focus=False)

    @property
    def _input(self) -> Input:
        return self.query_one(Input)

    def on_input_changed(self) -> None:
        self.query_one("#wrong").remove_class("shown")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        line = event.value.strip()
        try:
            if line and self._check:
                self._check(line)
        except InfoRadarError as fault:
            wrong = self.query_one("#wrong", Static)
            wrong.update(str(fault))
            wrong.add_class("shown")
            return
        self.dismiss(line)

    def action_cancel(self) -> None:
        self.dismiss(None)

    def action_older(self) -> None:
        self._go(self._at - 1)

    def action_newer(self) -> None:
        self._go(self._at + 1)

    def _go(self, index: int) -> None:
        if 0 <= index < len(self._lines):
            self._lines[self._at] = self._input.value
            self._at = index
            self._put(self._lines[index])

    def action_complete(self) -> None:
        if self._complete:
            self._put(self._complete(self._input.value))

    def _put(self, text: str) -> None:
        self._input.value = text
        self._input.cursor_position = len(text)
