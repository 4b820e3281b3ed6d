"""The list of articles: paged, sorted, and filtered by source, topic, words and marks (A14, A15)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import ClassVar
from uuid import UUID

from textual import on
from textual.binding import Binding

from inforadar.actions.mark import mark_list, undo_mark_list
from inforadar.model.ids import ItemId
from inforadar.store.items.item_filter import ListPlace
from inforadar.store.items.order import SortKey
from inforadar.texts import counted
from inforadar.tui.commands.parse import starts_descending
from inforadar.tui.list.columns import Row
from inforadar.tui.list.mark_words import MARK_WORDS
from inforadar.tui.list.marks import toggled
from inforadar.tui.list.view import Show
from inforadar.tui.screens.article_list import ArticleListScreen
from inforadar.tui.screens.base import COMMON
from inforadar.tui.widgets.item_table import ItemTable

MAX_OPEN = 20
"""Articles that are opened in the browser at once."""
EVERYTHING = ListPlace(published_at=datetime.max.replace(tzinfo=UTC), item_id=ItemId(UUID(int=2**128 - 1)))
"""The place before the first article of any list."""


class ArticlesScreen(ArticleListScreen):
    HELP = "Articles"
    KEYS = "articles"
    BINDINGS: ClassVar = [
        Binding("j,down", "move(1)", "Next article"),
        Binding("k,up", "move(-1)", "Previous article"),
        Binding("space,pagedown,l,right", "turn(1)", "Next page"),
        Binding("b,pageup,h,left", "turn(-1)", "Previous page"),
        Binding("g,home", "first", "First page"),
        Binding("G,end", "last", "Last page"),
        Binding("enter", "read", "Read the article"),
        Binding("x", "select", "Select it for the next action, or not"),
        Binding("o", "browse", "Open it, or all selected ones, in the browser"),
        Binding("vertical_line", "pipe", "Pipe it, or all selected ones, to a command"),
        Binding("m", "mark('read')", "Mark as read or unread"),
        Binding("asterisk", "mark('starred')", "Toggle star"),
        Binding("a", "mark('archived')", "Archive it, or bring it back"),
        Binding("C", "mark_all", "Mark all of the list as read"),
        Binding("u", "undo", "Undo the last change"),
        Binding("N", "next_unread", "Next unread article, also of the next feed"),
        Binding("S", "app.stories", "Stories: each event once"),
        Binding("F", "app.feeds", "All feeds"),
        Binding("exclamation_mark", "app.unwell", "The feeds that need you"),
        Binding("A", "app.alerts", "Alerts"),
        Binding("L", "app.rules", "Rules"),
        Binding("B", "app.searches", "Saved searches"),
        Binding("f", "app.fetch", "Fetch, with these filters"),
        Binding("W", "app.toggle_worker", "Start or stop the worker inside the app"),
        Binding("s", "app.sources", "Choose sources"),
        Binding("t", "app.topics", "Choose topics"),
        Binding("slash", "app.find", "Find words"),
        Binding("v", "next_show", "All, unread, starred, archived"),
        Binding("greater_than_sign", "next_sort(1)", "Sort by the next column"),
        Binding("less_than_sign", "next_sort(-1)", "Sort by the previous column"),
        Binding("r", "reverse", "Reverse the order"),
        Binding("escape", "clear", "Clear selection, search and filters"),
        Binding("R,ctrl+l", "reload", "Reload"),
        *COMMON,
    ]

    # The article under the cursor

    @on(ItemTable.Opened)
    async def action_read(self) -> None:
        if row := self.table.current:
            await self._read(row)

    def action_select(self) -> None:
        self.table.select()
        self.action_move(1)
        self._show_lines()

    def _deselect(self) -> None:
        self.table.selected.clear()
        self.table.refresh()
        self._show_lines()

    async def action_browse(self) -> None:
        rows = self.table.chosen[:MAX_OPEN]
        for row in rows:
            self.say(await self.open_in_browser(row.item.address))
        if len(rows) > 1:
            self._deselect()
            self.say(f"Opened {len(rows)} articles in the browser.")

    async def action_pipe(self) -> None:
        await self.pipe([row.item for row in self.table.chosen], then=self._deselect)

    def action_mark(self, name: str) -> None:
        if rows := self.table.chosen:
            changed = [toggled(row, name, self.session.now()) for row in rows]
            # Several are set, unless all of them are.
            is_set = any(one_is_set for _, one_is_set in changed)
            rows = [row for row, one_is_set in changed if one_is_set is is_set]
            for row in rows:
                self.row_changed(row)
            self.begin(self._save_marks(rows, name, is_set=is_set), group="marks")

    async def _save_marks(self, rows: Sequence[Row], name: str, *, is_set: bool) -> None:
        await self.session.save_marks([row.item.url for row in rows], name, is_set=is_set)
        self._deselect()
        if name == "archived":
            self.reload(self._offset)
        number = f"{len(rows)} articles: " if len(rows) > 1 else ""
        self.say(f"{number}{MARK_WORDS[name][is_set]}")

    def action_mark_all(self) -> None:
        self.begin(self._mark_all(), group="marks")

    async def _mark_all(self) -> None:
        database, at = self.session.database, self.session.now()
        wanted = await self._filter(self.view)
        number = await mark_list(database, wanted, EVERYTHING, self._opened_at, at)
        person_id = await self.session.person_id()
        if number:
            self.session.undo.add("They are unread again.", lambda: undo_mark_list(database, person_id, at))
        self.reload(self._offset)
        self.say(
            f"Marked {counted(number, 'article')} as read. u undoes." if number else "Nothing here is unread."
        )

    async def action_undo(self) -> None:
        sentence = await self.session.undo.undo()
        self.reload(self._offset)
        self.say(sentence)

    async def action_next_unread(self) -> None:
        if await self.next_unread() is None:
            self.say("Nothing unread is left.")

    # Another list

    def action_next_show(self) -> None:
        shows = list(Show)
        following = shows[(shows.index(self.view.show) + 1) % len(shows)]
        self.change_view(replace(self.view, show=following))

    def action_next_sort(self, by: int) -> None:
        keys = list(SortKey)
        self._sort_by(keys[(keys.index(self.view.sort) + by) % len(keys)])

    @on(ItemTable.SortAsked)
    def sort_asked(self, event: ItemTable.SortAsked) -> None:
        if event.sort is self.view.sort:
            self.action_reverse()
        else:
            self._sort_by(event.sort)

    def _sort_by(self, sort: SortKey) -> None:
        self.change_view(replace(self.view, sort=sort, descending=starts_descending(sort)))

    def action_reverse(self) -> None:
        self.change_view(replace(self.view, descending=not self.view.descending))

    def action_clear(self) -> None:
        """Clear the selection; without one the search; without that all filters."""
        if self.table.selected:
            self._deselect()
        elif self.view.query:
            self.change_view(replace(self.view, query=None))
        elif self.view.is_filtered or self.view.show is not Show.ALL:
            self.change_view(replace(self.view, sources=(), topics=(), feed=None, show=Show.ALL))

    def action_reload(self) -> None:
        self.reload(self._offset)
