"""Correct stored dates that were read in the wrong time zone: those of items, and of the URLs of a sitemap (X8).

Each statement compares a stored date with the wrong one and replaces it in the same step. A date that a worker, or an
earlier correction, has changed meanwhile no longer matches and stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, select, update

from inforadar.model.ids import FeedId, new_uuid
from inforadar.model.zone import DateCorrection
from inforadar.store.items.search_index import queue_for_search
from inforadar.store.rows import JsonRows, stored_id, stored_time
from inforadar.store.schema.feeds import feed_schedules
from inforadar.store.schema.items import item_changes, items
from inforadar.store.sitemaps.record import redate_urls
from inforadar.store.types import db_after
from inforadar.urls import url_hash

_i = items.c
_s = feed_schedules.c

_BATCH_ROWS = 5_000
_given = JsonRows("given", hash="text", before="timestamptz", after="timestamptz")
_REDATE = (
    update(items)
    .where(
        _i.feed_id == bindparam("feed", type_=_i.feed_id.type),
        _i.hash == _given.c["hash"],
        _i.pub_date == _given.c["before"],
    )
    .values(pub_date=_given.c["after"], updated_at=bindparam("at", type_=_i.updated_at.type))
    .returning(_i.id, _i.hash)
)


def redate_feed(
    connection: Connection,
    feed_id: FeedId,
    dates: Sequence[DateCorrection],
    *,
    at: datetime,
    site_name: str | None = None,
    lastmods: Sequence[DateCorrection] = (),
) -> int:
    """Correct the dates of a feed's items and, for a sitemap, the `lastmod` of its URLs.

    Each corrected item gets a recorded change. Returns the number of URLs with a corrected date.
    """
    # A worker that saves a job of this feed locks the same row: it writes before this transaction or after it.
    connection.execute(select(_s.id).where(_s.id == feed_id).with_for_update())
    redated: set[str] = set()
    for batch in _batches(dates):
        redated |= _redate_items(connection, feed_id, batch, at)
    if redated:
        connection.execute(
            update(feed_schedules).where(_s.id == feed_id).values(build_at=db_after(_s.build_at))
        )
    if site_name is not None:
        for batch in _batches(lastmods):
            redated |= redate_urls(connection, site_name, batch)
    return len(redated)


def _redate_items(
    connection: Connection, feed_id: FeedId, corrections: Sequence[DateCorrection], at: datetime
) -> set[str]:
    by_hash = {url_hash(one.url): one for one in corrections}
    rows = [
        (key, stored_time(connection, one.before), stored_time(connection, one.after))
        for key, one in by_hash.items()
    ]
    given = {**_given.parameters(rows), "feed": feed_id, "at": at}
    corrected = {row.id: by_hash[row.hash] for row in connection.execute(_REDATE, given)}
    if corrected:
        history = [
            {
                "id": new_uuid(),
                "item_id": item_id,
                "at": at,
                "fields": {"published_at": [one.before.isoformat(), one.after.isoformat()]},
            }
            for item_id, one in sorted(corrected.items())
        ]
        connection.execute(item_changes.insert(), history)
        queue_for_search(connection, [stored_id(connection, id_) for id_ in corrected])
    return {one.url for one in corrected.values()}


def _batches(corrections: Sequence[DateCorrection]) -> Iterator[Sequence[DateCorrection]]:
    for start in range(0, len(corrections), _BATCH_ROWS):
        yield corrections[start : start + _BATCH_ROWS]
