"""Counters of items by feed, and of items read by person and feed.

Counting a million items takes longer than an app waits for its unread counts. What is unread is a difference: the
items of a feed less those that the person has read. Triggers count what is deleted and marked, because that happens in
many places, also by foreign keys; new items are counted where they are inserted (`items/count_added.py`), since a
trigger would run for each of them.

The migration has its own copy of the same statements. A later migration that recreates `items` or `marks`, as SQLite
must for most changes, has to create their triggers again.
"""

from __future__ import annotations

from sqlalchemy import DDL, BigInteger, Column, ForeignKey, Table, Uuid, event

from inforadar.store.schema.columns import metadata
from inforadar.store.types import UtcDateTime

feed_counts = Table(
    "feed_counts",
    metadata,
    Column("feed_id", Uuid, ForeignKey("feeds.id", ondelete="CASCADE"), primary_key=True),
    Column("items", BigInteger, nullable=False),
    Column("newest_at", UtcDateTime, nullable=False, comment="when its newest item was added"),
)

person_feed_counts = Table(
    "person_feed_counts",
    metadata,
    Column("person_id", Uuid, ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
    Column("feed_id", Uuid, ForeignKey("feeds.id", ondelete="CASCADE"), primary_key=True),
    Column("read", BigInteger, nullable=False, comment="items of the feed that the person has read"),
)

_DELETE_ITEM = (
    "UPDATE feed_counts SET items = items - 1 WHERE feed_id = old.feed_id; "
    "UPDATE person_feed_counts SET read = read - 1 WHERE feed_id = old.feed_id AND person_id IN "
    "(SELECT person_id FROM marks WHERE hash = old.hash AND read_at IS NOT NULL); "
)
_ADD_READ = (
    "INSERT INTO person_feed_counts(person_id, feed_id, read) "
    "SELECT new.person_id, feed_id, 1 FROM items WHERE url = new.url "
    "ON CONFLICT (person_id, feed_id) DO UPDATE SET read = person_feed_counts.read + 1; "
)
_DELETE_READ = (
    "UPDATE person_feed_counts SET read = read - 1 WHERE person_id = old.person_id AND feed_id IN "
    "(SELECT feed_id FROM items WHERE url = old.url); "
)

SQLITE = (
    f"CREATE TRIGGER items_deleted_for_counts AFTER DELETE ON items BEGIN {_DELETE_ITEM}END",
    "CREATE TRIGGER marks_added_for_counts AFTER INSERT ON marks WHEN new.read_at IS NOT NULL "
    f"BEGIN {_ADD_READ}END",
    "CREATE TRIGGER marks_read_for_counts AFTER UPDATE OF read_at ON marks "
    f"WHEN old.read_at IS NULL AND new.read_at IS NOT NULL BEGIN {_ADD_READ}END",
    "CREATE TRIGGER marks_unread_for_counts AFTER UPDATE OF read_at ON marks "
    f"WHEN old.read_at IS NOT NULL AND new.read_at IS NULL BEGIN {_DELETE_READ}END",
    "CREATE TRIGGER marks_deleted_for_counts AFTER DELETE ON marks WHEN old.read_at IS NOT NULL "
    f"BEGIN {_DELETE_READ}END",
)

_FUNCTION = "CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body}RETURN NULL; END $$"
POSTGRESQL = (
    _FUNCTION.format(name="count_deleted_item", body=_DELETE_ITEM),
    _FUNCTION.format(name="count_read_mark", body=_ADD_READ),
    _FUNCTION.format(name="count_unread_mark", body=_DELETE_READ),
    "CREATE TRIGGER items_deleted_for_counts AFTER DELETE ON items "
    "FOR EACH ROW EXECUTE FUNCTION count_deleted_item()",
    "CREATE TRIGGER marks_added_for_counts AFTER INSERT ON marks FOR EACH ROW "
    "WHEN (new.read_at IS NOT NULL) EXECUTE FUNCTION count_read_mark()",
    "CREATE TRIGGER marks_read_for_counts AFTER UPDATE OF read_at ON marks FOR EACH ROW "
    "WHEN (old.read_at IS NULL AND new.read_at IS NOT NULL) EXECUTE FUNCTION count_read_mark()",
    "CREATE TRIGGER marks_unread_for_counts AFTER UPDATE OF read_at ON marks FOR EACH ROW "
    "WHEN (old.read_at IS NOT NULL AND new.read_at IS NULL) EXECUTE FUNCTION count_unread_mark()",
    "CREATE TRIGGER marks_deleted_for_counts AFTER DELETE ON marks FOR EACH ROW "
    "WHEN (old.read_at IS NOT NULL) EXECUTE FUNCTION count_unread_mark()",
)

for _dialect, _statements in (("sqlite", SQLITE), ("postgresql", POSTGRESQL)):
    for _statement in _statements:
        event.listen(metadata, "after_create", DDL(_statement).execute_if(dialect=_dialect))  # type: ignore[no-untyped-call]
