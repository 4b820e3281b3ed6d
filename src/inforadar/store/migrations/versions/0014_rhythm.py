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
    ("read_at", UtcDateTime, "when its whole document was last sent; a 304 sends none"),
    ("body_digest", sa.String(32), "of that document"),
    ("body_changed_at", UtcDateTime, "when that document first differed from the one before"),
    ("moving", JsonDoc, "a permanent redirect that is not confirmed yet: {url, times, since}"),
)
_PLAN = (
    ("reason", sa.String(16), "why next_run_at is what it is"),
    ("polls_per_day", sa.Float, "planned; NULL: polled at the fixed interval, or not planned yet"),
    ("items_per_day", sa.Float, "expected"),
    ("expected_delay_s", sa.Float, "of the items expected before next_run_at"),
)
_DELAYS = (
    ("timed", sa.Integer, "new items posted since the last look"),
    ("delay_s", sa.Float, "sum of their delays"),
    ("expected_delay_s", sa.Float, "as the plans had it"),
)
_PRICE = (
    ("price_s", sa.Float, "seconds of delay of one item that a request is worth"),
    ("budget", sa.Float, "requests a day for the feeds polled by plan"),
    ("planned", sa.Float, "requests a day that their plans add up to"),
    ("feeds", sa.Integer, "number of those feeds"),
    ("expected_delay_s", sa.Float, "mean of the expected items"),
    ("steered_at", UtcDateTime, None),
)


def upgrade() -> None:
    for table, columns in (("feeds", _SEEN), ("feed_schedules", _PLAN)):
        for name, type_, comment in columns:
            op.add_column(table, sa.Column(name, type_, comment=comment))
    for table in ("feed_days", "fetch_days"):
        for name, number, comment in _DELAYS:
            op.add_column(table, sa.Column(name, number, nullable=False, server_default="0", comment=comment))
    op.create_table(
        "feed_rhythms",
        sa.Column(
            "id",
            sa.Uuid,
            sa.ForeignKey("feeds.id", ondelete="CASCADE", name=op.f("fk_feed_rhythms_id")),
            nullable=False,
        ),
        sa.Column("counts", JsonDoc, nullable=False, comment="when it posts, as counts that forget"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_feed_rhythms")),
        comment="kept apart: written only when there is news, while the schedule is written with each job",
    )
    op.create_table(
        "polling_prices",
        sa.Column("id", sa.Integer, autoincrement=False, nullable=False, comment="always 1"),
        *(sa.Column(name, type_, nullable=False, comment=comment) for name, type_, comment in _PRICE),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_polling_prices")),
        comment="one row: the price by which all workers plan, steered to the budget",
    )
    for statement in backfills(op.get_bind().dialect.name, revision):
        op.execute(statement)


def downgrade() -> None:
    op.drop_table("polling_prices")
    op.drop_table("feed_rhythms")
    for table in ("feed_days", "fetch_days"):
        for name, *_ in _DELAYS:
            op.drop_column(table, name)
    for name, *_ in _PLAN:
        op.drop_column("feed_schedules", name)
    for name, *_ in _SEEN:
        op.drop_column("feeds", name)
