"""The terminal app: its screens and actions.

The app decides when to show which screen. A screen knows neither the app nor another screen: it gets its dependencies
as arguments, and its keys name actions of the app (`app.fetch`). Slow work runs in workers, so that keys respond at
once. All screens but the first are imported on demand, so that the list appears sooner.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar
from uuid import UUID

from textual.binding import Binding

from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.errors import InfoRadarError
from inforadar.model.ids import StoryId
from inforadar.store.database import Database
from inforadar.store.feeds.queries import count_feeds
from inforadar.store.work_state import load_work_state
from inforadar.tui.driver import TerminalDriver
from inforadar.tui.fetch.inner_worker import POLL_S as WORKER_POLL_S
from inforadar.tui.fetch.inner_worker import InnerWorker, worker_words
from inforadar.tui.fetch.process import LOG
from inforadar.tui.list.view import View
from inforadar.tui.memory import load_memory, save_memory
from inforadar.tui.notifications import POLL_S, MatchWatch, describe, notification_codes
from inforadar.tui.prompting import PromptingApp
from inforadar.tui.screens.articles import ArticlesScreen
from inforadar.tui.session import Session
from inforadar.tui.text import safe
from inforadar.tui.theme import THEMES, preferred_theme

if TYPE_CHECKING:
    from textual.actions import ActionParseResult
    from textual.dom import DOMNode

    from inforadar.tui.commands.keys import Keymap
    from inforadar.tui.list.columns import Row
    from inforadar.views.stories import ShownStory

MEMORY = "terminal.json"
"""The file in the home folder."""


class RadarApp(PromptingApp):
    """The app on an open database, which the caller closes."""

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
        keymap: Keymap | None = None,
    ) -> None:
        """`when_shown` is called once, when the first list is on the screen; `keymap` are the keys of the settings."""
        super().__init__(driver_class=TerminalDriver)
        self._when_shown = when_shown
        self._memory_path = settings.home / MEMORY
        self.session = Session(
            settings=settings,
            database=database,
            now=now,
            memory=load_memory(self._memory_path),
            keymap=keymap or {},
        )
        self.set_keymap(self.session.keymap)
        self._worker = InnerWorker(settings)
        self.articles = ArticlesScreen(
            self.session, View(), read=self._read_article, when_shown=self._list_shown
        )
        for theme in THEMES:
            self.register_theme(theme)
        known = {theme.name for theme in THEMES}
        remembered = self.session.memory.theme
        self.theme = remembered if remembered in known else preferred_theme()

    async def on_mount(self) -> None:
        await self.push_screen(self.articles)
        self._begin(self._welcome_if_empty(), group="start")
        self._matches = MatchWatch(self.session)
        self.set_interval(POLL_S, lambda: self._begin(self._show_matches(), group="matches"))
        self.set_interval(WORKER_POLL_S, lambda: self._begin(self._show_worker(), group="worker"))
        if self.session.settings.terminal.worker:
            self._worker.start()
        self._begin(self._show_worker(), group="worker")

    async def _show_matches(self) -> None:
        """Ask the terminal to notify about new matches of rules."""
        driver = self._driver
        for title, body in describe(await self._matches.look()):
            if driver is not None:
                driver.write(notification_codes(title, body))
                driver.flush()

    # The worker

    async def action_toggle_worker(self) -> None:
        if self._worker.is_on:
            self._worker.stop()
            self.say("The worker stops.")
        else:
            self._worker.start()
            self.say(
                "A worker is starting: it fetches, gets texts and scores them as long as the app is open."
            )
        await self._show_worker()

    async def _show_worker(self) -> None:
        if self._worker.has_died:
            self._worker.stop()
            self.say(f"The worker ended unexpectedly. {self.session.settings.home / LOG} says why.")
        state = await self.session.database.read(load_work_state)
        self.articles.show_worker(worker_words(state, is_on=self._worker.is_on))

    async def _welcome_if_empty(self) -> None:
        """Show the welcome screen if the database has no feeds."""
        if not await self.session.database.read(count_feeds):
            from inforadar.tui.screens.welcome import WelcomeScreen  # noqa: PLC0415

            await self.push_screen(WelcomeScreen(self.session))

    def _list_shown(self) -> None:
        if self._when_shown:
            self.call_after_refresh(self._when_shown)
            self._when_shown = None

    def leave(self) -> None:
        session = self.session
        save_memory(self._memory_path, replace(session.memory, visited_at=session.now()))
        self._worker.stop()
        self.exit()

    async def action_quit(self) -> None:
        self.leave()

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run what a key or a click asks for; if it fails, the app says so and goes on."""
        try:
            return await super().run_action(action, default_namespace, namespaces)
        except InfoRadarError as fault:
            self.say(safe(fault))
            return True

    # Screens

    async def _read_article(self, row: Row) -> None:
        from inforadar.tui.screens.reading import ReadingScreen  # noqa: PLC0415

        articles = self.articles
        await self.push_screen(
            ReadingScreen(
                self.session,
                row,
                step=articles.step,
                row_changed=articles.row_changed,
                next_unread=articles.next_unread,
            )
        )

    async def action_stories(self) -> None:
        """Show the stories, of the list's topic if it has one."""
        from inforadar.tui.screens.stories import StoriesScreen  # noqa: PLC0415

        topics = self.articles.view.topics
        topic = topics[0] if len(topics) == 1 else None
        await self.push_screen(StoriesScreen(self.session, topic, open_story=self._open_story))

    async def _open_story(self, story: ShownStory) -> None:
        await self.action_story(str(story.id))

    async def action_story(self, story: str) -> None:
        from inforadar.tui.screens.story import StoryScreen  # noqa: PLC0415

        await self.push_screen(StoryScreen(self.session, StoryId(UUID(story)), read=self._read_telling))

    async def _read_telling(self, row: Row, step: Callable[[int], Awaitable[Row | None]]) -> None:
        from inforadar.tui.screens.reading import ReadingScreen  # noqa: PLC0415

        await self.push_screen(
            ReadingScreen(self.session, row, step=step, row_changed=self.articles.row_changed)
        )

    async def action_fetch(self) -> None:
        """Fetch with the filters of the list (A1)."""
        await self._fetch(self.articles.view)

    async def _fetch(self, view: View) -> None:
        from inforadar.tui.screens.entries import EntriesScreen  # noqa: PLC0415
        from inforadar.tui.screens.fetch import FetchScreen  # noqa: PLC0415

        below, articles = self.screen, self.articles

        def fetched(_: None) -> None:
            articles.reload()
            if isinstance(below, EntriesScreen):
                below.action_reload()

        await self.push_screen(FetchScreen(self.session, view, reload_list=articles.reload), fetched)

    async def action_feeds(self, *, only_unwell: bool = False) -> None:
        from inforadar.tui.screens.feeds import FeedsScreen  # noqa: PLC0415

        screen = FeedsScreen(
            self.session, only_unwell=only_unwell, open_list=self._open_list, fetch=self._fetch
        )
        await self.push_screen(screen, lambda _: self.articles.reload())

    async def action_unwell(self) -> None:
        await self.action_feeds(only_unwell=True)

    async def action_alerts(self) -> None:
        from inforadar.tui.screens.alerts import AlertsScreen  # noqa: PLC0415

        await self.push_screen(AlertsScreen(self.session, open_list=self._open_list))

    async def action_rules(self) -> None:
        from inforadar.tui.screens.rules import RulesScreen  # noqa: PLC0415

        query = self.articles.view.query or ""
        await self.push_screen(RulesScreen(self.session, open_list=self._open_list, query=query))

    async def action_searches(self) -> None:
        from inforadar.tui.screens.searches import SearchesScreen  # noqa: PLC0415

        query = self.articles.view.query or ""
        await self.push_screen(SearchesScreen(self.session, open_list=self._open_list, query=query))

    async def action_list_help(self) -> None:
        await self.articles.action_help()

    async def action_sources(self) -> None:
        from inforadar.tui.list.choices import source_choices, with_sources  # noqa: PLC0415
        from inforadar.tui.screens.choose import ChooseScreen  # noqa: PLC0415

        labels = await self._load_labels()
        view = self.articles.view

        def chosen(names: tuple[str, ...] | None) -> None:
            if names is not None:
                self.articles.change_view(with_sources(view, names, labels))

        await self.push_screen(ChooseScreen("Sources", source_choices(labels), view.sources), chosen)

    async def action_topics(self) -> None:
        from inforadar.tui.list.choices import topic_choices  # noqa: PLC0415
        from inforadar.tui.screens.choose import ChooseScreen  # noqa: PLC0415

        labels = await self._load_labels()
        view = self.articles.view
        title = f"Topics of {', '.join(view.sources)}" if view.sources else "Topics"

        def chosen(names: tuple[str, ...] | None) -> None:
            if names is not None:
                self.articles.change_view(replace(view, topics=names))

        choices = topic_choices(labels, view.sources)
        await self.push_screen(ChooseScreen(title, choices, view.topics), chosen)
