"""Undo: each change that can be taken back leaves a way to do so. The last change is undone first."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

MAX_CHANGES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change that was made."""

    said: str
    """A sentence for the moment when it is undone."""
    undo: Callable[[], Awaitable[object]]


@dataclass(slots=True)
class UndoStack:
    _changes: deque[Change] = field(default_factory=lambda: deque(maxlen=MAX_CHANGES))

    def add(self, said: str, undo: Callable[[], Awaitable[object]]) -> None:
        self._changes.append(Change(said=said, undo=undo))

    async def undo(self) -> str:
        """Undo the last change; return a sentence about it."""
        if not self._changes:
            return "Nothing to undo."
        change = self._changes.pop()
        await change.undo()
        return change.said
