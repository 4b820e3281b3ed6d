"""Progress of long commands on standard error, so that standard output stays clean for programs."""

from __future__ import annotations

import sys

from inforadar.texts import counted


def told(table: str, rows: int) -> None:
    """Print that a table is done."""
    if rows:
        print(f"  {table}: {counted(rows, 'row')}", file=sys.stderr, flush=True)
