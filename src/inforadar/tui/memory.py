"""What the terminal app remembers from one visit to the next: when that was, the commands, light or dark.

It lies in the home folder, in a file that may be lost, cut or edited without harm.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec

MOST_LINES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    visited_at: datetime | None = None
    theme: str | None = None
    commands: tuple[str, ...] = ()
    """Oldest first."""
    searches: tuple[str, ...] = ()


def load_memory(path: Path) -> Memory:
    try:
        memory = msgspec.json.decode(path.read_bytes(), type=Memory)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return Memory()
    return memory if memory.visited_at is None or memory.visited_at.tzinfo else Memory()


def save_memory(path: Path, memory: Memory) -> None:
    """A folder that cannot be written costs the memory, nothing else."""
    fresh = path.with_suffix(".new")
    try:
        fresh.write_bytes(msgspec.json.encode(memory))
        fresh.replace(path)
    except OSError:
        return


def remembered(lines: tuple[str, ...], line: str) -> tuple[str, ...]:
    """With `line` as the last one; each stands there once."""
    return (*(old for old in lines if old != line), line)[-MOST_LINES:]
