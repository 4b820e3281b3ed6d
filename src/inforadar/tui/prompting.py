"""The app's prompts: search, the command line, and adding feeds. The screens are in `app`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any, assert_never

from textual.app import App

from inforadar.errors import InfoRadarError, UsageError
from inforadar.model.search import parse_search
from inforadar.store.feeds.labels import Label, load_labels
from inforadar.tui.list.view import View
from inforadar.tui.memory import add_to_history
from inforadar.tui.screens.articles import ArticlesScreen
from inforadar.tui.screens.base import RadarScreen
from inforadar.tui.session import Session
from inforadar.tui.text import safe

if TYPE_CHECKING:
    from inforadar.tui.commands.actions import Plan
    from inforadar.tui.subscribing import AppHooks


class PromptingApp(App[None]):
    """The part of the app that asks for a line and does what it says."""

    session: Session
    articles: ArticlesScreen

    def say(self, sentence: str) -> None:
        """Show a sentence in the status line of the current screen."""
        shown = next(screen for screen in reversed(self.screen_stack) if isinstance(screen, RadarScreen))
        shown.say(sentence)

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

    def _open_list(self, view: View) -> None:
        self._back_to_list()
        self.articles.change_view(view)

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
                try:
                    parse_search(words)
                except UsageError as fault:
                    self.articles.say(str(fault))
                    return
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
            SaveSearch,
            ShowList,
            UseTheme,
        )

        match plan:
            case ShowList():
                self._open_list(plan.view)
            case SaveSearch():
                from inforadar.actions.people.accounts import keep_search  # noqa: PLC0415

                await keep_search(
                    self.session.database, await self.session.person_id(), plan.name, plan.words
                )
                self.say(f"Saved the search {safe(plan.name)}. B lists them.")
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
