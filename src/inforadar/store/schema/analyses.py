"""Cached analyses and their cost."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Date, Float, Integer, String, Table, Uuid

from inforadar.store.schema.columns import created_column, metadata
from inforadar.store.types import JsonDoc, WebText

analyses_cache = Table(
    "analyses_cache",
    metadata,
    Column("key", String(64), primary_key=True, comment="SHA-256 over text, prompt version and model"),
    created_column(),
    Column("model", WebText, nullable=False),
    Column("prompt_version", WebText, nullable=False),
    Column("result", JsonDoc, nullable=False),
    Column("tokens_in", Integer, nullable=False, server_default="0"),
    Column("tokens_out", Integer, nullable=False, server_default="0"),
    Column("cost", Float, nullable=False, server_default="0"),
)

analysis_costs = Table(
    "analysis_costs",
    metadata,
    Column("day", Date, primary_key=True, comment="UTC"),
    Column("model", WebText, primary_key=True),
    Column("feed_id", Uuid, primary_key=True),
    Column("calls", Integer, nullable=False, server_default="0"),
    Column("tokens_in", BigInteger, nullable=False, server_default="0"),
    Column("tokens_out", BigInteger, nullable=False, server_default="0"),
    Column("cost", Float, nullable=False, server_default="0", comment="US dollars"),
    comment="refers to no feed: what was spent stays spent when the feed is gone",
)
