"""Save built feeds, and remove them from the build queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, select, update

from inforadar.model.ids import FeedId
from inforadar.store.published.cached_feeds import BuildJob, CachedFeed
from inforadar.store.schema.feeds import cached_feeds, feed_schedules
from inforadar.store.types import one_of
from inforadar.store.upsert import upsert


def save_cached_feeds(connection: Connection, documents: Mapping[FeedId, CachedFeed]) -> None:
    row = upsert(connection, cached_feeds)
    names = ("xml_header", "xml_content", "item_refs", "updated_at")
    connection.execute(
        row.on_conflict_do_update(index_elements=["id"], set_={name: row.excluded[name] for name in names}),
        [
            {
                "id": feed_id,
                "xml_header": document.xml_header,
                "xml_content": document.xml_content,
                "item_refs": list(document.item_refs),
                "updated_at": document.updated_at,
            }
            for feed_id, document in documents.items()
        ],
    )


def finish_builds(
    connection: Connection, built: Sequence[tuple[BuildJob, CachedFeed | None]]
) -> frozenset[FeedId]:
    """Store new documents and remove the feeds from the queue; return the feeds whose builds counted.

    A feed whose items changed meanwhile stays in the queue. If another worker has built it meanwhile, from items at
    least as new, nothing is stored.
    """
    s = feed_schedules.c
    ids = [job.feed.id for job, _ in built]
    held = select(s.id, s.build_at).where(one_of(s.id, ids)).order_by(s.id).with_for_update()
    marks = {row.id: row.build_at for row in connection.execute(held) if row.build_at is not None}
    documents = {job.feed.id: document for job, document in built if document and job.feed.id in marks}
    if documents:
        save_cached_feeds(connection, documents)
    done = [job.feed.id for job, _ in built if marks.get(job.feed.id) == job.build_at]
    connection.execute(update(feed_schedules).where(one_of(s.id, done)).values(build_at=None))
    return frozenset(marks)
