"""`inforadar opml …`: import and export lists of feeds."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from inforadar.actions.opml import render_opml
from inforadar.actions.opml_import import import_opml
from inforadar.cli.terminal.output import binary_output, print_json, print_line, safe
from inforadar.cli.terminal.run import on_store
from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.errors import UsageError
from inforadar.model.subscription import Imported
from inforadar.store.database import Database
from inforadar.store.feeds.queries import load_feeds
from inforadar.texts import counted
from inforadar.views.json import imported_document


def import_(
    file: Annotated[Path, Parameter(help="The OPML file; - for standard input.", allow_leading_hyphen=True)],
    *,
    json: Annotated[bool, Parameter(name="--json", negative="", help="Print JSON.")] = False,
) -> int:
    """Add every feed of an OPML file: enabled, polling, fetched now. Folders become topics.

    If the file was cut off, its complete entries are added and the exit code is 1.
    """
    data = _read(file)

    async def work(database: Database, settings: Settings) -> Imported:
        return await import_opml(database, settings.fetcher, data)

    imported = on_store(work)
    if json:
        print_json(imported_document(imported, utc_now()))
        return int(imported.is_cut_off)
    print_line(
        f"{counted(len(imported.added), 'feed')} added, {len(imported.known)} already existed, "
        f"{len(imported.skipped)} skipped."
    )
    for url, feed in imported.twins:
        print_line(f"  {safe(url)}: you already follow this as {safe(feed.url)}.")
    for what, why in imported.skipped:
        print_line(f"  skipped {safe(what)}: {safe(why)}")
    if imported.added:
        print_line("A running worker fetches them now; otherwise run `inforadar worker --once`.")
    if imported.warning:
        print(f"inforadar: {imported.warning}", file=sys.stderr)
    return int(imported.is_cut_off)


def _read(file: Path) -> bytes:
    if str(file) == "-":
        return sys.stdin.buffer.read()
    try:
        return file.read_bytes()
    except OSError as fault:
        raise UsageError(f"{file} cannot be read: {fault.strerror}.") from None


def export(*, output: Annotated[Path | None, Parameter(help="Default: standard output.")] = None) -> None:
    """Write all feeds to an OPML file, one folder per topic."""

    async def work(database: Database, settings: Settings) -> bytes:
        return render_opml(await database.read(load_feeds), public_url=settings.web.public_url)

    document = on_store(work)
    if output is None:
        with binary_output() as out:
            out.write(document)
        return
    try:
        output.write_bytes(document)
    except OSError as fault:
        raise UsageError(f"{output} cannot be written: {fault.strerror}.") from None
    print_line(f"Wrote {output}")
