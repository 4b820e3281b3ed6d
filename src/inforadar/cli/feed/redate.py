"""`inforadar feed redate`: corrects stored dates after a change of a feed's time zone."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from inforadar.actions.redate import Redated
from inforadar.app.lookups import open_redater
from inforadar.cli.feed.feeds import Json, Reference
from inforadar.cli.terminal.output import print_json, print_line, safe
from inforadar.cli.terminal.run import on_store
from inforadar.config import Settings
from inforadar.store.database import Database
from inforadar.store.feeds.queries import find_feed
from inforadar.texts import counted


def redate(
    feed: Reference,
    *,
    former: Annotated[
        str, Parameter(name="--from", help="The time zone in which the stored dates were read.")
    ] = "UTC",
    json: Json = False,
) -> None:
    """Correct stored dates that were read in the wrong time zone; set the right one with `feed edit` first.

    Fetches the feed once and saves nothing else. Dates that name a zone, dates that the site changed, and items that
    are no longer listed stay as they are.
    """

    async def work(database: Database, settings: Settings) -> Redated:
        found = await database.read(find_feed, feed)
        async with open_redater(settings, database) as redater:
            return await redater.redate(found, former)

    done = on_store(work)
    if json:
        print_json({"corrected": done.corrected, "listed": done.listed, "from": done.former, "to": done.zone})
        return
    dates = counted(done.listed, "date")
    print_line(f"Corrected {done.corrected:,} of {dates} from {safe(done.former)} to {safe(done.zone)}.")
