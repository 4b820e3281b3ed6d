"""The base of screens with one list of entries: feeds, alerts, rules, saved searches."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import OptionList, Static

from inforadar.tui.screens.base import RadarScreen
from inforadar.tui.session import Session
from inforadar.tui.widgets.line import Line, Span

T = TypeVar("T")


class EntriesScreen(RadarScreen, Generic[T]):
    """Shows entries with a cursor; below the list, what there is to say about the one under the cursor."""

    HINTS: ClassVar[tuple[Span, ...]] = ()
    EMPTY: ClassVar = ""
    """The sentence for an empty list."""
    DEFAULT_CSS = """
    EntriesScreen OptionList { height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; }
    EntriesScreen OptionList, EntriesScreen OptionList:focus { border: none; background: $background; }
    EntriesScreen #detail { height: auto; max-height: 5; padding: 0 2; color: $muted; }
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.entries: list[T] = []
        self._said = ""

    def compose(self) -> ComposeResult:
        yield Line(id="title", left_first=False)
        yield OptionList()
        yield Static(id="detail", markup=False)
        yield Line(id="status")

    def on_mount(self) -> None:
        self.show_title(self.HELP, "")
        self.say("")
        self.action_reload()

    def action_reload(self) -> None:
        self.begin(self.load(), group="entries", exclusive=True)

    @abstractmethod
    async def load(self) -> None:
        """Load the entries and pass them to `show`."""

    @abstractmethod
    def line_of(self, entry: T) -> Content:
        """The entry in the list. All text must be safe."""

    def detail_of(self, entry: T) -> Content:
        """More about the entry under the cursor."""
        del entry
        return Content("")

    @property
    def resting(self) -> str:
        """The text of the status line."""
        return ""

    @property
    def list(self) -> OptionList:
        return self.query_one(OptionList)

    @property
    def current(self) -> T | None:
        at = self.list.highlighted
        return self.entries[at] if at is not None and at < len(self.entries) else None

    @property
    def line_cells(self) -> int:
        """Cells of a line: padding and the scroll bar take the rest."""
        return max(20, self.app.size.width - 5)

    def show(self, entries: Sequence[T]) -> None:
        """Show the entries; the cursor stays at its line."""
        at = self.list.highlighted or 0
        self.entries = [*entries]
        self.list.clear_options()
        self.list.add_options(self.line_of(entry) for entry in self.entries)
        self.list.highlighted = min(at, len(self.entries) - 1) if self.entries else None
        self._show_detail()
        self.say(self._said or ("" if self.entries else self.EMPTY))

    def on_resize(self) -> None:
        if self.entries:
            self.show(self.entries)

    @on(OptionList.OptionHighlighted)
    def _show_detail(self) -> None:
        entry = self.current
        self.query_one("#detail", Static).update(self.detail_of(entry) if entry is not None else "")

    def say(self, sentence: str) -> None:
        self._said = sentence
        self.show_status(sentence, self.HINTS, self.resting)

    def on_key(self) -> None:
        if self._said and self.entries:
            self.say("")

    @on(OptionList.OptionSelected)
    async def _clicked(self) -> None:
        await self.run_action("open")

    def action_move(self, by: int) -> None:
        if (at := self.list.highlighted) is not None:
            self.list.highlighted = max(0, min(at + by, len(self.entries) - 1))

    def action_edge(self, where: str) -> None:
        if self.entries:
            self.list.highlighted = 0 if where == "top" else len(self.entries) - 1

    async def action_open(self) -> None:
        """Open the entry under the cursor; by default there is nothing to open."""

    async def action_undo(self) -> None:
        sentence = await self.session.undo.undo()
        await self.load()
        self.say(sentence)

    def action_back(self) -> None:
        self.dismiss()
