"""What a fetch found and has not processed yet, kept on disk so that a run that is killed goes on from there.

Rows belong to a feed, in the order in which they were found: the parts of its listing, then the end of the job.
Whoever holds the feed's lease may add, process and delete them; nobody else touches them. Saving the end of any job
of the feed deletes what is left, so that nothing old is ever processed after something newer.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, delete

from inforadar.model.ids import FeedId
from inforadar.store.schema import found_parts
from inforadar.store.types import one_of


def delete_found(connection: Connection, feed_ids: Iterable[FeedId]) -> None:
    connection.execute(delete(found_parts).where(one_of(found_parts.c.feed_id, feed_ids)))
