"""A fetch that runs beside the screen, and what it tells on its way."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from inforadar.config import Settings
from inforadar.model.progress import Progress
from inforadar.model.run import Report

if TYPE_CHECKING:
    from inforadar.tui.view import View


class Fetching:
    def __init__(self) -> None:
        self._events: deque[Progress] = deque()

    def take_events(self) -> list[Progress]:
        taken = []
        while self._events:
            taken.append(self._events.popleft())
        return taken

    async def run(self, settings: Settings, view: View) -> Report:
        raise NotImplementedError

    def stop(self) -> None: ...

    def abort(self) -> None: ...
