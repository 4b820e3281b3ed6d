"""The schedule alone tells what a claim may take: feeds that nobody fetches are in no lane, and it knows the last fetch."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from inforadar.store.migrations.backfills import backfills
from inforadar.store.types import UtcDateTime

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_WALKS = "of kind pages or sitemap: collecting it may take long, so it has a lane of its own"


def upgrade() -> None:
    with op.batch_alter_table("feed_schedules") as table:
        table.alter_column(
            "walks",
            existing_type=sa.Boolean(),
            existing_server_default=sa.false(),
            nullable=True,
            comment=f"{_WALKS}; NULL: in none",
            existing_comment=_WALKS,
        )
        table.add_column(
            sa.Column(
                "fetched_at",
                UtcDateTime(),
                nullable=True,
                comment="as feeds.last_fetched_at: claims sort by it",
            )
        )
    for statement in backfills(op.get_bind().dialect.name, revision):
        op.execute(statement)


def downgrade() -> None:
    walking = "SELECT id FROM feeds WHERE kind IN ('pages', 'sitemap')"
    op.execute(f"UPDATE feed_schedules SET walks = id IN ({walking}) WHERE walks IS NULL")  # noqa: S608 - no input
    with op.batch_alter_table("feed_schedules") as table:
        table.drop_column("fetched_at")
        table.alter_column(
            "walks",
            existing_type=sa.Boolean(),
            existing_server_default=sa.false(),
            nullable=False,
            comment=_WALKS,
            existing_comment=f"{_WALKS}; NULL: in none",
        )
