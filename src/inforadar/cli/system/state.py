"""`inforadar export` and `inforadar import`: everything, as one file."""

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
        bool, Parameter(negative="--no-credentials", help="With passwords and headers of feeds.")
    ] = True,
    json: Json = False,
) -> None:
    """Write everything into one file: feeds, schedules, states, items, articles, analyses, marks."""
    if str(file) == "-" and sys.stdout.isatty():
        raise UsageError("An export is nothing to look at. Send it on (`| ssh …`), or name a file.")

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
    print_line(f"Wrote {feeds} and {items} to {file} ({size_text(file.stat().st_size)}).")
    if rows.get("feed_credentials"):
        print_line("It holds credentials, so that only you can read it; --no-credentials leaves them out.")


def import_(
    file: Annotated[
        Path, Parameter(help="The file to read; - for standard input.", allow_leading_hyphen=True)
    ],
    *,
    replace: Annotated[bool, Parameter(negative="", help="Delete everything that is there first.")] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Read what `export` wrote, into an empty database. All of it, or nothing."""
    if replace:
        confirm("Delete everything that is in the database?", yes=yes, undone="Nothing was imported.")

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
    print_line(f"Imported {feeds} and {items}. A running worker goes on with them.")
