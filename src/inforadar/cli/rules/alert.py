"""`inforadar alert …`: feeds that need attention."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from inforadar.actions.rules.silence import silence_alerts
from inforadar.cli.terminal.output import print_json, print_line, safe, short_time
from inforadar.cli.terminal.run import on_store
from inforadar.cli.terminal.tables import print_table
from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.errors import UsageError
from inforadar.model.alert import Alert
from inforadar.model.search import parse_time
from inforadar.store.database import Database
from inforadar.store.feeds.queries import find_feed
from inforadar.store.rules.alerts import load_alerts

Json = Annotated[bool, Parameter(name="--json", negative="", help="Print JSON.")]
FeedName = Annotated[str, Parameter(help="The feed: its URL, or the end of its id.")]


def list_(
    *,
    ended: Annotated[bool, Parameter(name="--all", negative="", help="Also alerts that are over.")] = False,
    json: Json = False,
) -> None:
    """List feeds that are broken, silent, losing entries, moved or gone."""

    async def work(database: Database, _: Settings) -> list[Alert]:
        return await database.read(load_alerts, only_open=not ended, with_quiet=True)

    alerts = on_store(work)
    if json:
        print_json([alert_document(alert) for alert in alerts])
        return
    print_table(
        ["Feed", "Alert!", "Message", "Since!", "Quiet until!"],
        (
            (alert.name, alert.kind, alert.message, short_time(alert.began_at), short_time(alert.quiet_until))
            for alert in alerts
        ),
        empty="No alerts.",
        only_wide=("Quiet until!",),
    )


def quiet(
    feed: FeedName,
    until: Annotated[str, Parameter(help="A date such as 2026-05-01, or a time such as 7d; `now` ends it.")],
    *,
    json: Json = False,
) -> None:
    """Be quiet about a feed's alerts until a time: it is fine as it is."""
    now = utc_now()
    end = None if until == "now" else parse_time(until, now)
    if end is not None and end <= now:
        raise UsageError(f"{until!r} is in the past; nothing was changed.")

    async def work(database: Database, _: Settings) -> str:
        found = await database.read(find_feed, feed)
        await silence_alerts(database, found.id, end)
        return found.title or found.source

    name = on_store(work)
    if json:
        print_json({"feed": name, "quiet_until": end.isoformat() if end else None})
    else:
        print_line(f"{safe(name)}: quiet until {short_time(end)}." if end else f"{safe(name)}: told again.")


def alert_document(alert: Alert) -> dict[str, Any]:
    return {
        "feed_id": str(alert.feed_id),
        "feed": alert.name,
        "kind": alert.kind.value,
        "message": alert.message,
        "began_at": alert.began_at.isoformat(),
        "ended_at": alert.ended_at.isoformat() if alert.ended_at else None,
        "quiet_until": alert.quiet_until.isoformat() if alert.quiet_until else None,
    }
