"""The terminal app: its screens, and what they ask for.

Screens know the app, and the app knows when to show which; none of them knows another. What takes long runs in
workers, so that keys are answered at once. Screens that are not seen first are imported when they are asked for:
so the list is there sooner.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual.app import App, SuspendNotSupported
from textual.binding import Binding

from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.store.database import Database
from inforadar.store.feeds.labels import Label, load_labels
from inforadar.store.feeds.queries import count_feeds
from inforadar.store.people.marks import save_marks
from inforadar.tui.driver import TerminalDriver
from inforadar.tui.memory import load_memory, remembered, save_memory
from inforadar.tui.screens.articles import ArticlesScreen
from inforadar.tui.screens.base import RadarScreen
from inforadar.tui.theme import THEMES, preferred_theme
from inforadar.tui.view import View

if TYPE_CHECKING:
    from inforadar.tui.columns import Row

MEMORY = "terminal.json"
"""In the home folder."""


class RadarApp(App[None]):
    """Handed an open database; whoever opened it closes it."""

    TITLE = "Info Radar"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    OptionList > .option-list--option-highlighted, OptionList:focus > .option-list--option-highlighted {
        background: $cursor-line; color: $foreground; text-style: none;
    }
    """
    BINDINGS: ClassVar = [Binding("ctrl+c", "quit", "Quit", show=False)]

    def __init__(
        self,
        settings: Settings,
        database: Database,
        *,
        now: Callable[[], datetime] = utc_now,
        when_shown: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(driver_class=TerminalDriver)
        self.settings, self.database, self.now = settings, database, now
        self._when_shown = when_shown
        """Called once, when the first list is on the screen."""
        self._memory_path = settings.home / MEMORY
        self.memory = load_memory(self._memory_path)
        self.labels: list[Label] = []
        """Sources and their topics, as last loaded."""
        self.articles = ArticlesScreen(View())
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = self.memory.theme or preferred_theme()

    async def on_mount(self) -> None:
        await self.push_screen(self.articles)
        self.run_worker(self._look_around(), group="start")

    async def _look_around(self) -> None:
        """A database without any feed has nothing to list: the first screen says how to begin."""
        if not await self.database.read(count_feeds):
            await self.welcome()

    def list_shown(self) -> None:
        if self._when_shown:
            self.call_after_refresh(self._when_shown)
            self._when_shown = None

    def leave(self) -> None:
        save_memory(self._memory_path, replace(self.memory, visited_at=self.now()))
        self.exit()

    async def action_quit(self) -> None:
        self.leave()

    def say(self, sentence: str) -> None:
        """In the status line of the screen that is shown."""
        shown = next(screen for screen in reversed(self.screen_stack) if isinstance(screen, RadarScreen))
        shown.say(sentence)

    def use_theme(self, name: str) -> None:
        self.theme = name
        self.memory = replace(self.memory, theme=name)

    def back_to_list(self) -> None:
        while self.screen is not self.articles and len(self.screen_stack) > 1:
            self.pop_screen()

    def change_view(self, view: View) -> None:
        self.back_to_list()
        self.articles.change_view(view)

    # Screens

    async def welcome(self) -> None:
        from inforadar.tui.screens.welcome import WelcomeScreen  # noqa: PLC0415

        await self.push_screen(WelcomeScreen())

    async def read_article(self, row: Row) -> None:
        from inforadar.tui.screens.reading import ReadingScreen  # noqa: PLC0415

        await self.push_screen(ReadingScreen(row))

    async def fetch(self) -> None:
        """With the filters of the list (A1)."""
        from inforadar.tui.screens.fetch import FetchScreen  # noqa: PLC0415

        await self.push_screen(FetchScreen(self.articles.view), lambda _: self.articles.reload())

    async def show_feeds(self) -> None:
        from inforadar.tui.screens.feeds import FeedsScreen  # noqa: PLC0415

        await self.push_screen(FeedsScreen())

    async def choose_sources(self) -> None:
        from inforadar.tui.choices import source_choices, with_sources  # noqa: PLC0415
        from inforadar.tui.screens.choose import ChooseScreen  # noqa: PLC0415

        self.labels = await self.database.read(load_labels)
        view = self.articles.view

        def chosen(names: tuple[str, ...] | None) -> None:
            if names is not None:
                self.articles.change_view(with_sources(view, names, self.labels))

        await self.push_screen(ChooseScreen("Sources", source_choices(self.labels), view.sources), chosen)

    async def choose_topics(self) -> None:
        from inforadar.tui.choices import topic_choices  # noqa: PLC0415
        from inforadar.tui.screens.choose import ChooseScreen  # noqa: PLC0415

        self.labels = await self.database.read(load_labels)
        view = self.articles.view
        title = f"Topics of {', '.join(view.sources)}" if view.sources else "Topics"

        def chosen(names: tuple[str, ...] | None) -> None:
            if names is not None:
                self.articles.change_view(replace(view, topics=names))

        choices = topic_choices(self.labels, view.sources)
        await self.push_screen(ChooseScreen(title, choices, view.topics), chosen)

    # Asking

    async def ask_for_words(self) -> None:
        from inforadar.tui.screens.prompt import PromptScreen  # noqa: PLC0415

        def found(words: str | None) -> None:
            if words is None:
                return
            if words:
                self.memory = replace(self.memory, searches=remembered(self.memory.searches, words))
            self.articles.change_view(replace(self.articles.view, query=words or None))

        await self.push_screen(
            PromptScreen("/", self.articles.view.query or "", history=self.memory.searches), found
        )

    async def ask_for_command(self, text: str = "") -> None:
        from inforadar.tui.command_actions import plan_command  # noqa: PLC0415
        from inforadar.tui.commands import complete  # noqa: PLC0415
        from inforadar.tui.screens.prompt import PromptScreen  # noqa: PLC0415

        async def run(line: str | None) -> None:
            if line:
                self.memory = replace(self.memory, commands=remembered(self.memory.commands, line))
                await plan_command(self, line)()

        await self.push_screen(
            PromptScreen(
                ":",
                text,
                history=self.memory.commands,
                check=lambda line: void(plan_command(self, line)),
                complete=complete,
            ),
            run,
        )
        # After the line is there: keys that were typed meanwhile would go to the list.
        self.labels = await self.database.read(load_labels)

    async def ask_for_feed(self) -> None:
        from inforadar.tui.screens.prompt import PromptScreen  # noqa: PLC0415

        await self.push_screen(PromptScreen("Site, feed or sitemap: "), self._given(self.add_feed))

    async def ask_for_opml(self) -> None:
        from inforadar.tui.screens.prompt import PromptScreen  # noqa: PLC0415

        await self.push_screen(PromptScreen("OPML file: "), self._given(self.import_opml))

    def _given(self, do: Callable[[str], Awaitable[None]]) -> Callable[[str | None], Awaitable[None]]:
        async def then(text: str | None) -> None:
            if text:
                await do(text)

        return then

    # Doing

    async def add_feed(self, url: str) -> None:
        from inforadar.tui.subscribing import add_feed  # noqa: PLC0415

        self.run_worker(add_feed(self, url), group="subscribing", exclusive=True)

    async def import_opml(self, path: str) -> None:
        from inforadar.tui.subscribing import import_file  # noqa: PLC0415

        self.run_worker(import_file(self, path), group="subscribing", exclusive=True)

    async def add_sample(self) -> None:
        from inforadar.tui.subscribing import add_sample  # noqa: PLC0415

        self.run_worker(add_sample(self), group="subscribing", exclusive=True)

    async def save_mark(self, row: Row, name: str, *, is_set: bool) -> None:
        await self.database.write(save_marks, row.item.url, {name: is_set}, self.now())

    async def open_in_browser(self, url: str) -> str:
        from inforadar.tui.browser import open_in_browser  # noqa: PLC0415

        return open_in_browser(url, self._given_away)

    @contextmanager
    def _given_away(self) -> Iterator[None]:
        """The terminal, to another program."""
        try:
            with self.suspend():
                yield
        except SuspendNotSupported:
            yield


def void(_: object) -> None:
    """What matters is that it could be made."""
