"""What becomes of a sitemap's URLs when their items are saved: marked as processed, in the same transaction.

So an item and the mark that it was published are one: a crash leaves both or neither. A page whose lastmod has
advanced is published once more: its item moves up to that date, and its article is asked for again.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, bindparam, insert, select, update

from inforadar.model.ids import new_uuid
from inforadar.model.item import ItemChange
from inforadar.model.schedule import ListingPart
from inforadar.model.sitemap import UrlState
from inforadar.store.schema.articles import articles
from inforadar.store.schema.items import item_changes, items
from inforadar.store.sitemaps.record import mark_urls
from inforadar.store.types import db_now, one_of
from inforadar.urls import uid, url_hash

_i = items.c

SITE = "site"
"""In `ListingPart.state`: the site whose URLs the part's items are."""
FAILED = "failed"
"""In `ListingPart.state`: URLs that could not be processed."""
MODIFIED = "modified"
"""In `ListingPart.state`: {URL: lastmod as ISO 8601} of pages that have changed."""


def settle_urls(connection: Connection, part: ListingPart) -> tuple[ItemChange, ...]:
    """Marks what a part's items came from; returns the items that were published once more."""
    site_name = part.state[SITE]
    mark_urls(
        connection, site_name, [item.url for item in part.listed], UrlState.PROCESSED, published_at=part.at
    )
    if failed := part.state.get(FAILED):
        mark_urls(connection, site_name, failed, UrlState.FAILED)
    modified = part.state.get(MODIFIED)
    return _republish(connection, part, modified) if modified else ()


def _republish(connection: Connection, part: ListingPart, modified: dict[str, str]) -> tuple[ItemChange, ...]:
    dates = {url_hash(url): datetime.fromisoformat(lastmod) for url, lastmod in modified.items()}
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
        .where(one_of(articles.c.uid, uids), articles.c.next_attempt_at.is_(None))
        .values(next_attempt_at=db_now(), attempts=0)
    )
    return changes
