"""A feed's options, as JSON beside its columns: changed by name, with the zone its stored dates were read in (X8)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Connection, select, update

from inforadar.model.ids import FeedId
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.types import db_after, db_now


def update_feed_options(connection: Connection, feed_id: FeedId, changes: Mapping[str, Any]) -> None:
    """Sets the options that are named and leaves the others; `None` takes one away."""
    held = _hold_options(connection, feed_id)
    merged = {**held, **changes}
    if "timezone" in changes:
        merged |= _dated_in(merged, _zone_before(held))
    _save_options(connection, feed_id, merged)
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
    held = _hold_options(connection, feed_id)
    _save_options(connection, feed_id, held | _dated_in(held, name))


def _hold_options(connection: Connection, feed_id: FeedId) -> dict[str, Any]:
    held = select(feeds.c.options).where(feeds.c.id == feed_id).with_for_update()
    return dict(connection.execute(held).scalar_one())


def _save_options(connection: Connection, feed_id: FeedId, options: Mapping[str, Any]) -> None:
    given = {name: value for name, value in options.items() if value is not None}
    connection.execute(update(feeds).where(feeds.c.id == feed_id).values(options=given, updated_at=db_now()))


def _zone_before(options: Mapping[str, Any]) -> str:
    """What the stored dates were read in."""
    return options.get("dated_in") or options.get("timezone") or "UTC"


def _dated_in(options: Mapping[str, Any], name: str) -> dict[str, str | None]:
    """Notes the zone of the stored dates for as long as it is not the feed's."""
    return {"dated_in": None if name == (options.get("timezone") or "UTC") else name}


def revive_options(
    connection: Connection,
    feed_id: FeedId,
    title: str | None,
    options: Mapping[str, Any],
    defaulted: Collection[str],
) -> None:
    """Merge the options of a revived feed: given values win, `defaulted` ones only fill gaps."""
    held = _hold_options(connection, feed_id)
    usual = {name: value for name, value in options.items() if name in defaulted}
    merged = {**usual, **held, **{name: value for name, value in options.items() if name not in defaulted}}
    if title is not None and "title" in held:
        # What a person called it would hide the name that it is given now.
        merged["title"] = title
    # Its items are there still, with the dates that they came with.
    _save_options(connection, feed_id, merged | _dated_in(merged, _zone_before(held)))
