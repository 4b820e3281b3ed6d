"""The result of a collect cycle."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class CycleResult:
    """The result of a cycle, in numbers and sentences."""

    fetched: int = 0
    added: int = 0
    updated: int = 0
    dropped: int = 0
    errors: dict[str, str] = field(default_factory=dict)
    """{feed URL: sentence}."""
    warnings: dict[str, list[str]] = field(default_factory=dict)
    """What was left out: {feed URL: sentences}."""
    succeeded: set[str] = field(default_factory=set)
    """URLs of feeds that were fetched and saved without an error."""
    lost: int = 0
    postponed: int = 0
    turns_s: list[float] = field(default_factory=list)
    """Seconds until each postponed or unsaved feed can be retried."""

    @property
    def next_turn_s(self) -> float | None:
        return min(self.turns_s, default=None)
