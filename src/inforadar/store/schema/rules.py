"""Rules, events, messages, health alerts: what tells people that something happened.

    change ──► search_queue ──indexer──► events ──evaluation──► rule_matches, marks, notifications
                                                                     notifications ──► deliveries ──► a channel

Each arrow is one transaction, so a kill at any point repeats a step or has not begun it. An event gets its number when
it is evaluated, after it was committed: numbers have no gaps that are filled later, and a program can resume by them.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Uuid,
    false,
    text,
)

from inforadar.model.ids import new_uuid
from inforadar.model.rule import ChannelKind, DeliveryState, EventKind, RuleOrigin
from inforadar.store.schema.columns import created_column, enum_check, filled_index, metadata, partial_index
from inforadar.store.types import JsonDoc, UtcDateTime, WebText, db_now


def _big_id() -> Column[Any]:
    return Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True)


channels = Table(
    "channels",
    metadata,
    Column("id", Uuid, primary_key=True, default=new_uuid),
    created_column(),
    Column("name", WebText, nullable=False),
    Column("name_key", String(200), nullable=False, unique=True, comment="the name without regard to case"),
    Column("kind", String(16), nullable=False),
    Column("url", WebText, nullable=False, comment="contains secrets"),
    Column("secret", String(100), nullable=False, comment="signs webhooks"),
    Column("settings", JsonDoc, nullable=False, server_default=text("'{}'")),
    Column("error", WebText, comment="why sending failed last"),
    enum_check("kind", ChannelKind),
)

rules = Table(
    "rules",
    metadata,
    Column("id", Uuid, primary_key=True, default=new_uuid),
    created_column(),
    Column("person_id", Uuid, ForeignKey("people.id", ondelete="CASCADE"), nullable=False),
    Column("name", WebText, nullable=False),
    Column("name_key", String(200), nullable=False, comment="the name without regard to case"),
    Column("query", WebText, nullable=False),
    Column("actions", JsonDoc, nullable=False, server_default=text("'{}'")),
    Column("on_change", Boolean, nullable=False, server_default=false()),
    Column("origin", String(16), nullable=False, server_default=RuleOrigin.PERSON.value),
    Column("matched_at", UtcDateTime),
    Column("match_count", Integer, nullable=False, server_default="0"),
    Column("error", WebText, comment="why an action failed last"),
    enum_check("origin", RuleOrigin),
)
Index("ix_rules_person_id_name_key", rules.c.person_id, rules.c.name_key, unique=True)

rule_matches = Table(
    "rule_matches",
    metadata,
    Column("rule_id", Uuid, ForeignKey("rules.id", ondelete="CASCADE"), primary_key=True),
    Column("item_id", Uuid, ForeignKey("items.id", ondelete="CASCADE"), primary_key=True, index=True),
    Column("matched_at", UtcDateTime, nullable=False, server_default=db_now()),
)

events = Table(
    "events",
    metadata,
    _big_id(),
    Column("number", BigInteger, unique=True, comment="the order for readers; given after the commit"),
    Column("at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("kind", String(16), nullable=False),
    Column("item_id", Uuid, index=True),
    Column("story_id", Uuid),
    Column("feed_id", Uuid),
    Column("payload", JsonDoc),
    enum_check("kind", EventKind),
)
_unnumbered = events.c.number.is_(None)
partial_index("ix_events_waiting", events.c.id, where=_unnumbered)
Index("ix_events_at", events.c.at)

event_state = Table(
    "event_state",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("last_number", BigInteger, nullable=False),
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("id", Uuid, primary_key=True, default=new_uuid, comment="the idempotency key"),
    created_column(),
    Column("channel_id", Uuid, ForeignKey("channels.id", ondelete="CASCADE"), nullable=False),
    Column("rule_id", Uuid, ForeignKey("rules.id", ondelete="SET NULL"), index=True),
    Column("payload", JsonDoc, nullable=False),
    Column("state", String(16), nullable=False, server_default=DeliveryState.PENDING.value),
    Column("next_attempt_at", UtcDateTime, comment="NULL once it is sent or given up"),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("locked_until", UtcDateTime),
    Column("lease_token", String(32)),
    Column("sent_at", UtcDateTime),
    Column("error", WebText),
    enum_check("state", DeliveryState),
)
Index("ix_deliveries_channel_id_created_at", deliveries.c.channel_id, deliveries.c.created_at)
filled_index(deliveries.c.next_attempt_at)

notifications = Table(
    "notifications",
    metadata,
    _big_id(),
    created_column(),
    Column("channel_id", Uuid, ForeignKey("channels.id", ondelete="CASCADE"), nullable=False),
    Column("rule_id", Uuid, ForeignKey("rules.id", ondelete="CASCADE"), index=True),
    Column("item_id", Uuid, ForeignKey("items.id", ondelete="CASCADE"), index=True),
    Column("story_id", Uuid, comment="the item's story when it was told"),
    Column("alert", JsonDoc, comment="a health alert, instead of an item"),
    Column("change", JsonDoc, comment="what changed: {revision} of the text, or {at, fields} of the listing"),
    Column("due_at", UtcDateTime, comment="NULL once it is in a delivery or left out"),
    Column("delivery_id", Uuid, ForeignKey("deliveries.id", ondelete="SET NULL"), index=True),
    comment="matches and alerts that a channel is to be told",
)
filled_index(notifications.c.due_at)
Index("ix_notifications_channel_id_story_id", notifications.c.channel_id, notifications.c.story_id)

feed_alerts = Table(
    "feed_alerts",
    metadata,
    _big_id(),
    Column("feed_id", Uuid, ForeignKey("feeds.id", ondelete="CASCADE"), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("message", WebText, nullable=False),
    Column("began_at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("ended_at", UtcDateTime),
)
_open = feed_alerts.c.ended_at.is_(None)
partial_index("ix_feed_alerts_open", feed_alerts.c.feed_id, feed_alerts.c.kind, unique=True, where=_open)
Index("ix_feed_alerts_began_at", feed_alerts.c.began_at)

alert_snoozes = Table(
    "alert_snoozes",
    metadata,
    Column("feed_id", Uuid, ForeignKey("feeds.id", ondelete="CASCADE"), primary_key=True),
    Column("until", UtcDateTime, nullable=False),
    comment="feeds whose alerts someone does not want to hear of for a while",
)
