"""Rules, channels, events, messages and health alerts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from inforadar.store.types import JsonDoc, UtcDateTime, WebText, db_now

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create_events()
    _create_rules()


def _create_events() -> None:
    op.create_table(
        "channels",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("name", WebText(), nullable=False),
        sa.Column(
            "name_key", sa.String(length=200), nullable=False, comment="the name without regard to case"
        ),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("url", WebText(), nullable=False, comment="contains secrets"),
        sa.Column("secret", sa.String(length=100), nullable=False, comment="signs webhooks"),
        sa.Column("settings", JsonDoc, server_default=sa.text("'{}'"), nullable=False),
        sa.Column("error", WebText(), comment="why sending failed last"),
        sa.CheckConstraint("kind IN ('webhook', 'apprise')", name=op.f("ck_channels_kind")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_channels")),
        sa.UniqueConstraint("name_key", name=op.f("uq_channels_name_key")),
    )
    op.create_table(
        "event_state",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("last_number", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event_state")),
    )
    op.create_table(
        "events",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("number", sa.BigInteger(), comment="the order for readers; given after the commit"),
        sa.Column("at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("item_id", sa.Uuid()),
        sa.Column("story_id", sa.Uuid()),
        sa.Column("feed_id", sa.Uuid()),
        sa.Column("payload", JsonDoc),
        sa.CheckConstraint(
            "kind IN ('item', 'change', 'story', 'alert', 'match')", name=op.f("ck_events_kind")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sa.UniqueConstraint("number", name=op.f("uq_events_number")),
    )
    op.create_index("ix_events_at", "events", ["at"], unique=False)
    op.create_index(op.f("ix_events_item_id"), "events", ["item_id"], unique=False)
    op.create_index(
        "ix_events_waiting",
        "events",
        ["id"],
        unique=False,
        sqlite_where=sa.text("number IS NULL"),
        postgresql_where=sa.text("number IS NULL"),
    )
    op.create_table(
        "alert_snoozes",
        sa.Column("feed_id", sa.Uuid(), nullable=False),
        sa.Column("until", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["feed_id"], ["feeds.id"], name=op.f("fk_alert_snoozes_feed_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("feed_id", name=op.f("pk_alert_snoozes")),
        comment="feeds whose alerts someone does not want to hear of for a while",
    )
    op.create_table(
        "feed_alerts",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("feed_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("message", WebText(), nullable=False),
        sa.Column("began_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("ended_at", UtcDateTime()),
        sa.ForeignKeyConstraint(
            ["feed_id"], ["feeds.id"], name=op.f("fk_feed_alerts_feed_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_feed_alerts")),
    )
    op.create_index("ix_feed_alerts_began_at", "feed_alerts", ["began_at"], unique=False)
    op.create_index(
        "ix_feed_alerts_open",
        "feed_alerts",
        ["feed_id", "kind"],
        unique=True,
        sqlite_where=sa.text("ended_at IS NULL"),
        postgresql_where=sa.text("ended_at IS NULL"),
    )


def _create_rules() -> None:
    op.create_table(
        "rules",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("person_id", sa.Uuid(), nullable=False),
        sa.Column("name", WebText(), nullable=False),
        sa.Column(
            "name_key", sa.String(length=200), nullable=False, comment="the name without regard to case"
        ),
        sa.Column("query", WebText(), nullable=False),
        sa.Column("actions", JsonDoc, server_default=sa.text("'{}'"), nullable=False),
        sa.Column("on_change", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("origin", sa.String(length=16), server_default="person", nullable=False),
        sa.Column("matched_at", UtcDateTime()),
        sa.Column("match_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("error", WebText(), comment="why an action failed last"),
        sa.CheckConstraint("origin IN ('person', 'settings')", name=op.f("ck_rules_origin")),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_rules_person_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rules")),
    )
    op.create_index("ix_rules_person_id_name_key", "rules", ["person_id", "name_key"], unique=True)
    op.create_table(
        "deliveries",
        sa.Column("id", sa.Uuid(), nullable=False, comment="the idempotency key"),
        sa.Column("created_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("channel_id", sa.Uuid(), nullable=False),
        sa.Column("rule_id", sa.Uuid()),
        sa.Column("payload", JsonDoc, nullable=False),
        sa.Column("state", sa.String(length=16), server_default="pending", nullable=False),
        sa.Column("next_attempt_at", UtcDateTime(), comment="NULL once it is sent or given up"),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("locked_until", UtcDateTime()),
        sa.Column("lease_token", sa.String(length=32)),
        sa.Column("sent_at", UtcDateTime()),
        sa.Column("error", WebText()),
        sa.CheckConstraint("state IN ('pending', 'sent', 'dead')", name=op.f("ck_deliveries_state")),
        sa.ForeignKeyConstraint(
            ["channel_id"], ["channels.id"], name=op.f("fk_deliveries_channel_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["rule_id"], ["rules.id"], name=op.f("fk_deliveries_rule_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deliveries")),
    )
    op.create_index(
        "ix_deliveries_channel_id_created_at", "deliveries", ["channel_id", "created_at"], unique=False
    )
    op.create_index(
        "ix_deliveries_next_attempt_at",
        "deliveries",
        ["next_attempt_at"],
        unique=False,
        sqlite_where=sa.text("next_attempt_at IS NOT NULL"),
        postgresql_where=sa.text("next_attempt_at IS NOT NULL"),
    )
    op.create_index(op.f("ix_deliveries_rule_id"), "deliveries", ["rule_id"], unique=False)
    op.create_table(
        "rule_matches",
        sa.Column("rule_id", sa.Uuid(), nullable=False),
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.Column("matched_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.ForeignKeyConstraint(
            ["item_id"], ["items.id"], name=op.f("fk_rule_matches_item_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["rule_id"], ["rules.id"], name=op.f("fk_rule_matches_rule_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("rule_id", "item_id", name=op.f("pk_rule_matches")),
    )
    op.create_index(op.f("ix_rule_matches_item_id"), "rule_matches", ["item_id"], unique=False)
    op.create_table(
        "notifications",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("created_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("channel_id", sa.Uuid(), nullable=False),
        sa.Column("rule_id", sa.Uuid()),
        sa.Column("item_id", sa.Uuid()),
        sa.Column("story_id", sa.Uuid(), comment="the item's story when it was told"),
        sa.Column("alert", JsonDoc, comment="a health alert, instead of an item"),
        sa.Column("due_at", UtcDateTime(), comment="NULL once it is in a delivery or left out"),
        sa.Column("delivery_id", sa.Uuid()),
        sa.ForeignKeyConstraint(
            ["channel_id"], ["channels.id"], name=op.f("fk_notifications_channel_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["delivery_id"], ["deliveries.id"], name=op.f("fk_notifications_delivery_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["item_id"], ["items.id"], name=op.f("fk_notifications_item_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["rule_id"], ["rules.id"], name=op.f("fk_notifications_rule_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notifications")),
        comment="matches and alerts that a channel is to be told",
    )
    op.create_index(
        "ix_notifications_channel_id_story_id", "notifications", ["channel_id", "story_id"], unique=False
    )
    op.create_index(op.f("ix_notifications_delivery_id"), "notifications", ["delivery_id"], unique=False)
    op.create_index(
        "ix_notifications_due_at",
        "notifications",
        ["due_at"],
        unique=False,
        sqlite_where=sa.text("due_at IS NOT NULL"),
        postgresql_where=sa.text("due_at IS NOT NULL"),
    )
    op.create_index(op.f("ix_notifications_item_id"), "notifications", ["item_id"], unique=False)
    op.create_index(op.f("ix_notifications_rule_id"), "notifications", ["rule_id"], unique=False)


def downgrade() -> None:
    for table in (
        "notifications",
        "deliveries",
        "rule_matches",
        "rules",
        "channels",
        "alert_snoozes",
        "feed_alerts",
        "event_state",
        "events",
    ):
        op.drop_table(table)
