"""Warnings about a feed's document: its faults, and the entries left out of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedWarning:
    """A sentence about a feed's last document."""

    text: str
    is_loss: bool = False
    """Entries are lost; otherwise they were left out on purpose, or nothing is missing."""


def left_out(count: int, reason: str, *, is_loss: bool = False) -> tuple[FeedWarning, ...]:
    """`2 entries left out: too broken to read.`, or nothing if there are none."""
    if not count:
        return ()
    entries = "entry" if count == 1 else "entries"
    return (FeedWarning(text=f"{count:,} {entries} left out: {reason}.", is_loss=is_loss),)
