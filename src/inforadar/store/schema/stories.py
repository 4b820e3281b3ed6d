"""Stories: their items, the index by which items find them, the queue, and what people decided.

A trigger queues an item when it is new, when its title changes and when its article's text arrives. The migration has
its own copy of these statements.
"""

# ruff: noqa: S608 - statements are put together from constants

from __future__ import annotations

from sqlalchemy import (
    DDL,
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Uuid,
    event,
    false,
)

from inforadar.model.ids import new_uuid
from inforadar.store.schema.columns import created_column, metadata, partial_index, updated_column
from inforadar.store.types import JsonDoc, UtcDateTime, WebText, db_now

stories = Table(
    "stories",
    metadata,
    Column("id", Uuid, primary_key=True, default=new_uuid),
    created_column(),
    updated_column(),
    Column("began_at", UtcDateTime, nullable=False),
    Column("last_at", UtcDateTime, nullable=False),
    Column("item_count", Integer, nullable=False, server_default="0"),
    Column("source_count", Integer, nullable=False, server_default="0"),
    Column("merged_into", Uuid, ForeignKey("stories.id", ondelete="SET NULL")),
)
_told = stories.c.merged_into.is_(None)
partial_index("ix_stories_last_at", stories.c.last_at.desc(), where=_told)
_merged = stories.c.merged_into.is_not(None)
partial_index("ix_stories_merged_into", stories.c.merged_into, where=_merged)

story_items = Table(
    "story_items",
    metadata,
    Column("item_id", Uuid, ForeignKey("items.id", ondelete="CASCADE"), primary_key=True),
    Column("story_id", Uuid, ForeignKey("stories.id", ondelete="CASCADE"), nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("joined_at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("copy_of", Uuid, comment="the item whose text this one repeats"),
    Column("is_pinned", Boolean, nullable=False, server_default=false(), comment="a person put it here"),
    Column("reasons", JsonDoc, comment="why it joined"),
    Column("signature", JsonDoc, comment="what it is compared by, while it is in the window"),
    Column("vectors", WebText, comment="of the title, and of title and lead"),
    Column("version", BigInteger, nullable=False, comment="of the grouping when it was placed"),
)
Index("ix_story_items_story_id_at", story_items.c.story_id, story_items.c.at)
Index("ix_story_items_version", story_items.c.version)
_compared = story_items.c.signature.is_not(None)
partial_index("ix_story_items_compared", story_items.c.joined_at, where=_compared)

story_keys = Table(
    "story_keys",
    metadata,
    Column("key", WebText, primary_key=True),
    Column("at", UtcDateTime, primary_key=True),
    Column("item_id", Uuid, ForeignKey("items.id", ondelete="CASCADE"), primary_key=True, index=True),
    comment="the heaviest words and the text's prints of items in the window",
)

story_words = Table(
    "story_words",
    metadata,
    Column("key", WebText, primary_key=True),
    Column("item_count", Integer, nullable=False),
    Column("capital", Integer, nullable=False),
    Column("small", Integer, nullable=False),
    comment="how many items have a word, and how it is written inside sentences",
)

story_state = Table(
    "story_state",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column(
        "version", BigInteger, nullable=False, comment="grows with every change; decisions are made on one"
    ),
    Column("counted", BigInteger, nullable=False, comment="how many were counted in story_words"),
)

story_apart = Table(
    "story_apart",
    metadata,
    Column("one", Uuid, ForeignKey("stories.id", ondelete="CASCADE"), primary_key=True),
    Column("other", Uuid, ForeignKey("stories.id", ondelete="CASCADE"), primary_key=True, index=True),
    created_column(),
    comment="a person said that these are not the same event; both orders are stored",
)

story_events = Table(
    "story_events",
    metadata,
    Column("id", Uuid, primary_key=True, default=new_uuid),
    Column("story_id", Uuid, ForeignKey("stories.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("kind", String(16), nullable=False),
    Column("other", Uuid, comment="the other story, or the item"),
    Column("by_hand", Boolean, nullable=False, server_default=false()),
    Column("score", Float),
)

story_queue = Table(
    "story_queue",
    metadata,
    Column("item_id", Uuid, ForeignKey("items.id", ondelete="CASCADE"), primary_key=True),
    Column("due_at", UtcDateTime, nullable=False, server_default=db_now(), index=True),
    Column("locked_until", UtcDateTime),
    Column("lease_token", String(32)),
    comment="written by triggers: items to be placed, or placed again",
)

SQLITE = (
    "CREATE TRIGGER items_added_for_stories AFTER INSERT ON items BEGIN "
    "DELETE FROM story_queue WHERE item_id = new.id; INSERT INTO story_queue(item_id) VALUES (new.id); END",
    "CREATE TRIGGER items_changed_for_stories AFTER UPDATE OF title ON items WHEN new.title IS NOT old.title BEGIN "
    "DELETE FROM story_queue WHERE item_id = new.id; INSERT INTO story_queue(item_id) VALUES (new.id); END",
    "CREATE TRIGGER articles_changed_for_stories AFTER UPDATE OF clean_text ON articles "
    "WHEN new.clean_text IS NOT old.clean_text BEGIN "
    "DELETE FROM story_queue WHERE item_id IN (SELECT id FROM items WHERE url = new.url); "
    "INSERT INTO story_queue(item_id) SELECT id FROM items WHERE url = new.url; END",
)
_REQUEUE = "ON CONFLICT (item_id) DO UPDATE SET due_at = statement_timestamp(), locked_until = NULL, lease_token = NULL"
POSTGRESQL = (
    "CREATE FUNCTION item_for_stories() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
    f"INSERT INTO story_queue(item_id) VALUES (new.id) {_REQUEUE}; RETURN NULL; END $$",
    "CREATE FUNCTION article_for_stories() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
    f"INSERT INTO story_queue(item_id) SELECT id FROM items WHERE url = new.url ORDER BY id {_REQUEUE}; "
    "RETURN NULL; END $$",
    "CREATE TRIGGER items_added_for_stories AFTER INSERT ON items "
    "FOR EACH ROW EXECUTE FUNCTION item_for_stories()",
    "CREATE TRIGGER items_changed_for_stories AFTER UPDATE OF title ON items FOR EACH ROW "
    "WHEN (new.title IS DISTINCT FROM old.title) EXECUTE FUNCTION item_for_stories()",
    "CREATE TRIGGER articles_changed_for_stories AFTER UPDATE OF clean_text ON articles FOR EACH ROW "
    "WHEN (new.clean_text IS DISTINCT FROM old.clean_text) EXECUTE FUNCTION article_for_stories()",
)

for _dialect, _statements in (("sqlite", SQLITE), ("postgresql", POSTGRESQL)):
    for _statement in _statements:
        event.listen(metadata, "after_create", DDL(_statement).execute_if(dialect=_dialect))  # type: ignore[no-untyped-call]
