"""`inforadar feed delays`: how late news was seen, beside what was expected."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

from inforadar.cli.feed.feeds import Json
from inforadar.cli.terminal.output import print_json, print_line
from inforadar.cli.terminal.run import on_store
from inforadar.cli.terminal.tables import print_table
from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.store.database import Database
from inforadar.store.feeds.history import load_delays_by_day
from inforadar.store.feeds.rhythms import Price, load_price
from inforadar.texts import counted


def delays(
    *,
    days: Annotated[int, Parameter(validator=Number(gte=1, lte=3650), help="How many days to show.")] = 14,
    json: Json = False,
) -> None:
    """Show how late news was seen each day, beside the delay that the plans expected."""
    since = (utc_now() - timedelta(days=days - 1)).date()

    async def work(database: Database, _: Settings) -> tuple[list[dict[str, Any]], Price | None]:
        return await database.read(load_delays_by_day, since), await database.read(load_price)

    found, price = on_store(work)
    if json:
        planned = (
            {
                "feeds": price.feeds,
                "budget": price.budget,
                "planned": price.planned,
                "price_s": price.price_s,
                "expected_delay_s": price.expected_delay_s,
            }
            if price
            else None
        )
        print_json({"days": found, "plan": planned})
        return
    print_table(
        ["Day!", "Requests", "New items", "Observed delay", "Expected delay"],
        (
            (
                row["day"],
                f"{row['fetches']:,}",
                f"{row['timed']:,}",
                _minutes(row["delay_s"]),
                _minutes(row["expected_delay_s"]),
            )
            for row in found
        ),
        empty="No feed was fetched in that time.",
    )
    if price:
        print_line(
            f"{counted(price.feeds, 'feed')} {'is' if price.feeds == 1 else 'are'} polled by their rhythm: "
            f"{price.planned:,.0f} requests a day are planned, "
            f"{price.budget:,.0f} are the budget, {_minutes(price.expected_delay_s)} of delay are expected."
        )


def _minutes(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds / 60:.1f} min"
