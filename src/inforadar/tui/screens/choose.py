"""Choose several sources or topics, narrowed by typing part of the name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static

from inforadar.tui.cells import fit
from inforadar.tui.list.choices import Choice
from inforadar.tui.screens.help import HelpScreen
from inforadar.tui.text import safe

WIDTH = 64


class NameList(OptionList, inherit_bindings=False):
    """A list without a binding for Enter, which the screen handles.

    A priority binding on the screen would overtake earlier keys.
    """

    BINDINGS: ClassVar = [
        Binding("down", "cursor_down", show=False),
        Binding("up", "cursor_up", show=False),
        Binding("pagedown", "page_down", show=False),
        Binding("pageup", "page_up", show=False),
        Binding("home", "first", show=False),
        Binding("end", "last", show=False),
    ]


class ChooseScreen(ModalScreen[tuple[str, ...] | None]):
    """Returns the chosen names, or `None` if cancelled."""

    BINDINGS: ClassVar = [
        Binding("j", "move('down')", "Down"),
        Binding("k", "move('up')", "Up"),
        Binding("space,x", "choose", "Choose, or not"),
        Binding("a", "all", "All of them, or none"),
        Binding("slash", "narrow", "Narrow by name"),
        Binding("enter", "apply", "Apply"),
        Binding("escape", "cancel", "Leave as it was"),
        Binding("question_mark", "help", "Help"),
    ]
    DEFAULT_CSS = """
    ChooseScreen { align: center middle; background: $background 60%; }
    ChooseScreen Vertical {
        width: 64; max-width: 100%; height: auto; max-height: 100%;
        background: $background; border: round $accent; padding: 0 1;
    }
    ChooseScreen OptionList { height: auto; max-height: 100vh; padding: 0; scrollbar-size-vertical: 1; }
    ChooseScreen OptionList, ChooseScreen OptionList:focus { border: none; background: $background; }
    ChooseScreen Input { height: 1; padding: 0; background: $panel; display: none; }
    ChooseScreen Input, ChooseScreen Input:focus { border: none; }
    ChooseScreen Input.shown { display: block; }
    ChooseScreen #hints { color: $muted; height: 1; }
    """

    def __init__(self, title: str, choices: Sequence[Choice], chosen: Sequence[str]) -> None:
        super().__init__()
        self._title, self._choices = title, choices
        folded = {name.casefold() for name in chosen}
        self._chosen = {choice.name for choice in choices if choice.name.casefold() in folded}
        self._shown: list[Choice] = []
        self._part = ""
        """The typed part of the name."""

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = Content(safe(self._title[:200]))
            yield Input(placeholder="part of a name")
            yield NameList()
            yield Static(
                "Space mark  a all  / narrow  Enter apply  Esc leave  ? help", id="hints", markup=False
            )

    def on_mount(self) -> None:
        self._show("")
        self._list.focus()

    @property
    def _list(self) -> NameList:
        return self.query_one(NameList)

    def _show(self, part: str) -> None:
        self._part = part
        self._shown = [choice for choice in self._choices if part.casefold() in choice.name.casefold()]
        self._list.clear_options()
        self._list.add_options(Content(self._line(choice)) for choice in self._shown)
        self._list.highlighted = 0 if self._shown else None

    def _line(self, choice: Choice) -> str:
        box = "[x]" if choice.name in self._chosen else "[ ]"
        # Six cells are borders, padding and the scroll bar.
        width = min(WIDTH, self.app.size.width) - 6
        note = safe(choice.note[:100])
        return f"{box} {fit(safe(choice.name[:500]), max(10, width - len(note) - 6))}  {note}"

    def on_input_changed(self, event: Input.Changed) -> None:
        # An input also sends this event when it is created.
        if event.value != self._part:
            self._show(event.value)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Toggle the clicked name."""
        self._toggle(event.option_index)

    def _toggle(self, index: int) -> None:
        choice = self._shown[index]
        self._chosen ^= {choice.name}
        self._list.replace_option_prompt_at_index(index, Content(self._line(choice)))

    def action_choose(self) -> None:
        if self._list.highlighted is not None:
            self._toggle(self._list.highlighted)

    def action_move(self, where: str) -> None:
        if where == "down":
            self._list.action_cursor_down()
        else:
            self._list.action_cursor_up()

    def action_all(self) -> None:
        """Select all shown names, or none if all are selected."""
        shown = {choice.name for choice in self._shown}
        self._chosen = self._chosen - shown if shown <= self._chosen else self._chosen | shown
        self._show(self._part)

    def action_narrow(self) -> None:
        box = self.query_one(Input)
        box.add_class("shown")
        box.focus()

    async def action_help(self) -> None:
        await self.app.push_screen(HelpScreen("Choosing", type(self)))

    def on_input_submitted(self) -> None:
        """Move the focus back to the names on Enter."""
        self._list.focus()

    def action_apply(self) -> None:
        self.dismiss(tuple(choice.name for choice in self._choices if choice.name in self._chosen))

    def action_cancel(self) -> None:
        self.dismiss(None)
