"""Progress events summarized for people: count, speed, time left. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from inforadar.model.progress import Progress, ProgressKind
from inforadar.texts import counted

SPEED_WINDOW_S = 5.0
"""The speed is measured over this many last seconds."""
MIN_STEP = timedelta(seconds=0.1)


@dataclass(slots=True, kw_only=True)
class Tally:
    """The totals of the events so far."""

    found: int = 0
    done: int = 0
    pages: int = 0
    begun: bool = False
    """The run has said something."""
    counting: bool = True
    ended: str = ""
    """The text shown instead of the progress once the run has ended."""
    _marks: deque[tuple[datetime, int]] = field(default_factory=deque)

    def add(self, events: Iterable[Progress]) -> None:
        for event in events:
            self.begun = True
            if event.kind is ProgressKind.LINE:
                continue
            self.found, self.done, self.pages = event.found, event.done, event.pages
            if event.kind in {ProgressKind.FOUND, ProgressKind.PROCESSED}:
                self.counting = False
                if not self._marks or event.at - self._marks[-1][0] > MIN_STEP:
                    self._marks.append((event.at, event.done))
        while (
            len(self._marks) > 2 and (self._marks[-1][0] - self._marks[0][0]).total_seconds() > SPEED_WINDOW_S
        ):
            self._marks.popleft()

    @property
    def fraction(self) -> float | None:
        """The share done; `None` while the total is unknown."""
        if self.counting:
            return 1.0 if self.ended else None
        return min(1.0, self.done / self.found) if self.found else 1.0

    @property
    def rate(self) -> float:
        """Items per second over the last seconds."""
        if len(self._marks) < 2:
            return 0.0
        (first, before), (last, after) = self._marks[0], self._marks[-1]
        seconds = (last - first).total_seconds()
        return (after - before) / seconds if seconds > 0 else 0.0

    @property
    def words(self) -> str:
        """`Starting …`, `Counting… 7 pages, 140 items found`, then `214 of 512 items   42/s   0:07 left`."""
        return self.forms[0]

    @property
    def forms(self) -> list[str]:
        """The words, and shorter forms of them for narrow terminals."""
        if self.ended:
            return [self.ended, self.ended.partition(":")[0]]
        if not self.begun:
            return ["Starting …"]
        if self.counting:
            found = counted(self.found, "item")
            pages = counted(self.pages, "page")
            return [f"Counting… {pages}, {found} found", f"Counting… {pages}, {found}", f"Counting… {found}"]
        parts = [f"{self.done:,} of {counted(self.found, 'item')}"]
        if rate := self.rate:
            parts.append(f"{rate:.0f}/s" if rate >= 1 else f"{rate:.1f}/s")
            left = round((self.found - self.done) / rate)
            parts.append(f"{left // 60}:{left % 60:02} left")
        return ["   ".join(parts[:number]) for number in range(len(parts), 0, -1)]
