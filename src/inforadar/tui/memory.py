"""The state the terminal app keeps between visits: last visit, commands, searches and pipes, theme.

It is stored in the home folder, in a file that may be lost, truncated or edited without harm.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec

MAX_LINES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    visited_at: datetime | None = None
    theme: str | None = None
    commands: tuple[str, ...] = ()
    """Oldest first."""
    searches: tuple[str, ...] = ()
    pipes: tuple[str, ...] = ()
    """Commands that articles were piped to."""


def load_memory(path: Path) -> Memory:
    try:
        memory = msgspec.json.decode(path.read_bytes(), type=Memory)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return Memory()
    return memory if memory.visited_at is None or memory.visited_at.tzinfo else Memory()


def save_memory(path: Path, memory: Memory) -> None:
    """Save the state; if the folder is not writable, only the state is lost."""
    fresh = path.with_suffix(".new")
    try:
        fresh.write_bytes(msgspec.json.encode(memory))
        fresh.replace(path)
    except OSError:
        return


def add_to_history(lines: tuple[str, ...], line: str) -> tuple[str, ...]:
    """Append `line` to the history, without duplicates."""
    return (*(old for old in lines if old != line), line)[-MAX_LINES:]
