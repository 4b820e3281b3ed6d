"""Mark a sitemap's URLs as processed when their items are saved, in the same transaction.

So after a crash either both the item and its mark are stored, or neither. A page whose lastmod has advanced is
published again: its item moves up to that date, and its article is fetched again.
"""

from __future__ import annotations

from sqlalchemy import (
    Connection,
    bindparam,
    insert,
    or_,
    select,
    update,
)

from inforadar.model.ids import new_uuid
from inforadar.model.item import ItemChange
from inforadar.model.schedule import ListingPart
from inforadar.model.sitemap import UrlState
from inforadar.store.items.search_index import queue_for_search
from inforadar.store.rows import stored_id
from inforadar.store.schema.articles import articles
from inforadar.store.schema.items import item_changes, items
from inforadar.store.sitemaps.record import mark_urls
from inforadar.store.types import db_now, one_of
from inforadar.urls import uid, url_hash

_i = items.c


def settle_urls(connection: Connection, part: ListingPart, site_name: str) -> tuple[ItemChange, ...]:
    """Mark the URLs of a part's items; return the items that were published again."""
    mark_urls(
        connection, site_name, [item.url for item in part.listed], UrlState.PROCESSED, published_at=part.at
    )
    if part.state.failed:
        mark_urls(connection, site_name, part.state.failed, UrlState.FAILED)
    return _republish(connection, part) if part.state.modified else ()


def _republish(connection: Connection, part: ListingPart) -> tuple[ItemChange, ...]:
    dates = {url_hash(url): lastmod for url, lastmod in part.state.modified.items()}
    known = select(_i.id, _i.url, _i.hash, _i.pub_date).where(
        _i.feed_id == part.lease.feed.id, one_of(_i.hash, dates)
    )
    rows = [row for row in connection.execute(known) if row.pub_date < dates[row.hash]]
    if not rows:
        return ()
    connection.execute(
        update(items)
        .where(_i.id == bindparam("item"))
        .values(pub_date=bindparam("date", type_=_i.pub_date.type), updated_at=part.at),
        [{"item": row.id, "date": dates[row.hash]} for row in sorted(rows, key=lambda row: row.id)],
    )
    queue_for_search(connection, [stored_id(connection, row.id) for row in rows])
    changes = tuple(
        ItemChange(
            id=row.id,
            url=row.url,
            fields={"published_at": (row.pub_date.isoformat(), dates[row.hash].isoformat())},
        )
        for row in rows
    )
    history = [
        {
            "id": new_uuid(),
            "item_id": change.id,
            "run_id": part.run_id,
            "at": part.at,
            "fields": {name: list(pair) for name, pair in change.fields.items()},
        }
        for change in changes
    ]
    connection.execute(insert(item_changes), history)
    uids = [uid(row.url) for row in rows]
    connection.execute(
        update(articles)
        .where(
            one_of(articles.c.uid, uids),
            # Also one that is being fetched at this moment: that may still be the old text.
            or_(articles.c.next_attempt_at.is_(None), articles.c.lease_token.is_not(None)),
        )
        .values(next_attempt_at=db_now(), attempts=0)
    )
    return changes
