"""Subscriptions to hubs (WebSub), and the addresses at which hubs reach us."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Integer, String, Table, Uuid

from inforadar.model.push import CallbackState, PushState
from inforadar.store.schema.columns import enum_check, filled_index, metadata
from inforadar.store.types import JsonDoc, UtcDateTime, WebText

push_subscriptions = Table(
    "push_subscriptions",
    metadata,
    Column("feed_id", Uuid, ForeignKey("feeds.id", ondelete="CASCADE"), primary_key=True),
    Column("hubs", JsonDoc, nullable=False, comment="all that the feed names; one is asked at a time"),
    Column("hub", WebText, nullable=False, comment="the one that was asked last"),
    Column("topic", WebText, nullable=False),
    Column("state", String(16), nullable=False, server_default=PushState.WANTED.value),
    Column("due_at", UtcDateTime, comment="when a hub is asked next"),
    Column("attempts", Integer, nullable=False, server_default="0", comment="since a hub last verified"),
    Column("error", WebText),
    Column("lease_until", UtcDateTime, comment="as the hub said, within our limits"),
    Column("verified_at", UtcDateTime),
    Column("pushed_at", UtcDateTime, comment="the last push with a valid signature"),
    Column("push_count", Integer, nullable=False, server_default="0"),
    Column(
        "looks_left", Integer, nullable=False, server_default="0", comment="fetches that a push is good for"
    ),
    Column("hits", Integer, nullable=False, server_default="0", comment="in a row"),
    Column("misses", Integer, nullable=False, server_default="0"),
    Column("missed_at", UtcDateTime),
    enum_check("state", PushState),
)
filled_index(push_subscriptions.c.due_at)

push_callbacks = Table(
    "push_callbacks",
    metadata,
    Column("key", String(64), primary_key=True, comment="the unguessable part of the address"),
    Column("feed_id", Uuid, ForeignKey("feeds.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("hub", WebText, nullable=False),
    Column("topic", WebText, nullable=False),
    Column("secret", String(64), nullable=False, comment="signs pushes"),
    Column("state", String(16), nullable=False, server_default=CallbackState.ASKED.value),
    Column("until", UtcDateTime, nullable=False, comment="when it is deleted"),
    Column("leave_at", UtcDateTime, comment="when the hub is told to forget it"),
    enum_check("state", CallbackState),
)
filled_index(push_callbacks.c.leave_at)
