"""Change a feed's options."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Connection, select, update

from inforadar.errors import NotFoundError
from inforadar.model.feed_options import FeedOptions, parse_options
from inforadar.model.ids import FeedId
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.types import db_after, db_now


def update_feed_options(connection: Connection, feed_id: FeedId, changes: Mapping[str, Any]) -> None:
    """Set the given options and leave the others; None removes one."""
    held = lock_options(connection, feed_id)
    save_options(connection, feed_id, held.replaced(changes))
    if "title" in changes and changes["title"] is None:
        # The feed is to have its document's title again.
        connection.execute(update(feeds).where(feeds.c.id == feed_id).values(is_title_given=False))
    # The options can decide which items are served.
    schedule = feed_schedules.c
    values: dict[str, Any] = {"build_at": db_after(schedule.build_at)}
    if not _AFFECT_WALK.isdisjoint(changes):
        # Pages that polling skipped as known and old may match now: the next walk goes down to the cutoff.
        values["walked_at"] = None
    connection.execute(update(feed_schedules).where(schedule.id == feed_id).values(**values))


_AFFECT_WALK = frozenset({"cutoff_date", "selectors"})
"""Options that decide which pages a walk finds."""


def lock_options(connection: Connection, feed_id: FeedId) -> FeedOptions:
    """Load the stored options and lock them until the commit."""
    held = select(feeds.c.options).where(feeds.c.id == feed_id).with_for_update()
    row = connection.execute(held).first()
    if row is None:
        raise NotFoundError(f"There is no feed {feed_id}.")
    return parse_options(row.options)


def save_options(connection: Connection, feed_id: FeedId, options: FeedOptions) -> None:
    connection.execute(
        update(feeds).where(feeds.c.id == feed_id).values(options=options.to_json(), updated_at=db_now())
    )


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
        # The user's own title would hide the one given now.
        said["title"] = title
    merged = parse_options({**usual, **held.to_json(), **said, "was_enabled": None})
    save_options(connection, feed_id, merged)
