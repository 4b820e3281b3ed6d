"""The terminal app: its screens and actions.

The app decides when to show which screen. A screen knows neither the app nor another screen: it gets its dependencies
as arguments, and its keys name actions of the app (`app.fetch`). Slow work runs in workers, so that keys respond at
once. All screens but the first are imported on demand, so that the list appears sooner.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, assert_never

from textual.app import App
from textual.binding import Binding

from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.errors import InfoRadarError
from inforadar.store.database import Database
from inforadar.store.feeds.labels import Label, load_labels
from inforadar.store.feeds.queries import count_feeds
from inforadar.tui.driver import TerminalDriver
from inforadar.tui.list.view import View
from inforadar.tui.memory import add_to_history, load_memory, save_memory
from inforadar.tui.screens.articles import ArticlesScreen
from inforadar.tui.screens.base import RadarScreen
from inforadar.tui.session import Session
from inforadar.tui.text import safe
from inforadar.tui.theme import THEMES, preferred_theme

if TYPE_CHECKING:
    from textual.actions import ActionParseResult
    from textual.dom import DOMNode

    from inforadar.tui.commands.actions import Plan
    from inforadar.tui.list.columns import Row
    from inforadar.tui.subscribing import AppHooks

MEMORY = "terminal.json"
"""The file in the home folder."""


class RadarApp(App[None]):
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
    ) -> None:
        """`when_shown` is called once, when the first list is on the screen."""
        super().__init__(driver_class=TerminalDriver)
        self._when_shown = when_shown
        self._memory_path = settings.home / MEMORY
        self.session = Session(
            settings=settings, database=database, now=now, memory=load_memory(self._memory_path)
        )
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
        self.exit()

    async def action_quit(self) -> None:
        self.leave()

    def say(self, sentence: str) -> None:
        """Show a sentence in the status line of the current screen."""
        shown = next(screen for screen in reversed(self.screen_stack) if isinstance(screen, RadarScreen))
        shown.say(sentence)

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

    def _begin(self, work: Coroutine[Any, Any, None], *, group: str) -> None:
        """Run work in the background instead of other work of its group; if it fails, the app says so and goes on."""

        async def body() -> None:
            try:
                await work
            except InfoRadarError as fault:
                self.say(safe(fault))

        self.run_worker(body(), group=group, exclusive=True)

    def use_theme(self, name: str) -> None:
        self.theme = name
        self.session.memory = replace(self.session.memory, theme=name)

    def _back_to_list(self) -> None:
        while self.screen is not self.articles and len(self.screen_stack) > 1:
            self.pop_screen()

    def _show_list(self) -> None:
        self._back_to_list()
        self.articles.reload()

    # Screens

    async def _read_article(self, row: Row) -> None:
        from inforadar.tui.screens.reading import ReadingScreen  # noqa: PLC0415

        articles = self.articles
        await self.push_screen(
            ReadingScreen(self.session, row, step=articles.step, row_changed=articles.row_changed)
        )

    async def action_fetch(self) -> None:
        """Fetch with the filters of the list (A1)."""
        from inforadar.tui.screens.fetch import FetchScreen  # noqa: PLC0415

        articles = self.articles
        await self.push_screen(
            FetchScreen(self.session, articles.view, reload_list=articles.reload),
            lambda _: articles.reload(),
        )

    async def action_feeds(self) -> None:
        from inforadar.tui.screens.feeds import FeedsScreen  # noqa: PLC0415

        await self.push_screen(FeedsScreen(self.session), lambda _: self.articles.reload())

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

    async def _load_labels(self) -> list[Label]:
        self.session.labels = await self.session.database.read(load_labels)
        return self.session.labels

    # Asking

    async def action_find(self) -> None:
        from inforadar.tui.screens.prompt import PromptScreen  # noqa: PLC0415

        def found(words: str | None) -> None:
            if words is None:
                return
            if words:
                memory = self.session.memory
                self.session.memory = replace(memory, searches=add_to_history(memory.searches, words))
            self.articles.change_view(replace(self.articles.view, query=words or None))

        await self.push_screen(
            PromptScreen("/", self.articles.view.query or "", history=self.session.memory.searches), found
        )

    async def action_command(self, text: str = "") -> None:
        from inforadar.tui.commands.actions import Shown, plan_command  # noqa: PLC0415
        from inforadar.tui.commands.parse import complete  # noqa: PLC0415
        from inforadar.tui.screens.prompt import PromptScreen  # noqa: PLC0415

        def plan(line: str) -> Plan:
            shown = Shown(view=self.articles.view, labels=self.session.labels, theme=self.theme)
            return plan_command(line, shown)

        async def run(line: str | None) -> None:
            if line:
                memory = self.session.memory
                self.session.memory = replace(memory, commands=add_to_history(memory.commands, line))
                await self._run_plan(plan(line))

        await self.push_screen(
            PromptScreen(":", text, history=self.session.memory.commands, check=plan, complete=complete),
            run,
        )
        # Only after the prompt is shown, or keys typed in the meantime would go to the list.
        await self._load_labels()

    async def _run_plan(self, plan: Plan) -> None:
        from inforadar.tui.commands.actions import (  # noqa: PLC0415
            AddFeed,
            ImportOpml,
            RunAction,
            ShowList,
            UseTheme,
        )

        match plan:
            case ShowList():
                self._back_to_list()
                self.articles.change_view(plan.view)
            case UseTheme():
                self.use_theme(plan.name)
            case AddFeed():
                await self._add_feed(plan.url)
            case ImportOpml():
                await self._import_opml(plan.path)
            case RunAction():
                await self.run_action(plan.name)
            case _:
                assert_never(plan)

    async def action_ask_for_feed(self) -> None:
        from inforadar.tui.screens.prompt import PromptScreen  # noqa: PLC0415

        await self.push_screen(PromptScreen("Site, feed or sitemap: "), self._if_given(self._add_feed))

    async def action_ask_for_opml(self) -> None:
        from inforadar.tui.screens.prompt import PromptScreen  # noqa: PLC0415

        await self.push_screen(PromptScreen("OPML file: "), self._if_given(self._import_opml))

    def _if_given(self, do: Callable[[str], Awaitable[None]]) -> Callable[[str | None], Awaitable[None]]:
        async def then(text: str | None) -> None:
            if text:
                await do(text)

        return then

    # Adding feeds

    async def _add_feed(self, url: str) -> None:
        from inforadar.tui.subscribing import add_feed  # noqa: PLC0415

        self._begin(add_feed(self._hooks(), url), group="subscribing")

    async def _import_opml(self, path: str) -> None:
        from inforadar.tui.subscribing import import_file  # noqa: PLC0415

        self._begin(import_file(self._hooks(), path), group="subscribing")

    async def action_add_sample(self) -> None:
        from inforadar.tui.subscribing import add_sample  # noqa: PLC0415

        self._begin(add_sample(self._hooks()), group="subscribing")

    def _hooks(self) -> AppHooks:
        from inforadar.tui.subscribing import AppHooks  # noqa: PLC0415

        return AppHooks(
            settings=self.session.settings,
            database=self.session.database,
            say=self.say,
            choose=self.push_screen_wait,
            show_list=self._show_list,
        )
