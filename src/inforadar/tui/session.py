"""The state shared by all screens of the terminal app. The app creates it and passes it to each screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from inforadar.actions.mark import mark, mark_all
from inforadar.config import Settings
from inforadar.model.person import PersonId
from inforadar.store.database import Database
from inforadar.store.feeds.labels import Label
from inforadar.store.people.queries import load_first_admin
from inforadar.tui.commands.keys import Keymap
from inforadar.tui.list.mark_words import MARK_WORDS
from inforadar.tui.memory import Memory
from inforadar.tui.undo import UndoStack


@dataclass(slots=True, kw_only=True)
class Session:
    settings: Settings
    database: Database
    now: Callable[[], datetime]
    memory: Memory
    labels: list[Label] = field(default_factory=list)
    """Sources and their topics, as last loaded."""

    keymap: Keymap = field(default_factory=dict)
    """The keys that the settings change."""
    undo: UndoStack = field(default_factory=UndoStack)

    _person_id: PersonId | None = None

    async def person_id(self) -> PersonId:
        """The person whose marks are shown and set: the terminal acts as the first admin."""
        if self._person_id is None:
            self._person_id = (await self.database.read(load_first_admin)).id
        return self._person_id

    async def save_mark(self, url: str, name: str, *, is_set: bool) -> None:
        await mark(self.database, await self.person_id(), url, {name: is_set}, self.now())

    async def save_marks(self, urls: Sequence[str], name: str, *, is_set: bool) -> None:
        """Set or clear a mark of several items; `undo` takes it back."""
        person_id = await self.person_id()

        async def save(value: bool) -> None:
            await mark_all(self.database, person_id, urls, {name: value}, self.now())

        await save(is_set)
        self.undo.add(f"Undone: {MARK_WORDS[name][is_set]}", lambda: save(not is_set))
