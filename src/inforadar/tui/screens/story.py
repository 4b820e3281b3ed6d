"""One story: scores, who says what, its tellings and its timeline."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.events import Resize
from textual.widgets import Static

from inforadar.app.stories import load_story_view
from inforadar.model.ids import StoryId
from inforadar.store.items.one_row import load_shown_item
from inforadar.store.people.marks import NO_MARKS, load_marks
from inforadar.texts import counted
from inforadar.tui.list.columns import Row, make_row
from inforadar.tui.screens.base import COMMON, RadarScreen
from inforadar.tui.session import Session
from inforadar.tui.text import safe
from inforadar.tui.widgets.line import Line, hint
from inforadar.tui.widgets.story_text import fact_part, story_head, telling_part, timeline_part
from inforadar.views.stories import StoryView

Step = Callable[[int], Awaitable[Row | None]]
HINTS = (
    *hint("Esc", "back", "back"),
    *hint("n", "next", "step(1)"),
    *hint("Enter", "read", "read"),
    *hint("e", "sentences", "sentences"),
    *hint("?", "help", "help"),
)


class StoryScreen(RadarScreen):
    HELP = "Story"
    KEYS = "story"
    BINDINGS: ClassVar = [
        Binding("j,down", "scroll(1)", "Down"),
        Binding("k,up", "scroll(-1)", "Up"),
        Binding("space,pagedown", "scroll_page(1)", "A page down"),
        Binding("b,pageup", "scroll_page(-1)", "A page up"),
        Binding("n,tab", "step(1)", "Next telling"),
        Binding("p,shift+tab", "step(-1)", "Previous telling"),
        Binding("enter", "read", "Read this telling"),
        Binding("e", "sentences", "Show or hide the sentences behind the facts"),
        Binding("o", "browse", "Open this telling in the browser"),
        Binding("escape,backspace,h,left", "back", "Back to the stories"),
        *COMMON,
    ]
    DEFAULT_CSS = """
    StoryScreen #body { height: 1fr; padding: 1 2 0 2; scrollbar-size-vertical: 1; }
    StoryScreen #body > * { height: auto; margin-bottom: 1; }
    StoryScreen #tellings > * { height: auto; margin-bottom: 1; }
    """

    def __init__(
        self, session: Session, story: StoryId, *, read: Callable[[Row, Step], Awaitable[None]]
    ) -> None:
        """`read` opens the article of a row, with a way to the other tellings."""
        super().__init__(session)
        self._story, self._read = story, read
        self._view: StoryView | None = None
        self._at = 0
        self._with_sentences = False

    def compose(self) -> ComposeResult:
        yield Line(id="title", left_first=False)
        with VerticalScroll(id="body", can_focus=False):
            yield Static(id="head", markup=False)
            yield Static(id="facts", markup=False)
            yield Vertical(id="tellings")
            yield Static(id="timeline", markup=False)
        yield Line(id="status")

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, lambda _: self._show())
        self.say("")
        self.begin(self._load(), group="story", exclusive=True)

    async def _load(self) -> None:
        self._view = view = await load_story_view(self.session.database, self._story)
        tellings = self.query_one("#tellings", Vertical)
        await tellings.remove_children()
        await tellings.mount_all(Static(markup=False) for _ in view.story.members)
        self._show()

    def _show(self) -> None:
        if self._view is None:
            return
        story, colours, now = self._view.story, self.app.theme_variables, self.session.now()
        self.query_one("#head", Static).update(story_head(story, colours, now))
        facts = fact_part(
            self._view, colours, width=self.app.size.width - 6, with_sentences=self._with_sentences
        )
        self.query_one("#facts", Static).update(facts)
        for place, (widget, told) in enumerate(zip(self._tellings, story.members, strict=True)):
            widget.update(telling_part(told, colours, now, is_current=place == self._at))
        self.query_one("#timeline", Static).update(timeline_part(self._view.timeline, colours, now))
        self.say("")

    @property
    def _tellings(self) -> list[Static]:
        return list(self.query_one("#tellings", Vertical).query(Static))

    @property
    def _body(self) -> VerticalScroll:
        return self.query_one("#body", VerticalScroll)

    def on_resize(self, _: Resize) -> None:
        self._show()

    def say(self, sentence: str) -> None:
        number = counted(len(self._view.story.members), "telling") if self._view else ""
        self.show_title("Story", number)
        self.show_status(sentence, HINTS)

    def action_scroll(self, by: int) -> None:
        self._body.scroll_relative(y=by, animate=False)

    def action_scroll_page(self, by: int) -> None:
        self._body.scroll_relative(y=by * (self._body.size.height - 1), animate=False)

    def action_step(self, by: int) -> None:
        if self._move(by):
            self._tellings[self._at].scroll_visible(animate=False)

    def _move(self, by: int) -> bool:
        if self._view is None or not 0 <= self._at + by < len(self._view.story.members):
            return False
        self._at += by
        self._show()
        return True

    def action_sentences(self) -> None:
        self._with_sentences = not self._with_sentences
        self._show()

    async def action_read(self) -> None:
        if row := await self._row():
            await self._read(row, self._step)

    async def action_browse(self) -> None:
        if self._view is not None:
            self.say(safe(await self.open_in_browser(self._view.story.members[self._at].url)))

    async def action_back(self) -> None:
        self.dismiss()

    async def _step(self, by: int) -> Row | None:
        """Move to the next or previous telling, for the reading view."""
        return await self._row() if self._move(by) else None

    async def _row(self) -> Row | None:
        if self._view is None:
            return None
        database = self.session.database
        item = await database.read(load_shown_item, self._view.story.members[self._at].item_id)
        if item is None:
            self.say("This article is no longer there.")
            return None
        marks = await database.read(load_marks, await self.session.person_id(), [item.hash])
        return make_row(
            item,
            marks.get(item.hash, NO_MARKS),
            self._at + 1,
            now=self.session.now(),
            visited_at=self.session.memory.visited_at,
        )
