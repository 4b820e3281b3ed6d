"""Saved searches: open, add, edit and delete them. The page and reader apps show the same ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.binding import Binding
from textual.content import Content

from inforadar.actions.people.accounts import drop_search, keep_search
from inforadar.store.people.queries import load_searches
from inforadar.tui.cells import fit
from inforadar.tui.list.view import View
from inforadar.tui.screens.base import COMMON
from inforadar.tui.screens.entries import EntriesScreen
from inforadar.tui.screens.form import Field, FormScreen, Values
from inforadar.tui.session import Session
from inforadar.tui.text import safe
from inforadar.tui.widgets.line import hint

SavedSearch = tuple[str, str]
"""(name, words)."""

HINTS = (
    *hint("Enter", "open", "open"),
    *hint("a", "add", "add"),
    *hint("e", "edit", "edit"),
    *hint("x", "delete", "delete"),
    *hint("Esc", "back", "back"),
    *hint("?", "help", "help"),
)


class SearchesScreen(EntriesScreen[SavedSearch]):
    HELP = "Saved searches"
    KEYS = "searches"
    HINTS = HINTS
    EMPTY = "No saved searches yet. a adds one, and so does :save NAME while a search is shown."
    BINDINGS: ClassVar = [
        Binding("j,down", "move(1)", "Next search"),
        Binding("k,up", "move(-1)", "Previous search"),
        Binding("g,home", "edge('top')", "To the first search"),
        Binding("G,end", "edge('bottom')", "To the last search"),
        Binding("enter,l,right", "open", "Show what it finds"),
        Binding("a", "add", "Add a search"),
        Binding("e", "edit", "Edit the search"),
        Binding("x,delete", "delete", "Delete the search"),
        Binding("u", "undo", "Undo the last change"),
        Binding("R,ctrl+l", "reload", "Reload"),
        Binding("escape,backspace,h,left,B", "back", "Back to the articles"),
        *COMMON,
    ]

    def __init__(self, session: Session, *, open_list: Callable[[View], None], query: str = "") -> None:
        """`open_list` shows the articles of a view; `query` is the search that is shown now."""
        super().__init__(session)
        self._open_list, self._query = open_list, query

    async def load(self) -> None:
        found = await self.session.database.read(load_searches, await self.session.person_id())
        self.show(list(found.items()))

    @property
    def resting(self) -> str:
        return (
            f"{len(self.entries):,} {'search' if len(self.entries) == 1 else 'searches'}"
            if self.entries
            else ""
        )

    def line_of(self, entry: SavedSearch) -> Content:
        name = fit(safe(entry[0]), min(28, self.line_cells // 2))
        return Content.assemble(
            (name, "bold"), (f"  {fit(safe(entry[1]), self.line_cells - len(name) - 2)}", "$muted")
        )

    async def action_open(self) -> None:
        if entry := self.current:
            self._open_list(View(query=entry[1]))

    async def action_add(self) -> None:
        await self._ask(("", self._query), "Save a search")

    async def action_edit(self) -> None:
        if entry := self.current:
            await self._ask(entry, "Edit the search")

    async def _ask(self, before: SavedSearch, title: str) -> None:
        database, person_id = self.session.database, await self.session.person_id()

        async def save(values: Values) -> str:
            await keep_search(database, person_id, values["name"], values["words"])
            if before[0] and before[0] != values["name"]:
                await drop_search(database, person_id, before[0])
            return f"Saved the search {safe(values['name'])}."

        async def saved(sentence: str | None) -> None:
            if sentence:
                await self.load()
                self.say(sentence)

        fields = [
            Field(name="name", label="Name", value=before[0]),
            Field(
                name="words",
                label='Search: words, "phrases", source:Habr, topic:python, score:>0.6',
                value=before[1],
            ),
        ]
        await self.app.push_screen(FormScreen(title, fields, save), saved)

    async def action_delete(self) -> None:
        if entry := self.current:
            name, words = entry
            database, person_id = self.session.database, await self.session.person_id()
            await drop_search(database, person_id, name)
            self.session.undo.add(
                f"The search {safe(name)} is back.", lambda: keep_search(database, person_id, name, words)
            )
            await self.load()
            self.say(f"Deleted the search {safe(name)}. u brings it back.")
