"""Changing a feed's options, with the zone that its stored dates were read in (X8)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Connection, select, update

from inforadar.model.feed_options import FeedOptions, parse_options
from inforadar.model.ids import FeedId
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.types import db_after, db_now


def update_feed_options(connection: Connection, feed_id: FeedId, changes: Mapping[str, Any]) -> None:
    """Set the options that are named and leave the others; `None` removes one."""
    held = lock_options(connection, feed_id)
    changed = held.replaced(changes)
    if "timezone" in changes:
        changed = _dated_in(changed, _zone_before(held))
    save_options(connection, feed_id, changed)
    # Which items it is served with can depend on them.
    schedule = feed_schedules.c
    values: dict[str, Any] = {"build_at": db_after(schedule.build_at)}
    if not _DEEPER.isdisjoint(changes):
        # What polling left out as known and old may be news to these: the next walk goes down to the cutoff.
        values["walked_at"] = None
    connection.execute(update(feed_schedules).where(schedule.id == feed_id).values(**values))


_DEEPER = frozenset({"cutoff_date", "selectors"})
"""Options that decide what a walk finds."""


def settle_zone(connection: Connection, feed_id: FeedId, name: str) -> None:
    """The stored dates are now those of this zone; which is not the feed's, if it was changed again meanwhile."""
    held = lock_options(connection, feed_id)
    save_options(connection, feed_id, _dated_in(held, name))


def lock_options(connection: Connection, feed_id: FeedId) -> FeedOptions:
    """The stored options; nobody else changes them until the commit."""
    held = select(feeds.c.options).where(feeds.c.id == feed_id).with_for_update()
    return parse_options(connection.execute(held).scalar_one())


def save_options(connection: Connection, feed_id: FeedId, options: FeedOptions) -> None:
    connection.execute(
        update(feeds).where(feeds.c.id == feed_id).values(options=options.to_json(), updated_at=db_now())
    )


def _zone_before(options: FeedOptions) -> str:
    """What the stored dates were read in."""
    return options.dated_in or options.timezone or "UTC"


def _dated_in(options: FeedOptions, name: str) -> FeedOptions:
    """Notes the zone of the stored dates for as long as it is not the feed's."""
    return options.replaced({"dated_in": None if name == (options.timezone or "UTC") else name})


def revive_options(
    connection: Connection,
    feed_id: FeedId,
    title: str | None,
    options: FeedOptions,
    defaulted: Collection[str],
) -> None:
    """Merge the options of a revived feed: given values win, `defaulted` ones only fill gaps."""
    held = lock_options(connection, feed_id)
    given = options.to_json()
    usual = {name: value for name, value in given.items() if name in defaulted}
    said = {name: value for name, value in given.items() if name not in defaulted}
    if title is not None and held.title is not None:
        # What a person called it would hide the name that it is given now.
        said["title"] = title
    merged = parse_options({**usual, **held.to_json(), **said, "was_enabled": None})
    # Its items are there still, with the dates that they came with.
    save_options(connection, feed_id, _dated_in(merged, _zone_before(held)))
