"""Hosts: slots, pauses and robots.txt."""

from __future__ import annotations

from sqlalchemy import Column, Float, String, Table

from inforadar.store.schema.columns import metadata, updated_column
from inforadar.store.types import UtcDateTime, WebText

hosts = Table(
    "hosts",
    metadata,
    Column("host", WebText, primary_key=True, comment="hostname:port"),
    updated_column(),
    Column("next_free_at", UtcDateTime),
    Column("paused_until", UtcDateTime),
    Column("pause_reason", WebText),
    Column("crawl_delay_s", Float),
    Column("robots_access", String(8), comment="rules, all or none"),
    Column("robots_text", WebText),
    Column("robots_at", UtcDateTime),
)
