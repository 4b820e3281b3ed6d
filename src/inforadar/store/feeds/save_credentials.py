"""Save the credentials of feeds. Separate from loading them, because no interface may save them directly."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, delete, select, update

from inforadar.model.ids import FeedId
from inforadar.store.schema.feeds import feed_credentials, feed_schedules
from inforadar.store.types import db_after
from inforadar.store.upsert import upsert


def save_credentials(connection: Connection, feed_id: FeedId, headers: Mapping[str, str]) -> None:
    """Replace a feed's credentials; without headers, delete them."""
    # A feed with credentials is published without whole texts.
    schedule = feed_schedules.c
    connection.execute(
        update(feed_schedules).where(schedule.id == feed_id).values(build_at=db_after(schedule.build_at))
    )
    if not headers:
        connection.execute(delete(feed_credentials).where(feed_credentials.c.id == feed_id))
        return
    connection.execute(
        upsert(connection, feed_credentials)
        .values(id=feed_id, headers=dict(headers))
        .on_conflict_do_update(index_elements=["id"], set_={"headers": dict(headers)})
    )


def add_credentials(connection: Connection, feed_id: FeedId, headers: Mapping[str, str]) -> None:
    """Add headers to a feed's credentials; one with the same name, ignoring case, is replaced."""
    held = select(feed_credentials.c.headers).where(feed_credentials.c.id == feed_id).with_for_update()
    new = {name.lower() for name in headers}
    stored = connection.execute(held).scalar() or {}
    kept = {name: value for name, value in stored.items() if name.lower() not in new}
    save_credentials(connection, feed_id, {**kept, **headers})
