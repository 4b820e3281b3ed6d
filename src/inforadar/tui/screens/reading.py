"""One article: metadata, scores with reasons, clean text and changes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import ClassVar

from markdown_it import MarkdownIt
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container, VerticalScroll
from textual.events import Resize
from textual.widgets import Markdown, Static

from inforadar.errors import InfoRadarError
from inforadar.model.article import Article
from inforadar.model.item import shares_its_page
from inforadar.model.revision import StoredRevision
from inforadar.store.articles.queries import load_article
from inforadar.store.items.one_row import load_shown_item
from inforadar.store.items.queries import load_item_changes
from inforadar.store.people.marks import NO_MARKS, load_marks
from inforadar.store.revisions.queries import load_revisions
from inforadar.store.stories.queries import load_story_chips
from inforadar.tui.background import run_in_thread
from inforadar.tui.list.columns import Row
from inforadar.tui.list.mark_words import MARK_WORDS
from inforadar.tui.list.marks import marked, toggled
from inforadar.tui.screens.base import COMMON, RadarScreen
from inforadar.tui.session import Session
from inforadar.tui.text import safe
from inforadar.tui.widgets.article_text import (
    History,
    analysis_part,
    article_markdown,
    changes_part,
    head,
)
from inforadar.tui.widgets.line import Line, hint
from inforadar.urls import hostname, uid
from inforadar.views.item import escape_markdown, read_item, why_no_text

WIDE = 120
"""The width in cells from which the analysis is beside the text."""

HINTS = (
    *hint("Esc", "back", "back"),
    *hint("n", "next", "step(1)"),
    *hint("p", "previous", "step(-1)"),
    *hint("o", "browser", "browse"),
    *hint("?", "help", "help"),
)


class ReadingScreen(RadarScreen):
    HELP = "Reading"
    KEYS = "reading"
    BINDINGS: ClassVar = [
        Binding("j,down", "scroll(1)", "Down"),
        Binding("k,up", "scroll(-1)", "Up"),
        Binding("space,pagedown", "scroll_page(1)", "A page down"),
        Binding("b,pageup", "scroll_page(-1)", "A page up"),
        Binding("g,home", "edge('top')", "To the top"),
        Binding("G,end", "edge('bottom')", "To the end"),
        Binding("c", "edge('changes')", "To what changed since it was published"),
        Binding("n", "step(1)", "Next article"),
        Binding("p", "step(-1)", "Previous article"),
        Binding("N", "next_unread", "Next unread article, also of the next feed"),
        Binding("S", "story", "The same event, as others tell it"),
        Binding("e", "reasons", "Reasons of the scores: in full, or a line each"),
        Binding("d", "download", "Get the text and the analysis, or look whether it changed"),
        Binding("W", "app.toggle_worker", "Start or stop the worker inside the app"),
        Binding("o", "browse", "Open it in the browser"),
        Binding("vertical_line", "pipe", "Pipe it to a command"),
        Binding("m", "mark('read')", "Mark as read or unread"),
        Binding("asterisk", "mark('starred')", "Toggle star"),
        Binding("a", "mark('archived')", "Archive it, or bring it back"),
        Binding("u", "undo", "Undo the last change"),
        Binding("escape,backspace,h,left", "back", "Back to the list"),
        *COMMON,
    ]
    DEFAULT_CSS = """
    ReadingScreen #body { height: 1fr; padding: 1 2 0 2; scrollbar-size-vertical: 1; }
    ReadingScreen #body > * { height: auto; }
    ReadingScreen #head { margin-bottom: 1; }
    ReadingScreen #parts { layout: vertical; }
    ReadingScreen #parts > * { height: auto; }
    ReadingScreen #analysis { margin-bottom: 1; }
    ReadingScreen #text { max-width: 92; padding: 0; margin: 0; background: $background; }
    ReadingScreen #changes { margin-top: 1; }
    ReadingScreen.wide #parts { layout: horizontal; }
    ReadingScreen.wide #text { width: 1fr; margin-right: 4; }
    ReadingScreen.wide #analysis { width: 46; }
    """

    def __init__(
        self,
        session: Session,
        row: Row,
        *,
        step: Callable[[int], Awaitable[Row | None]],
        row_changed: Callable[[Row], None],
        next_unread: Callable[[], Awaitable[Row | None]] | None = None,
    ) -> None:
        """`step` moves the list to the next or previous article; `row_changed` updates a row in it.

        `next_unread` moves it to the next unread article, where there is a list.
        """
        super().__init__(session)
        self._row = row
        self._step, self._row_changed, self._next_unread = step, row_changed, next_unread
        self._article: Article | None = None
        self._history: History = []
        self._revisions: list[StoredRevision] = []
        self._in_full = False
        """Whether the reasons of the scores are shown in full."""
        self._said = ""

    def compose(self) -> ComposeResult:
        yield Line(id="title", left_first=False)
        with VerticalScroll(id="body", can_focus=False):
            yield Static(id="head", markup=False)
            with Container(id="parts"):
                yield Static(id="analysis", markup=False)
                yield Markdown(
                    id="text",
                    parser_factory=lambda: MarkdownIt("js-default", {"html": False, "linkify": False}),
                    open_links=False,
                )
            yield Static(id="changes", markup=False)
        yield Line(id="status")

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, lambda _: self._show())
        self.open(self._row)

    @property
    def _body(self) -> VerticalScroll:
        return self.query_one("#body", VerticalScroll)

    # Showing

    def open(self, row: Row) -> None:
        """Show the article of this row and mark it as read."""
        self._row, self._article, self._history, self._revisions = row, None, [], []
        self.begin(self._open(), group="item", exclusive=True)

    async def _open(self) -> None:
        await self._load()
        self._body.scroll_home(animate=False)
        if self._row.marks.read_at is None:
            self._show_row(marked(self._row, "read", self.session.now()))
            self._show_lines()
            await self.session.save_mark(self._row.item.url, "read", is_set=True)

    async def _load(self) -> None:
        database, item = self.session.database, self._row.item
        self._article = await database.read(load_article, uid(item.url))
        self._history = await database.read(load_item_changes, item.id)
        if not shares_its_page(item.url):
            self._revisions = await database.read(load_revisions, uid(item.url))
        self._show()
        text = article_markdown(self._article, self._row.item)
        await self.query_one("#text", Markdown).update(text if text is not None else self._text_missing())

    def _text_missing(self) -> str:
        """The snippet from the feed, why there is no full text, and how to get it."""
        snippet = escape_markdown(safe((self._row.item.snippet or "")[:4000]))
        why = escape_markdown(safe(why_no_text(self._article, self._row.item)))
        how = "" if shares_its_page(self._row.item.url) else " **d** *gets it now, and its analysis.*"
        return f"{snippet}\n\n*{why}*{how}"

    def _show(self) -> None:
        read, colours = read_item(self._row.item), self.app.theme_variables
        wide = self.has_class("wide")
        top = head(read, self._article, colours, wide=wide, revisions=self._revisions)
        self.query_one("#head", Static).update(top)
        analysis = analysis_part(read.analysis, colours, narrow=wide, in_full=wide or self._in_full)
        self.query_one("#analysis", Static).update(analysis)
        changes = self.query_one("#changes", Static)
        changes.display = bool(self._history or self._revisions)
        changes.update(changes_part(self._history, colours, self._revisions))
        self._show_lines()

    def _show_lines(self) -> None:
        item, marks = self._row.item, self._row.marks
        words = (("starred", marks.starred_at), ("archived", marks.archived_at))
        unread = "" if marks.read_at else "unread"
        right = " · ".join([*(word for word, at in words if at), *([unread] if unread else [])])
        self.show_title(
            "Reading", " · ".join(safe(part[:100]) for part in (item.all_sources, item.all_topics)), right
        )
        self.show_status(self._said, HINTS)

    def say(self, sentence: str) -> None:
        self._said = sentence
        self._show_lines()

    def on_resize(self, event: Resize) -> None:
        wide = event.size.width >= WIDE
        if wide != self.has_class("wide"):
            self.set_class(wide, "wide")
            parts, text = self.query_one("#parts"), self.query_one("#text")
            if wide:
                parts.move_child(text, before=0)
            else:
                parts.move_child(text, after=-1)
            self._show()

    # Moving

    def action_scroll(self, by: int) -> None:
        self._body.scroll_relative(y=by, animate=False)

    def action_scroll_page(self, by: int) -> None:
        self._body.scroll_relative(y=by * (self._body.size.height - 1), animate=False)

    def action_edge(self, where: str) -> None:
        if where == "top":
            self._body.scroll_home(animate=False)
        elif where == "bottom":
            self._body.scroll_end(animate=False)
        elif (changes := self.query_one("#changes")).display:
            changes.scroll_visible(top=True, animate=False)
        else:
            self.say("Nothing has changed so far.")

    async def action_step(self, by: int) -> None:
        row = await self._step(by)
        if row is None:
            self.say("This is the last article." if by > 0 else "This is the first article.")
            return
        self._said = ""
        self.open(row)

    async def action_next_unread(self) -> None:
        row = await self._next_unread() if self._next_unread else None
        if row is None:
            self.say("Nothing unread is left.")
            return
        self._said = ""
        self.open(row)

    async def action_back(self) -> None:
        self.dismiss()

    # Doing

    async def action_story(self) -> None:
        chips = await self.session.database.read(load_story_chips, [self._row.item.id])
        if chip := chips.get(self._row.item.id):
            await self.app.run_action(f"app.story('{chip.story_id}')")
        else:
            self.say("Nobody else tells this yet.")

    def action_reasons(self) -> None:
        self._in_full = not self._in_full
        self._show()

    async def action_browse(self) -> None:
        self.say(safe(await self.open_in_browser(self._row.item.address)))

    async def on_markdown_link_clicked(self, event: Markdown.LinkClicked) -> None:
        if event.href.startswith(("http://", "https://")):
            self.say(safe(await self.open_in_browser(event.href)))

    async def action_pipe(self) -> None:
        await self.pipe([self._row.item])

    def action_mark(self, name: str) -> None:
        self.begin(self._toggle(name), group="marks")

    async def _toggle(self, name: str) -> None:
        row, is_set = toggled(self._row, name, self.session.now())
        self._show_row(row)
        self.say(MARK_WORDS[name][is_set])
        await self.session.save_marks([row.item.url], name, is_set=is_set)

    def _show_row(self, row: Row) -> None:
        self._row = row
        self._row_changed(row)

    async def action_undo(self) -> None:
        sentence = await self.session.undo.undo()
        item = self._row.item
        marks = await self.session.database.read(load_marks, await self.session.person_id(), [item.hash])
        self._show_row(replace(self._row, marks=marks.get(item.hash, NO_MARKS)))
        self.say(sentence)

    def action_download(self) -> None:
        self.begin(self._download(), group="download", exclusive=True)

    async def _download(self) -> None:
        item = self._row.item

        async def get() -> str:
            from inforadar.tui.fetch.online import get_text  # noqa: PLC0415 - in the other thread

            return await get_text(self.session.settings, item)

        where = "" if shares_its_page(item.url) else f" from {safe(hostname(item.url))}"
        self.say(f"Getting the text and the analysis{where} …")
        try:
            sentence = await run_in_thread(get)
        except InfoRadarError as fault:
            sentence = str(fault)
        fresh = await self.session.database.read(load_shown_item, item.id)
        if fresh and self._row.item.id == item.id:
            self._row = replace(self._row, item=fresh)
            await self._load()
            self.say(safe(sentence))
