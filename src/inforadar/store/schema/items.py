"""Items, their changes, and the hashes that retention leaves behind."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Uuid,
    false,
    literal_column,
    text,
)

from inforadar.model.ids import new_uuid
from inforadar.model.item import METADATA_FIELDS
from inforadar.model.metadata_fields import MetadataField
from inforadar.store.schema.columns import (
    created_column,
    filled_index,
    hash_index,
    metadata,
    partial_index,
    updated_column,
)
from inforadar.store.types import JsonDoc, UtcDateTime, WebText, db_now, fragment_at, guid_key

_SCALAR_TYPES = {str: WebText, int: BigInteger, float: Float}


def metadata_columns(fields: Iterable[MetadataField]) -> list[Column[Any]]:
    """A column for each field, with the field's name; a tuple is stored as JSON."""
    return [Column(field.name, JsonDoc if field.is_list else _SCALAR_TYPES[field.type]) for field in fields]


items = Table(
    "items",
    metadata,
    Column("id", Uuid, primary_key=True, default=new_uuid),
    created_column(),
    updated_column(),
    Column("hash", String(64), nullable=False),
    Column("feed_id", Uuid, ForeignKey("feeds.id", ondelete="CASCADE"), nullable=False),
    Column("url", WebText, nullable=False),
    Column("uid", String(16), nullable=False),
    Column("pub_date", UtcDateTime, nullable=False, server_default=db_now()),
    Column("content", WebText, nullable=False, server_default=""),
    Column("guid", WebText, comment="the entry's own id"),
    *metadata_columns(METADATA_FIELDS),
    Column("run_id", Uuid, ForeignKey("runs.id", ondelete="SET NULL"), index=True),
    Column("analyzer_result", JsonDoc, nullable=False, server_default=text("'{}'")),
    Column("analyzed_at", UtcDateTime),
    Column("score", Float),
    Column("analyze_at", UtcDateTime),
    Column("analyze_until", UtcDateTime),
    Column("analyze_token", String(32)),
    Column("analyze_attempts", Integer, nullable=False, server_default="0"),
    Column("analyze_error", WebText),
    Column(
        "is_shared",
        Boolean,
        nullable=False,
        server_default=false(),
        comment="other feeds list the same url",
    ),
    Column("link", WebText, comment="the entry's latest link, if it is not the url"),
    Column("dated_at", UtcDateTime, comment="the date as the source gave it; pub_date sorts"),
    Column("revised_at", UtcDateTime, comment="when the source says that it changed the entry"),
    CheckConstraint("score >= 0 AND score <= 1", name="score"),
)
Index("idx_feed_id_hash", items.c.feed_id, items.c.hash, unique=True)
Index("ix_items_feed_id_pub_date", items.c.feed_id, items.c.pub_date.desc())
# By when they were added, as apps synchronize: ids grow with time.
Index("ix_items_feed_id_id", items.c.feed_id, items.c.id)
Index("ix_items_pub_date", items.c.pub_date.desc())
hash_index("ix_items_url", items.c.url)
filled_index(items.c.analyze_at)
# Entries are found again by their id, where that says more than the URL, and by the page that they share with others.
# An id can be longer than an index entry of PostgreSQL may be, hence its digest there.
HAS_OWN_ID = items.c.guid != items.c.url
IS_PART_OF_PAGE = fragment_at(items.c.url) > literal_column("0")
partial_index("ix_items_guid", items.c.feed_id, guid_key(items.c.guid), where=HAS_OWN_ID)
partial_index("ix_items_page", items.c.feed_id, items.c.uid, where=IS_PART_OF_PAGE)
# A range of scores with few items is selected from this index alone. New items have no score and are not in it.
_scored = items.c.score.is_not(None)
partial_index("ix_items_score", items.c.score, items.c.pub_date, items.c.feed_id, items.c.id, where=_scored)

item_changes = Table(
    "item_changes",
    metadata,
    Column("id", Uuid, primary_key=True, default=new_uuid),
    Column("item_id", Uuid, ForeignKey("items.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("run_id", Uuid, ForeignKey("runs.id", ondelete="SET NULL"), index=True),
    Column("at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("fields", JsonDoc, nullable=False, comment="{field: [old, new]}"),
)

forgotten_items = Table(
    "forgotten_items",
    metadata,
    Column("feed_id", Uuid, ForeignKey("feeds.id", ondelete="CASCADE"), primary_key=True),
    Column("hash", String(64), primary_key=True),
    Column("item_id", Uuid, nullable=False),
    Column("pub_date", UtcDateTime, nullable=False),
    Column("forgotten_at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("guid", WebText, comment="the entry's own id"),
    comment="what retention left of items: a URL that is still listed never comes back as new",
)
_has_id = forgotten_items.c.guid.is_not(None)
partial_index(
    "ix_forgotten_items_guid", forgotten_items.c.feed_id, guid_key(forgotten_items.c.guid), where=_has_id
)
