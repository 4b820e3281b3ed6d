"""All feeds by topic: unread items, health, next run; add, edit, pause, delete, fetch, and open the articles of one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

from textual.binding import Binding
from textual.content import Content

from inforadar.actions.delete import delete_feed
from inforadar.actions.edit import edit_live
from inforadar.actions.restore import restore_feed
from inforadar.actions.switch import switch_feed, sync_feed
from inforadar.errors import UsageError
from inforadar.masks import masked
from inforadar.model.feed import Feed
from inforadar.model.ids import FeedId
from inforadar.model.subscription import FeedChanges
from inforadar.store.feeds.queries import load_broken_feeds, load_feeds
from inforadar.store.people.unread import load_unread_feeds
from inforadar.texts import counted
from inforadar.tui.list.feed_rows import FeedRow, Row, TopicRow, make_rows, row_line
from inforadar.tui.list.view import ChosenFeed, View
from inforadar.tui.screens.base import COMMON
from inforadar.tui.screens.entries import EntriesScreen
from inforadar.tui.screens.form import Field, FormScreen, Values
from inforadar.tui.session import Session
from inforadar.tui.text import safe
from inforadar.tui.widgets.line import hint
from inforadar.views.feed_health import IN_APP, HealthState, feed_health

HINTS = (
    *hint("Enter", "open", "open"),
    *hint("f", "fetch", "fetch"),
    *hint("a", "add", "app.ask_for_feed"),
    *hint("e", "edit", "edit"),
    *hint("p", "pause", "pause"),
    *hint("x", "delete", "delete"),
    *hint("?", "help", "help"),
)


class FeedsScreen(EntriesScreen[Row]):
    HELP = "Feeds"
    KEYS = "feeds"
    HINTS = HINTS
    BINDINGS: ClassVar = [
        Binding("j,down", "move(1)", "Next feed"),
        Binding("k,up", "move(-1)", "Previous feed"),
        Binding("g,home", "edge('top')", "To the first feed"),
        Binding("G,end", "edge('bottom')", "To the last feed"),
        Binding("enter,l,right", "open", "Open the articles of the feed or the topic"),
        Binding("space", "fold", "Fold or unfold the topic"),
        Binding("f", "fetch", "Fetch the feed or the topic now"),
        Binding("a", "app.ask_for_feed", "Add a feed"),
        Binding("e", "edit", "Edit the feed: URL, title, source, topic"),
        Binding("p", "pause", "Pause the feed, or resume it"),
        Binding("x,delete", "delete", "Delete the feed"),
        Binding("u", "undo", "Undo the last change"),
        Binding("r", "revive", "Revive the feed: it is due at once"),
        Binding("o", "browse", "Open the feed's site in the browser"),
        Binding("exclamation_mark", "only_unwell", "Only feeds that need you, or all"),
        Binding("R,ctrl+l", "reload", "Reload"),
        Binding("escape,backspace,h,left,F", "back", "Back to the articles"),
        *COMMON,
    ]

    def __init__(
        self,
        session: Session,
        *,
        only_unwell: bool = False,
        open_list: Callable[[View], None],
        fetch: Callable[[View], Awaitable[None]],
    ) -> None:
        """`open_list` shows the articles of a view; `fetch` fetches its feeds and shows the progress."""
        super().__init__(session)
        self._only_unwell = only_unwell
        self._open_list, self._fetch = open_list, fetch
        self._folded: set[str] = set()
        self._feeds: list[Feed] = []
        self._unread: dict[FeedId, int] = {}

    async def load(self) -> None:
        database = self.session.database
        self._feeds = await database.read(load_broken_feeds if self._only_unwell else load_feeds)
        self._unread = {
            one.feed_id: one.unread
            for one in await database.read(load_unread_feeds, await self.session.person_id())
        }
        self.show_title("Feeds that need you" if self._only_unwell else "Feeds", "")
        is_first, under_cursor = not self.entries, self.current
        self.show(make_rows(self._feeds, self._unread, self._folded))
        if isinstance(under_cursor, FeedRow):
            self._move_to(under_cursor.feed.id)
        if is_first:
            self.action_move(1)  # from the first topic to its first feed
        if not self._feeds:
            self.say("No feed needs you." if self._only_unwell else "No feeds yet. a adds one.")

    def _move_to(self, feed_id: FeedId) -> None:
        """Put the cursor on a feed, wherever its new name or topic has moved it."""
        for at, row in enumerate(self.entries):
            if isinstance(row, FeedRow) and row.feed.id == feed_id:
                self.list.highlighted = at

    @property
    def resting(self) -> str:
        unread = sum(self._unread.get(feed.id, 0) for feed in self._feeds)
        return f"{counted(len(self._feeds), 'feed')} · {unread:,} unread" if self._feeds else ""

    def line_of(self, entry: Row) -> Content:
        return row_line(entry, self.session.now(), self.line_cells)

    def detail_of(self, entry: Row) -> Content:
        if isinstance(entry, TopicRow):
            return Content("")
        feed = entry.feed
        health = feed_health(feed, self.session.now(), IN_APP)
        style = "$error" if health.state is HealthState.SUSPENDED else "$muted"
        return Content.assemble(
            (safe(masked(feed.url)[:300]), "$accent"),
            (f"  {safe(feed.source[:60])}/{safe(feed.topic[:60])}\n", "$muted"),
            (safe(health.sentence[:600]), style),
        )

    @property
    def _feed(self) -> Feed | None:
        """The feed under the cursor; a topic is none, and the status line says so."""
        if isinstance(self.current, TopicRow):
            self.say("This is a topic. Choose one of its feeds.")
        return self.current.feed if isinstance(self.current, FeedRow) else None

    def _view(self) -> View | None:
        match self.current:
            case FeedRow() as row:
                return View(feed=ChosenFeed(id=row.feed.id, name=row.name))
            case TopicRow() as row:
                return View(topics=(row.topic,))
            case _:
                return None

    async def action_open(self) -> None:
        if view := self._view():
            self._open_list(view)

    async def action_fetch(self) -> None:
        if view := self._view():
            if isinstance(self.current, FeedRow) and not self.current.feed.enabled:
                raise UsageError("This feed is paused. p resumes it.")
            await self._fetch(view)

    def action_fold(self) -> None:
        row = self.current
        topic = row.topic if isinstance(row, TopicRow) else row.feed.topic if row else None
        if topic is None:
            return
        self._folded ^= {topic}
        rows = make_rows(self._feeds, self._unread, self._folded)
        self.show(rows)
        self.list.highlighted = next(
            at for at, one in enumerate(rows) if isinstance(one, TopicRow) and one.topic == topic
        )

    def action_only_unwell(self) -> None:
        self._only_unwell = not self._only_unwell
        self.action_reload()

    async def action_pause(self) -> None:
        if feed := self._feed:
            await self._switch(feed, enabled=not feed.enabled)
            database = self.session.database
            words = "Resumed again." if feed.enabled else "Paused again."
            self.session.undo.add(words, lambda: switch_feed(database, feed.id, enabled=feed.enabled))

    async def _switch(self, feed: Feed, *, enabled: bool) -> None:
        await switch_feed(self.session.database, feed.id, enabled=enabled)
        if enabled:
            await sync_feed(self.session.database, feed.id)
        await self.load()
        name = safe(feed.source[:100])
        self.say(
            f"{name} is fetched again."
            if enabled
            else f"{name} is paused: neither fetched nor shown. u undoes."
        )

    async def action_delete(self) -> None:
        if feed := self._feed:
            database = self.session.database
            await delete_feed(database, feed.id, self.session.now())
            name = safe(feed.source[:100])
            self.session.undo.add(f"{name} is back.", lambda: restore_feed(database, feed.id))
            await self.load()
            self.say(f"Deleted {name}. u brings it back.")

    async def action_revive(self) -> None:
        if feed := self._feed:
            await sync_feed(self.session.database, feed.id)
            await self.load()
            self.say(f"{safe(feed.source[:100])} is due again. f fetches it now.")

    async def action_browse(self) -> None:
        if feed := self._feed:
            self.say(safe(await self.open_in_browser(feed.site_url or feed.url)))

    async def action_edit(self) -> None:
        feed = self._feed
        if feed is None:
            return
        before = {
            "url": feed.url,
            "title": feed.options.title or "",
            "source": feed.source,
            "topic": feed.topic,
        }

        async def save(values: Values) -> str:
            changed = {name: value for name, value in values.items() if value != before[name]}
            if not changed:
                return "Nothing was changed."
            return await self._save(feed, changed)

        fields = [
            Field(name="url", label="URL", value=before["url"]),
            Field(
                name="title",
                label="Title",
                value=before["title"],
                hint=safe(feed.title or "as the feed says"),
            ),
            Field(name="source", label="Source", value=before["source"]),
            Field(name="topic", label="Topic", value=before["topic"]),
        ]

        async def saved(sentence: str | None) -> None:
            if sentence:
                await self.load()
                self.say(sentence)

        await self.app.push_screen(FormScreen(f"Edit {feed.source}", fields, save), saved)

    async def _save(self, feed: Feed, changed: Values) -> str:
        own: dict[str, Any] = {
            name: value for name, value in changed.items() if name in {"url", "source", "topic"}
        }
        options = {"title": changed["title"] or None} if "title" in changed else {}
        changes = FeedChanges(**own, options=options)
        edited = await edit_live(self.session.database, self.session.settings.fetcher, feed.id, changes)
        moved = f" It is fetched from {safe(masked(edited.feed.url))} now." if "url" in changed else ""
        gone = (
            " Its credentials are gone: they belonged to the former site."
            if edited.dropped_credentials
            else ""
        )
        return f"Saved.{moved}{gone}"
