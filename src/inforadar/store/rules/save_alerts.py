"""Save what a look at the feeds' health found: begin, end and silence alerts, and tell channels."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from inforadar.model.alert import Alert, AlertKind, FoundAlert
from inforadar.model.ids import FeedId
from inforadar.store.rules.alerts import load_alerts
from inforadar.store.rules.note_events import note_alerts
from inforadar.store.rules.queries import load_channels
from inforadar.store.schema.rules import alert_snoozes, event_state, feed_alerts, notifications
from inforadar.store.types import one_of
from inforadar.store.upsert import upsert

_a, _z = feed_alerts.c, alert_snoozes.c
MAX_ALERTS = 100_000


def save_alerts(
    connection: Connection, kinds: Collection[AlertKind], found: Iterable[FoundAlert], now: datetime
) -> int:
    """Begin alerts that are new, end those of these kinds that are over; return how many began."""
    connection.execute(upsert(connection, event_state).values(id=1, last_number=0).on_conflict_do_nothing())
    connection.execute(select(event_state.c.last_number).with_for_update())
    current = {(alert.feed_id, alert.kind): alert for alert in found}
    is_open = (_a.ended_at.is_(None), _a.kind.in_([kind.value for kind in kinds]))
    known = {
        (row.feed_id, AlertKind(row.kind)): row
        for row in connection.execute(select(_a.id, _a.feed_id, _a.kind, _a.message).where(*is_open))
    }
    over = [row.id for key, row in known.items() if key not in current]
    if over:
        connection.execute(update(feed_alerts).where(one_of(_a.id, over)).values(ended_at=now))
    for key, row in known.items():
        if key in current and current[key].message != row.message:
            connection.execute(
                update(feed_alerts).where(_a.id == row.id).values(message=current[key].message)
            )
    begun = [alert for key, alert in current.items() if key not in known]
    if begun:
        connection.execute(
            insert(feed_alerts),
            [
                {"feed_id": one.feed_id, "kind": one.kind.value, "message": one.message, "began_at": now}
                for one in begun
            ],
        )
    heard_again = set(
        connection.execute(delete(alert_snoozes).where(_z.until <= now).returning(_z.feed_id)).scalars()
    )
    begun_keys = {(one.feed_id, one.kind) for one in begun}
    told = [
        alert
        for alert in load_alerts(connection, limit=MAX_ALERTS)
        if (alert.feed_id, alert.kind) in begun_keys or alert.feed_id in heard_again
    ]
    _tell(connection, told, now)
    return len(begun)


def _tell(connection: Connection, told: Sequence[Alert], now: datetime) -> None:
    if not told:
        return
    payloads = [_document(alert) for alert in told]
    note_alerts(
        connection,
        [{"feed_id": alert.feed_id, "payload": one} for alert, one in zip(told, payloads, strict=True)],
    )
    for channel in load_channels(connection):
        if channel.has_alerts:
            due_at = channel.digest.next(now) if channel.digest else now
            connection.execute(
                insert(notifications),
                [{"channel_id": channel.id, "alert": one, "due_at": due_at} for one in payloads],
            )


def _document(alert: Alert) -> dict[str, Any]:
    return {
        "feed_id": str(alert.feed_id),
        "kind": alert.kind.value,
        "title": alert.title,
        "message": alert.message,
        "began_at": alert.began_at.isoformat(),
    }


def silence_feed(connection: Connection, feed_id: FeedId, until: datetime | None) -> None:
    """Tell nobody about a feed's alerts until then; None ends that."""
    if until is None:
        connection.execute(delete(alert_snoozes).where(_z.feed_id == feed_id))
        return
    row = upsert(connection, alert_snoozes).values(feed_id=feed_id, until=until)
    connection.execute(
        row.on_conflict_do_update(index_elements=["feed_id"], set_={"until": row.excluded.until})
    )
