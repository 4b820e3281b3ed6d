"""How the outcomes of each feed changed, and an index for the list of deleted feeds."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from inforadar.store.types import UtcDateTime, WebText

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_DELETED = sa.text("deleted_at IS NOT NULL")


def upgrade() -> None:
    op.create_table(
        "feed_outcomes",
        sa.Column("feed_id", sa.Uuid, nullable=False),
        sa.Column("at", UtcDateTime, nullable=False),
        sa.Column("outcome", sa.String(16), nullable=False),
        sa.Column("message", WebText, comment="the error, if there was one"),
        sa.ForeignKeyConstraint(
            ["feed_id"], ["feeds.id"], name=op.f("fk_feed_outcomes_feed_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("feed_id", "at", name=op.f("pk_feed_outcomes")),
        comment="one row whenever a fetch ended differently from the one before",
    )
    op.create_index("ix_feed_outcomes_at", "feed_outcomes", ["at"])
    op.create_index(
        "ix_feeds_deleted_at",
        "feeds",
        ["deleted_at", "id"],
        sqlite_where=_DELETED,
        postgresql_where=_DELETED,
    )


def downgrade() -> None:
    op.drop_index("ix_feeds_deleted_at", table_name="feeds")
    op.drop_table("feed_outcomes")
