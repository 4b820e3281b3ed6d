"""Subscriptions to hubs (WebSub)."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from inforadar.store.types import JsonDoc, UtcDateTime, WebText

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create_subscriptions()
    _create_callbacks()


def _create_subscriptions() -> None:
    op.create_table(
        "push_subscriptions",
        sa.Column("feed_id", sa.Uuid(), nullable=False),
        sa.Column("hubs", JsonDoc, nullable=False, comment="all that the feed names; one is asked at a time"),
        sa.Column("hub", WebText(), nullable=False, comment="the one that was asked last"),
        sa.Column("topic", WebText(), nullable=False),
        sa.Column("state", sa.String(length=16), server_default="wanted", nullable=False),
        sa.Column("due_at", UtcDateTime(), comment="when a hub is asked next"),
        sa.Column(
            "attempts", sa.Integer(), server_default="0", nullable=False, comment="since a hub last verified"
        ),
        sa.Column("error", WebText()),
        sa.Column("lease_until", UtcDateTime(), comment="as the hub said, within our limits"),
        sa.Column("verified_at", UtcDateTime()),
        sa.Column("pushed_at", UtcDateTime(), comment="the last push with a valid signature"),
        sa.Column("push_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column(
            "looks_left",
            sa.Integer(),
            server_default="0",
            nullable=False,
            comment="fetches that a push is good for",
        ),
        sa.Column("hits", sa.Integer(), server_default="0", nullable=False, comment="in a row"),
        sa.Column("misses", sa.Integer(), server_default="0", nullable=False),
        sa.Column("missed_at", UtcDateTime()),
        sa.CheckConstraint(
            "state IN ('wanted', 'asked', 'active', 'failed')", name=op.f("ck_push_subscriptions_state")
        ),
        sa.ForeignKeyConstraint(
            ["feed_id"], ["feeds.id"], name=op.f("fk_push_subscriptions_feed_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("feed_id", name=op.f("pk_push_subscriptions")),
    )
    _index_filled("push_subscriptions", "due_at")


def _create_callbacks() -> None:
    op.create_table(
        "push_callbacks",
        sa.Column("key", sa.String(length=64), nullable=False, comment="the unguessable part of the address"),
        sa.Column("feed_id", sa.Uuid(), nullable=False),
        sa.Column("hub", WebText(), nullable=False),
        sa.Column("topic", WebText(), nullable=False),
        sa.Column("secret", sa.String(length=64), nullable=False, comment="signs pushes"),
        sa.Column("state", sa.String(length=16), server_default="asked", nullable=False),
        sa.Column("until", UtcDateTime(), nullable=False, comment="when it is deleted"),
        sa.Column("leave_at", UtcDateTime(), comment="when the hub is told to forget it"),
        sa.CheckConstraint("state IN ('asked', 'active', 'leaving')", name=op.f("ck_push_callbacks_state")),
        sa.ForeignKeyConstraint(
            ["feed_id"], ["feeds.id"], name=op.f("fk_push_callbacks_feed_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_push_callbacks")),
    )
    op.create_index(op.f("ix_push_callbacks_feed_id"), "push_callbacks", ["feed_id"])
    _index_filled("push_callbacks", "leave_at")


def _index_filled(table: str, column: str) -> None:
    filled = sa.text(f"{column} IS NOT NULL")
    op.create_index(f"ix_{table}_{column}", table, [column], sqlite_where=filled, postgresql_where=filled)


def downgrade() -> None:
    op.drop_table("push_callbacks")
    op.drop_table("push_subscriptions")
