"""Readers' marks."""

from __future__ import annotations

from sqlalchemy import Column, String, Table

from inforadar.store.schema.columns import metadata, partial_index
from inforadar.store.types import UtcDateTime, WebText

marks = Table(
    "marks",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("url", WebText, nullable=False),
    Column("read_at", UtcDateTime),
    Column("starred_at", UtcDateTime),
    Column("archived_at", UtcDateTime),
)
partial_index(marks.c.starred_at)
partial_index(marks.c.archived_at)
