"""Reporting the progress of a run: its totals, and its lines with the feed's name (A6)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from inforadar.model.feed import Feed
from inforadar.model.ids import RunId
from inforadar.model.progress import Listener, Progress, ProgressKind


class RunProgress:
    """Reports a run's progress to its listener. Every event carries the totals of the run so far."""

    def __init__(self, run_id: RunId, listener: Listener, now: Callable[[], datetime]) -> None:
        self.run_id = run_id
        self.found = 0
        self.done = 0
        self.pages = 0
        self._listener = listener
        self._now = now

    def tell(self, kind: ProgressKind, text: str = "", feed: Feed | None = None) -> None:
        self._listener(
            Progress(
                run_id=self.run_id,
                at=self._now(),
                kind=kind,
                feed_id=feed.id if feed else None,
                label=feed_label(feed) if feed else "",
                text=text,
                found=self.found,
                done=self.done,
                pages=self.pages,
            )
        )

    def line(self, text: str) -> None:
        """Report a line about the run itself."""
        self.tell(ProgressKind.LINE, text)

    def of(self, feed: Feed) -> FeedProgress:
        return FeedProgress(self, feed)


class FeedProgress:
    """Reports the progress of one feed within the run."""

    def __init__(self, run: RunProgress, feed: Feed) -> None:
        self._run = run
        self._feed = feed

    def counted(self, items: int, *, pages: int = 1) -> None:
        """Add items that were found and will be processed."""
        self._run.found += items
        self._run.pages += pages
        self._run.tell(ProgressKind.COUNTING, feed=self._feed)

    def processed(self, items: int) -> None:
        self._run.done += items
        self._run.tell(ProgressKind.PROCESSED, feed=self._feed)

    def line(self, text: str) -> None:
        self._run.tell(ProgressKind.LINE, text, self._feed)


def feed_label(feed: Feed) -> str:
    """The feed's name for people: its title, else its source."""
    return feed.title or feed.source
