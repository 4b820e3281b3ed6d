"""The rhythm of feeds: counts of when each posts, its plan, the price of a request, and how late news was seen.

Feeds learn their rhythm from now on. The documents that they have are taken as read when they were last fetched, so
that the upgrade makes no request unconditional.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from inforadar.store.migrations.backfills import backfills
from inforadar.store.types import JsonDoc, UtcDateTime

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_SEEN = (
    ("read_at", UtcDateTime),
    ("body_digest", sa.String(32)),
    ("body_changed_at", UtcDateTime),
    ("moving", JsonDoc),
)
_PLAN = ("polls_per_day", "items_per_day", "expected_delay_s")
_DELAYS = (("timed", sa.Integer), ("delay_s", sa.Float), ("expected_delay_s", sa.Float))


def upgrade() -> None:
    for name, type_ in _SEEN:
        op.add_column("feeds", sa.Column(name, type_))
    op.add_column("feed_schedules", sa.Column("reason", sa.String(16)))
    for name in _PLAN:
        op.add_column("feed_schedules", sa.Column(name, sa.Float))
    for table in ("feed_days", "fetch_days"):
        for name, number in _DELAYS:
            op.add_column(table, sa.Column(name, number, nullable=False, server_default="0"))
    op.create_table(
        "feed_rhythms",
        sa.Column("id", sa.Uuid, sa.ForeignKey("feeds.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("counts", JsonDoc, nullable=False),
    )
    op.create_table(
        "polling_prices",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        *(
            sa.Column(name, sa.Float, nullable=False)
            for name in ("price_s", "budget", "planned", "expected_delay_s")
        ),
        sa.Column("feeds", sa.Integer, nullable=False),
        sa.Column("steered_at", UtcDateTime, nullable=False),
    )
    for statement in backfills(op.get_bind().dialect.name, revision):
        op.execute(statement)


def downgrade() -> None:
    op.drop_table("polling_prices")
    op.drop_table("feed_rhythms")
    for table in ("feed_days", "fetch_days"):
        for name, _ in _DELAYS:
            op.drop_column(table, name)
    for name in ("reason", *_PLAN):
        op.drop_column("feed_schedules", name)
    for name, _ in _SEEN:
        op.drop_column("feeds", name)
