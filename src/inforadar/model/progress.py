"""Progress events of a run, for its listeners: the terminal, the command, the page, the worker's log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from inforadar.model.ids import FeedId, RunId


class ProgressKind(StrEnum):
    COUNTING = "counting"
    """`found` items on `pages` pages so far."""
    FOUND = "found"
    """Counting is over: `found` items will be processed."""
    PROCESSED = "processed"
    """`done` items of `found`."""
    LINE = "line"
    """A line of the log."""
    FINISHED = "finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """One event; `text` is plain text that may come from the web: escape it where it is shown."""

    run_id: RunId
    at: datetime
    kind: ProgressKind
    feed_id: FeedId | None = None
    label: str = ""
    """The feed's name for people: its title, else its source."""
    text: str = ""
    found: int = 0
    done: int = 0
    pages: int = 0


Listener = Callable[[Progress], None]
