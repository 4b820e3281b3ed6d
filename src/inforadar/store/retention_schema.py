"""What retention leaves behind."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, String, Table, Uuid

from inforadar.store.schema import metadata
from inforadar.store.types import UtcDateTime, db_now

forgotten_items = Table(
    "forgotten_items",
    metadata,
    Column("feed_id", Uuid, ForeignKey("feeds.id", ondelete="CASCADE"), primary_key=True),
    Column("hash", String(64), primary_key=True),
    Column("item_id", Uuid, nullable=False),
    Column("pub_date", UtcDateTime, nullable=False),
    Column("forgotten_at", UtcDateTime, nullable=False, server_default=db_now()),
    comment="what retention left of items: a URL that is still listed never comes back as new",
)
