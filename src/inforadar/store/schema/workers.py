"""Workers: which processes are alive, so that the leases of a dead one can be freed."""

from __future__ import annotations

from sqlalchemy import Column, String, Table

from inforadar.store.schema.columns import metadata
from inforadar.store.types import UtcDateTime, db_now

workers = Table(
    "workers",
    metadata,
    Column("id", String(16), primary_key=True, comment="the first characters of its lease tokens"),
    Column("name", String(80), nullable=False, comment="host and process, for people"),
    Column("started_at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("alive_until", UtcDateTime, nullable=False, comment="renewed as long as it lives"),
)
