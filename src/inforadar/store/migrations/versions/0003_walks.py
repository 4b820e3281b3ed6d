"""Walks: a lane of their own, what a fetch found kept on disk, runs that another process can start and stop."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from inforadar.store.migrations.backfills import backfills
from inforadar.store.types import UtcDateTime, db_now

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "feed_schedules",
        sa.Column(
            "walks",
            sa.Boolean(),
            server_default=sa.false(),
            nullable=False,
            comment="of kind pages or sitemap: collecting it may take long, so it has a lane of its own",
        ),
    )
    op.add_column(
        "feed_schedules",
        sa.Column(
            "walked_at",
            UtcDateTime(),
            nullable=True,
            comment="when a walk of its pages last came to its end",
        ),
    )
    for statement in backfills(op.get_bind().dialect.name, revision):
        op.execute(statement)
    op.drop_index("ix_feed_schedules_next_run_at", "feed_schedules")
    op.drop_index("ix_feed_schedules_requested_at", "feed_schedules")
    op.create_index("ix_feed_schedules_walks_next_run_at", "feed_schedules", ["walks", "next_run_at"])
    op.create_index(
        "ix_feed_schedules_walks_requested_at",
        "feed_schedules",
        ["walks", "requested_at"],
        sqlite_where=sa.text("requested_at IS NOT NULL"),
        postgresql_where=sa.text("requested_at IS NOT NULL"),
    )
    for name, comment in (
        ("wanted_at", "asked for, and no process has taken it yet"),
        ("stop_at", "someone asked that it stop"),
        ("alive_until", "whoever executes it says so again before this"),
    ):
        op.add_column("runs", sa.Column(name, UtcDateTime(), nullable=True, comment=comment))
    for name in ("wanted_at", "alive_until"):
        op.create_index(
            f"ix_runs_{name}",
            "runs",
            [name],
            sqlite_where=sa.text(f"{name} IS NOT NULL"),
            postgresql_where=sa.text(f"{name} IS NOT NULL"),
        )
    op.create_table(
        "found_parts",
        sa.Column("feed_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("is_end", sa.Boolean(), nullable=False, comment="how the job ended; else one page of it"),
        sa.Column("item_count", sa.Integer(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["feed_id"], ["feeds.id"], name=op.f("fk_found_parts_feed_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_found_parts_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("feed_id", "position", name=op.f("pk_found_parts")),
        comment="what a fetch found and has not processed yet; whoever holds the feed's lease may",
    )
    op.create_index(op.f("ix_found_parts_run_id"), "found_parts", ["run_id"])


def downgrade() -> None:
    op.drop_table("found_parts")
    for name in ("wanted_at", "alive_until"):
        op.drop_index(f"ix_runs_{name}", "runs")
    for name in ("wanted_at", "stop_at", "alive_until"):
        op.drop_column("runs", name)
    op.drop_index("ix_feed_schedules_walks_next_run_at", "feed_schedules")
    op.drop_index("ix_feed_schedules_walks_requested_at", "feed_schedules")
    op.drop_column("feed_schedules", "walked_at")
    op.drop_column("feed_schedules", "walks")
    op.create_index("ix_feed_schedules_next_run_at", "feed_schedules", ["next_run_at"])
    op.create_index(
        "ix_feed_schedules_requested_at",
        "feed_schedules",
        ["requested_at"],
        sqlite_where=sa.text("requested_at IS NOT NULL"),
        postgresql_where=sa.text("requested_at IS NOT NULL"),
    )
