"""The outbox of changes not yet written to Redis."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Integer, String, Table

from inforadar.store.schema.columns import metadata
from inforadar.store.types import JsonDoc, UtcDateTime, db_now

redis_outbox = Table(
    "redis_outbox",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("kind", String(16), nullable=False),
    Column("payload", JsonDoc, nullable=False),
    comment="what Redis has not been told yet; empty without Redis",
)
