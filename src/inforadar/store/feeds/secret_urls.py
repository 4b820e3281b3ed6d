"""The URLs of feeds that may hold a secret."""

from __future__ import annotations

from sqlalchemy import Connection, or_, select, union

from inforadar.store.schema.feeds import feed_urls, feeds


def load_urls_with_parameters(connection: Connection) -> list[str]:
    """The present and former URLs of all feeds, deleted ones too, that have a parameter or a user name."""
    found = union(
        *(
            select(table.c.url).where(or_(table.c.url.like("%=%"), table.c.url.like("%@%")))
            for table in (feeds, feed_urls)
        )
    )
    return list(connection.execute(found).scalars())
