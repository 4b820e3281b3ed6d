"""How far a long command is, on standard error: what it prints for programs stays clean."""

from __future__ import annotations

import sys


def told(table: str, rows: int) -> None:
    """A table is done."""
    if rows:
        print(f"  {table}: {rows} rows", file=sys.stderr, flush=True)
