"""The state shared by all screens of the terminal app. The app creates it and passes it to each screen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from inforadar.actions.mark import mark
from inforadar.config import Settings
from inforadar.store.database import Database
from inforadar.store.feeds.labels import Label
from inforadar.tui.memory import Memory


@dataclass(slots=True, kw_only=True)
class Session:
    settings: Settings
    database: Database
    now: Callable[[], datetime]
    memory: Memory
    labels: list[Label] = field(default_factory=list)
    """Sources and their topics, as last loaded."""

    async def save_mark(self, url: str, name: str, *, is_set: bool) -> None:
        await mark(self.database, url, {name: is_set}, self.now())
