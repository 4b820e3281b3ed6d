"""What a cycle of collecting did."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class CycleResult:
    """What a cycle did, in numbers and sentences."""

    fetched: int = 0
    added: int = 0
    updated: int = 0
    dropped: int = 0
    errors: dict[str, str] = field(default_factory=dict)
    """{feed URL: sentence}."""
    succeeded: set[str] = field(default_factory=set)
    """The URLs of feeds that were fetched without an error, and saved."""
    lost: int = 0
    postponed: int = 0
    turns_s: list[float] = field(default_factory=list)
    """How soon each feed that was postponed, or not saved, can be tried again."""

    @property
    def next_turn_s(self) -> float | None:
        return min(self.turns_s, default=None)
