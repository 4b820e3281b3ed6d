"""The base of all screens: the session, a title line, help, opening the browser.

Everything else is an action of the app (`app.fetch`) or is passed in when the screen is created: no screen knows the
app or another screen.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar

from rich.cells import cell_len
from textual.app import SuspendNotSupported
from textual.binding import Binding
from textual.message_pump import _MessagePumpMeta
from textual.screen import Screen

from inforadar.errors import InfoRadarError
from inforadar.model.item import Item
from inforadar.store.articles.queries import load_article
from inforadar.tui.commands.keys import key_for, with_ids
from inforadar.tui.memory import add_to_history
from inforadar.tui.session import Session
from inforadar.tui.text import safe
from inforadar.tui.widgets.line import Line, Span
from inforadar.urls import uid

COMMON = (
    Binding("colon", "app.command", "Command line", key_display=":"),
    Binding("question_mark", "help", "Help", key_display="?"),
    Binding("q", "app.quit", "Quit"),
)
"""Keys of every full-size screen."""


class _AbstractScreens(ABCMeta, _MessagePumpMeta):
    """Lets a screen have abstract methods: textual has a metaclass of its own."""


class RadarScreen(Screen[None], metaclass=_AbstractScreens):
    """A full-size screen. Its help is generated from `BINDINGS`."""

    HELP: ClassVar = ""
    """The name of the screen."""
    KEYS: ClassVar = ""
    """The name of the screen in the settings, `[keys.NAME]`."""
    AUTO_FOCUS = None
    DEFAULT_CSS = """
    RadarScreen { background: $background; color: $foreground; layout: vertical; }
    """

    def __init_subclass__(cls, **options: Any) -> None:
        if cls.KEYS:
            cls.BINDINGS = with_ids(cls.KEYS, list(cls.BINDINGS))
        super().__init_subclass__(**options)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session

    def show_title(self, name: str, words: str, right: str = "", style: str = "warn") -> None:
        """`Info Radar · Fetch    source: Habr`: every title shows the filters in the same form."""
        is_long = cell_len(f"Info Radar · {name}    {words}  {right}") > self.app.size.width - 2
        # Without enough room, the filters matter more than our own name.
        own = [Span(name, "name")] if is_long else [Span("Info Radar", "name"), Span(f" · {name}")]
        left = [*own, Span(f"    {words}" if words else "", "muted")]
        self.query_one("#title", Line).show(left, [Span(right, style)] if right else [])

    def show_status(self, sentence: str, hints: Iterable[Span], resting: str = "") -> None:
        """Show the hints beside a passing sentence, or beside the resting text if there is none."""
        line, hints = self.query_one("#status", Line), self._with_keys(hints)
        if sentence:
            line.show([Span(sentence)], hints, resting=[Span(resting)] if resting else [])
        else:
            line.show([Span(resting)] if resting else [], hints)

    def _with_keys(self, hints: Iterable[Span]) -> list[Span]:
        """Show the keys that the settings give to the actions of hints."""
        keymap = self.session.keymap
        return [
            Span(key_for(type(self), span.action, keymap) or span.text, span.style, span.action)
            if keymap and span.style == "key" and span.action
            else span
            for span in hints
        ]

    def begin(self, work: Coroutine[Any, Any, None], *, group: str, exclusive: bool = False) -> None:
        """Run work in the background; if it fails, show the error in the status line."""
        self.run_worker(self._with_errors_shown(work), group=group, exclusive=exclusive)

    async def _with_errors_shown(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except InfoRadarError as fault:
            self.say(safe(fault))

    async def action_help(self) -> None:
        from inforadar.tui.screens.help import HelpScreen  # noqa: PLC0415 - on demand

        await self.app.push_screen(HelpScreen(self.HELP, type(self), self.session.keymap))

    async def open_in_browser(self, url: str) -> str:
        """Open the URL; return a sentence with the result."""
        from inforadar.tui.browser import open_in_browser  # noqa: PLC0415 - on demand

        return open_in_browser(url, self._suspended)

    async def pipe(self, items: Sequence[Item], then: Callable[[], None] = lambda: None) -> None:
        """Ask for a command and run it with the articles as its input; afterwards call `then`."""
        from inforadar.tui.pipe import article_text, run_piped  # noqa: PLC0415 - on demand
        from inforadar.tui.screens.prompt import PromptScreen  # noqa: PLC0415

        async def run(command: str | None) -> None:
            if not command:
                return
            memory, database = self.session.memory, self.session.database
            self.session.memory = replace(memory, pipes=add_to_history(memory.pipes, command))
            texts = [article_text(item, await database.read(load_article, uid(item.url))) for item in items]
            environment = {"INFORADAR_URL": items[0].address, "INFORADAR_TITLE": safe(items[0].title or "")}
            sentence = run_piped(command, "\n\n".join(texts), environment, self._suspended)
            then()
            self.say(sentence)

        if items:
            await self.app.push_screen(PromptScreen("| ", history=self.session.memory.pipes), run)

    @contextmanager
    def _suspended(self) -> Iterator[None]:
        """Give the terminal to another program."""
        try:
            with self.app.suspend():
                yield
        except SuspendNotSupported:
            yield

    @abstractmethod
    def say(self, sentence: str) -> None:
        """Show a sentence in the status line. It must be sanitized with `safe`."""
