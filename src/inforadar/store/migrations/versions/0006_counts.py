"""Indexes that a million feeds are counted in."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_KEPT = sa.text("deleted_at IS NULL")
_LISTED = sa.text("deleted_at IS NULL AND length(source) <= 200 AND length(topic) <= 200")
_STOPPED = sa.text("next_run_at IS NULL AND last_error IS NOT NULL")


def upgrade() -> None:
    op.drop_index("ix_feeds_enabled", "feeds")
    op.create_index(
        "ix_feeds_enabled_state",
        "feeds",
        ["enabled", "last_fetch_status", "deleted_at"],
        sqlite_where=_KEPT,
        postgresql_where=_KEPT,
    )
    op.create_index(
        "ix_feeds_labels",
        "feeds",
        ["source", "topic", "enabled", "deleted_at"],
        sqlite_where=_LISTED,
        postgresql_where=_LISTED,
    )
    op.drop_index("ix_feed_schedules_walks_next_run_at", "feed_schedules")
    op.create_index(
        "ix_feed_schedules_walks_next_run_at_locked_until",
        "feed_schedules",
        ["walks", "next_run_at", "locked_until"],
    )
    op.create_index(
        "ix_feed_schedules_stopped",
        "feed_schedules",
        ["next_run_at", "id"],
        sqlite_where=_STOPPED,
        postgresql_where=_STOPPED,
    )


def downgrade() -> None:
    op.drop_index("ix_feed_schedules_stopped", "feed_schedules")
    op.drop_index("ix_feed_schedules_walks_next_run_at_locked_until", "feed_schedules")
    op.create_index("ix_feed_schedules_walks_next_run_at", "feed_schedules", ["walks", "next_run_at"])
    op.drop_index("ix_feeds_labels", "feeds")
    op.drop_index("ix_feeds_enabled_state", "feeds")
    op.create_index("ix_feeds_enabled", "feeds", ["enabled"])
