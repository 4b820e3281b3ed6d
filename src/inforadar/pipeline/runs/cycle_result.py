"""The result of a collect cycle."""

from __future__ import annotations

from dataclasses import dataclass, field

from inforadar.model.ids import FeedId
from inforadar.model.schedule import Saved


@dataclass(slots=True)
class CycleResult:
    """The result of a cycle, in numbers and sentences."""

    claimed: int = 0
    fetched: int = 0
    dropped: int = 0
    errors: dict[str, str] = field(default_factory=dict)
    """{feed URL: sentence}."""
    warnings: dict[str, list[str]] = field(default_factory=dict)
    """Entries left out: {feed URL: sentences}."""
    succeeded: set[str] = field(default_factory=set)
    """URLs of feeds that were fetched and saved without an error."""
    collected: set[FeedId] = field(default_factory=set)
    """The feeds that were fetched and saved, whether or not with an error."""
    lost: int = 0
    postponed: int = 0
    turns_s: list[float] = field(default_factory=list)
    """Seconds until each postponed or unsaved feed can be retried."""

    added_keys: set[int] = field(default_factory=set)
    """Hashes of the URLs of the items that were added: what several feeds list counts once."""
    updated_keys: set[int] = field(default_factory=set)

    def count(self, saved: Saved) -> None:
        """Count what was saved."""
        self.added_keys.update(hash(new.url) for new in saved.added)
        self.updated_keys.update(hash(change.url) for change in saved.changed)

    @property
    def added(self) -> int:
        return len(self.added_keys)

    @property
    def updated(self) -> int:
        return len(self.updated_keys)

    @property
    def next_turn_s(self) -> float | None:
        return min(self.turns_s, default=None)
