"""The paged list of articles: loading, showing and moving. The keys and what they do are in `articles`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from textual import on
from textual.app import ComposeResult

from inforadar.model.ids import ItemId
from inforadar.store.feeds.labels import load_labels
from inforadar.store.feeds.queries import load_broken_count
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.one_row import count_items
from inforadar.store.people.marks import NO_MARKS
from inforadar.tui.list.columns import Row, make_row
from inforadar.tui.list.page import Page, load_page
from inforadar.tui.list.unread import find_unread, next_unread_feed
from inforadar.tui.list.view import Show, View
from inforadar.tui.screens.base import RadarScreen
from inforadar.tui.session import Session
from inforadar.tui.widgets.item_table import ItemTable
from inforadar.tui.widgets.line import Line, hint
from inforadar.views.feed_health import broken_words

HINTS = (
    *hint("f", "fetch", "app.fetch"),
    *hint("F", "feeds", "app.feeds"),
)
LAST_HINTS = hint("?", "help", "help")


class ArticleListScreen(RadarScreen):
    """A list of articles, one page at a time, as many as fit."""

    def __init__(
        self,
        session: Session,
        view: View,
        *,
        read: Callable[[Row], Awaitable[None]],
        when_shown: Callable[[], None],
    ) -> None:
        """`read` opens the article of a row; `when_shown` is called each time a page is displayed."""
        super().__init__(session)
        self.view = view
        self._read, self._when_shown = read, when_shown
        self._offset = 0
        """The offset of the page that is shown or being loaded."""
        self._page: Page | None = None
        self._cursors: dict[int, str] = {}
        """{offset: cursor of the page that starts there}, for pages reached so far."""
        self._total: int | None = None
        self._opened_at = session.now()
        """When the list was last loaded from its beginning. What is read later stays in the list of unread items."""
        self._left: set[ItemId] = set()
        """Items of the page that have left the list since it was loaded, so that the next page starts sooner."""
        self._broken = 0
        self._worker = "off"
        """The state of the worker in the app, in a word or two."""
        self._said = ""

    def compose(self) -> ComposeResult:
        yield Line(id="title", left_first=False)
        yield ItemTable()
        yield Line(id="status")

    @property
    def table(self) -> ItemTable:
        return self.query_one(ItemTable)

    # Showing

    def change_view(self, view: View) -> None:
        """Show another list from its beginning."""
        self.view = view
        self.table.cursor = 0
        self.table.selected.clear()
        self.reload()
        if view.query:
            self.begin(self._index(view), group="index", exclusive=True)

    async def _index(self, view: View) -> None:
        """Index items that no worker has indexed yet, then reload the results."""
        from inforadar.pipeline.search_index import SearchIndexer  # noqa: PLC0415

        if await SearchIndexer(database=self.session.database).run_once() and self.view == view:
            self.reload(self._offset)

    def reload(self, offset: int = 0) -> None:
        """Load the page again, with a new count."""
        self._cursors.clear()
        self._total = None
        if not offset:
            self._opened_at = self.session.now()
        self.load(offset)

    def load(self, offset: int, *, cursor_at: int | None = None) -> None:
        """Show the page at `offset`; a load in progress is cancelled."""
        self._offset = offset
        self.begin(self._load(offset, cursor_at), group="page", exclusive=True)

    async def _load(self, offset: int, cursor_at: int | None = None) -> None:
        view, limit = self.view, self.table.room
        page = await load_page(
            self.session.database,
            view,
            await self._filter(view),
            limit=limit,
            offset=offset,
            cursor=self._cursors.get(offset),
        )
        if not page.items and offset:
            # The list has become shorter in the meantime.
            await self._load(max(0, offset - limit), cursor_at)
            return
        if page.next:
            self._cursors[offset + len(page.items)] = page.next
        self._page, self._offset = page, offset
        self._left.clear()
        if cursor_at is not None:
            self.table.cursor = cursor_at
        now, visited_at = self.session.now(), self.session.memory.visited_at
        rows = [
            make_row(item, page.marks.get(item.hash, NO_MARKS), number, now=now, visited_at=visited_at)
            for number, item in enumerate(page.items, offset + 1)
        ]
        self.table.show(rows, view.sort, descending=view.descending, message=self._why_nothing())
        self._show_lines()
        self._when_shown()
        if self._total is None:
            self.begin(self._count(view), group="count", exclusive=True)

    async def _filter(self, view: View) -> ItemFilter:
        return replace(view.filter, person_id=await self.session.person_id(), unread_at=self._opened_at)

    async def _count(self, view: View) -> None:
        self._total = await self.session.database.read(count_items, await self._filter(view))
        self._broken = await self.session.database.read(load_broken_count)
        self._show_lines()
        self.session.labels = await self.session.database.read(load_labels)

    def _show_lines(self) -> None:
        need = broken_words(self._broken) if self._broken else ""
        selected = f"{len(self.table.selected)} selected" if self.table.selected else ""
        words = " · ".join(part for part in (selected, self.view.title_words) if part)
        self.show_title("Articles", words, need)
        hints = (*HINTS, *hint("W", f"worker {self._worker}", "app.toggle_worker"), *LAST_HINTS)
        self.show_status(self._said, hints, self._where())

    def show_worker(self, words: str) -> None:
        if words != self._worker:
            self._worker = words
            self._show_lines()

    def _where(self) -> str:
        """Describe the position: `1–20 of 412 · by date ↓ · unread`."""
        shown = len(self._page.items) if self._page else 0
        total = f" of {self._total:,}" if self._total is not None else ""
        numbers = f"{self._offset + 1:,}–{self._offset + shown:,}{total}" if shown else "Nothing"
        return f"{numbers} · {self.view.order_words}"

    def _why_nothing(self) -> str:
        view = self.view
        if view.query:
            return "Nothing has these words. Esc clears the search."
        if view.show is not Show.ALL:
            return f"Nothing {view.show.value} here. v shows others."
        if view.is_filtered:
            return "Nothing here with these filters. Esc clears them, f fetches."
        return "No articles yet. f fetches them."

    def say(self, sentence: str) -> None:
        """Show a sentence in the status line until the next key."""
        self._said = sentence
        self._show_lines()

    def on_key(self) -> None:
        if self._said:
            self.say("")

    @on(ItemTable.RoomChanged)
    def fit_page(self) -> None:
        """Reload for the new height, keeping the item under the cursor visible."""
        at, room = self._offset + self.table.cursor, self.table.room
        self._cursors.clear()
        self.load(at // room * room, cursor_at=at % room)

    # Moving

    @on(ItemTable.Moved)
    def wheel(self, event: ItemTable.Moved) -> None:
        self.action_move(event.by)

    def action_move(self, by: int) -> None:
        index = self.table.cursor + by
        shown = len(self._page.items) if self._page else 0
        if 0 <= index < shown:
            self.table.move_to(index)
        else:
            self._turn(by, cursor_at=0 if by > 0 else self.table.room - 1)

    def action_turn(self, by: int) -> None:
        self._turn(by, cursor_at=0)

    def _turn(self, by: int, *, cursor_at: int) -> None:
        offset = self._neighbour(by)
        if offset is not None:
            self.load(offset, cursor_at=cursor_at)

    def _neighbour(self, by: int) -> int | None:
        """Return the offset of the next or previous page; `None` if there is none."""
        if by < 0:
            return max(0, self._offset + by * self.table.room) if self._offset else None
        left = len(self._left)
        offset = self._offset + self.table.room - left
        is_there = offset in self._cursors or (self._total is not None and offset < self._total - left)
        return offset if is_there else None

    async def step(self, by: int) -> Row | None:
        """Move to the next or previous article, across pages, and return it."""
        index = self.table.cursor + by
        if self._page and 0 <= index < len(self._page.items):
            self.table.move_to(index)
            return self.table.current
        offset = self._neighbour(by)
        if offset is None:
            return None
        await self._load(offset, 0 if by > 0 else self.table.room - 1)
        return self.table.current

    def action_first(self) -> None:
        self.load(0, cursor_at=0)

    def action_last(self) -> None:
        if self._total:
            last = (self._total - 1) // self.table.room * self.table.room
            self.load(last, cursor_at=self._total - 1 - last)

    async def next_unread(self) -> Row | None:
        """Move to the next unread article: below, else from the top, else of the next feed that has one."""
        database, start = self.session.database, self._offset + self.table.cursor
        wanted = await self._filter(self.view)
        place = await find_unread(database, self.view, wanted, start + 1)
        if place is None and start:
            place = await find_unread(database, self.view, wanted, 0)
        if place is None and self.view.feed:
            feed = await next_unread_feed(database, await self.session.person_id(), self.view.feed.id)
            if feed is None:
                return None
            self.view = replace(self.view, feed=feed)
            self._cursors.clear()
            self._total = None
            self._opened_at = self.session.now()
            place = await find_unread(database, self.view, await self._filter(self.view), 0)
        if place is None:
            return None
        room = self.table.room
        await self._load(place // room * room, place % room)
        return self.table.current

    def row_changed(self, row: Row) -> None:
        if self._page and any(item.id == row.item.id for item in self._page.items):
            (self._left.discard if self.view.has(row.marks) else self._left.add)(row.item.id)
        self.table.replace(row)
