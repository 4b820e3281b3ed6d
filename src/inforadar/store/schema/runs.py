"""Runs, their events, and the spool of a fetch."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Integer, String, Table, Uuid, false, text

from inforadar.model.ids import new_uuid
from inforadar.model.run import RunKind
from inforadar.store.schema.columns import enum_check, filled_index, metadata
from inforadar.store.types import JsonDoc, UtcDateTime, WebText, db_now

runs = Table(
    "runs",
    metadata,
    Column("id", Uuid, primary_key=True, default=new_uuid),
    Column("kind", String(16), nullable=False),
    Column("started_at", UtcDateTime, nullable=False, index=True),
    Column("finished_at", UtcDateTime),
    Column("interrupted", Boolean, nullable=False, server_default=false()),
    Column("added_count", Integer, nullable=False, server_default="0"),
    Column("updated_count", Integer, nullable=False, server_default="0"),
    Column("errors_count", Integer, nullable=False, server_default="0"),
    Column("details", JsonDoc, nullable=False, server_default=text("'{}'")),
    Column("wanted_at", UtcDateTime, comment="asked for, and no process has taken it yet"),
    Column("stop_at", UtcDateTime, comment="someone asked that it stop"),
    Column("alive_until", UtcDateTime, comment="whoever executes it says so again before this"),
    enum_check("kind", RunKind),
)
filled_index(runs.c.wanted_at)
filled_index(runs.c.alive_until)

run_events = Table(
    "run_events",
    metadata,
    Column("run_id", Uuid, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("at", UtcDateTime, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("feed_id", Uuid),
    Column("label", WebText, nullable=False, server_default=""),
    Column("text", WebText, nullable=False, server_default=""),
    Column("found", Integer, nullable=False, server_default="0"),
    Column("done", Integer, nullable=False, server_default="0"),
    Column("pages", Integer, nullable=False, server_default="0"),
)

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
