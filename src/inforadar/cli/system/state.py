"""`inforadar export` and `inforadar import`: everything in one file."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from inforadar.actions.upkeep.export import export_stream, export_to
from inforadar.actions.upkeep.import_state import import_state
from inforadar.cli.terminal.confirm import Yes, confirm
from inforadar.cli.terminal.output import binary_output, print_json, print_line, size_text
from inforadar.cli.terminal.progress import told
from inforadar.cli.terminal.run import on_store
from inforadar.config import Settings
from inforadar.errors import UsageError
from inforadar.store.database import Database
from inforadar.texts import counted

Json = Annotated[bool, Parameter(name="--json", negative="", help="Print JSON.")]


def export(
    file: Annotated[
        Path, Parameter(help="The file to write; - for standard output.", allow_leading_hyphen=True)
    ],
    *,
    credentials: Annotated[
        bool, Parameter(negative="--no-credentials", help="Include the feeds' passwords and headers.")
    ] = True,
    json: Json = False,
) -> None:
    """Export everything to one file: feeds, schedules, states, items, articles, analyses and marks."""
    if str(file) == "-" and sys.stdout.isatty():
        raise UsageError(
            "An export is not meant for a terminal. Pipe it to a program (`| ssh …`) or name a file."
        )

    async def work(database: Database, _: Settings) -> dict[str, int]:
        if str(file) == "-":
            with binary_output() as out:
                return await export_stream(database, out, told, secrets=credentials)
        return await export_to(database, file, told, secrets=credentials)

    rows = on_store(work)
    if str(file) == "-":
        return
    if json:
        print_json({"file": str(file), "size": file.stat().st_size, "rows": rows})
        return
    feeds, items = (counted(rows[f"{noun}s"], noun) for noun in ("feed", "item"))
    print_line(f"Exported {feeds} and {items} to {file} ({size_text(file.stat().st_size)}).")
    if rows.get("feed_credentials"):
        print_line("It contains credentials, so only you can read it; --no-credentials leaves them out.")


def import_(
    file: Annotated[
        Path, Parameter(help="The file to read; - for standard input.", allow_leading_hyphen=True)
    ],
    *,
    replace: Annotated[bool, Parameter(negative="", help="Delete everything in the database first.")] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Import an export into an empty database, completely or not at all."""
    if replace:
        confirm("Delete everything in the database?", yes=yes, undone="Nothing was imported.")

    async def work(database: Database, _: Settings) -> dict[str, int]:
        try:
            opened = nullcontext(sys.stdin.buffer) if str(file) == "-" else file.open("rb")
        except OSError as fault:
            raise UsageError(f"{file} cannot be read: {fault.strerror}.") from None
        with opened as data:
            return await import_state(database, data, told, replace=replace)

    rows = on_store(work)
    if json:
        print_json({"rows": rows})
        return
    feeds, items = (counted(rows.get(f"{noun}s", 0), noun) for noun in ("feed", "item"))
    print_line(f"Imported {feeds} and {items}. A running worker picks them up.")
