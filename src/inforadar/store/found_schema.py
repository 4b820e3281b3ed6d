"""The table of what a fetch found and has not processed yet."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Integer, Table, Uuid

from inforadar.store.schema import metadata
from inforadar.store.types import UtcDateTime, WebText, db_now

found_parts = Table(
    "found_parts",
    metadata,
    Column("feed_id", Uuid, ForeignKey("feeds.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("run_id", Uuid, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("is_end", Boolean, nullable=False, comment="how the job ended; else one page of it"),
    Column("item_count", Integer, nullable=False),
    Column("document", WebText, nullable=False),
    comment="what a fetch found and has not processed yet; whoever holds the feed's lease may",
)
