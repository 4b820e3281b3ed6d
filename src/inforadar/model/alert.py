"""Alerts about the health of feeds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from inforadar.model.ids import FeedId


class AlertKind(StrEnum):
    BROKEN = "broken"
    """Every fetch failed for a while."""
    SILENT = "silent"
    """Nothing new for longer than the feed's own rhythm makes likely."""
    LOSING = "losing"
    """Entries of its document could not be read."""
    MOVED = "moved"
    """It answers from another URL, or has got one."""
    GONE = "gone"
    """Its server says that it is not there any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundAlert:
    feed_id: FeedId
    kind: AlertKind
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    id: int
    feed_id: FeedId
    name: str
    """The feed's title, or its source."""
    kind: AlertKind
    message: str
    began_at: datetime
    ended_at: datetime | None
    quiet_until: datetime | None
    """Until then nobody is told about the feed's alerts."""

    @property
    def title(self) -> str:
        return f"{self.name} {_VERBS[self.kind]}"


_VERBS = {
    AlertKind.BROKEN: "is broken",
    AlertKind.SILENT: "has fallen silent",
    AlertKind.LOSING: "is losing entries",
    AlertKind.MOVED: "has moved",
    AlertKind.GONE: "is gone",
}
