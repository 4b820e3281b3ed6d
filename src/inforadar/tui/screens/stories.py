"""The list of stories: each event once, newest or most told first."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import OptionList

from inforadar.app.stories import load_story_page, parse_story_cursor
from inforadar.store.stories.queries import StoryFilter
from inforadar.tui.screens.base import COMMON, RadarScreen
from inforadar.tui.session import Session
from inforadar.tui.text import safe
from inforadar.tui.widgets.line import Line, hint
from inforadar.tui.widgets.story_text import list_entry
from inforadar.views.stories import ShownStory

PAGE_STORIES = 50
HINTS = (
    *hint("Enter", "open", "open"),
    *hint(">", "order", "reorder"),
    *hint("Esc", "articles", "back"),
    *hint("?", "help", "help"),
)


class StoriesScreen(RadarScreen):
    HELP = "Stories"
    KEYS = "stories"
    BINDINGS: ClassVar = [
        Binding("j,down", "move(1)", "Next story"),
        Binding("k,up", "move(-1)", "Previous story"),
        Binding("enter", "open", "Open the story"),
        Binding("greater_than_sign,less_than_sign", "reorder", "Newest first, or most told first"),
        Binding("R,ctrl+l", "reload", "Load the list anew"),
        Binding("escape,backspace,h,left,S", "back", "Back to the articles"),
        *COMMON,
    ]
    DEFAULT_CSS = """
    StoriesScreen OptionList { height: 1fr; padding: 1 1 0 1; scrollbar-size-vertical: 1; }
    StoriesScreen OptionList, StoriesScreen OptionList:focus { border: none; background: $background; }
    """

    def __init__(
        self, session: Session, topic: str | None, *, open_story: Callable[[ShownStory], Awaitable[None]]
    ) -> None:
        """`topic` limits the list; `open_story` shows one story."""
        super().__init__(session)
        self._topic, self._open_story = topic, open_story
        self._stories: list[ShownStory] = []
        self._next: str | None = None
        self._most_told = False
        self._said = ""

    def compose(self) -> ComposeResult:
        yield Line(id="title", left_first=False)
        yield OptionList()
        yield Line(id="status")

    def on_mount(self) -> None:
        self.action_reload()

    @property
    def _list(self) -> OptionList:
        return self.query_one(OptionList)

    def action_reload(self) -> None:
        self._next = None
        self.begin(self._load(), group="stories", exclusive=True)

    async def _load(self) -> None:
        """Load the first page, or the one after what is shown."""
        is_first = self._next is None
        wanted = StoryFilter(
            topic=self._topic,
            most_told=self._most_told,
            before=parse_story_cursor(self._next),
            limit=PAGE_STORIES,
        )
        page = await load_story_page(self.session.database, wanted)
        now = self.session.now()
        if is_first:
            self._stories.clear()
            self._list.clear_options()
        self._stories += page.stories
        self._next = page.next
        self._list.add_options(list_entry(story, now) for story in page.stories)
        if is_first:
            self._list.highlighted = 0 if self._stories else None
        self.say("" if self._stories else "No story was told by two or more outlets yet.")

    def say(self, sentence: str) -> None:
        self._said = sentence
        self.show_title("Stories", safe(f"topic: {self._topic}") if self._topic else "")
        order = "most told first" if self._most_told else "newest first"
        number = (
            "1 story"
            if len(self._stories) == 1
            else f"{len(self._stories)}{'+' if self._next else ''} stories"
        )
        self.show_status(self._said, HINTS, f"{number} · {order}")

    def action_move(self, by: int) -> None:
        at = self._list.highlighted
        if at is None:
            return
        if by > 0 and at == len(self._stories) - 1:
            if self._next:
                self.begin(self._load(), group="stories", exclusive=True)
            return
        self._list.highlighted = max(0, at + by)

    @on(OptionList.OptionSelected)
    async def action_open(self) -> None:
        at = self._list.highlighted
        if at is not None and at < len(self._stories):
            await self._open_story(self._stories[at])

    def action_reorder(self) -> None:
        self._most_told = not self._most_told
        self.action_reload()

    async def action_back(self) -> None:
        self.dismiss()
