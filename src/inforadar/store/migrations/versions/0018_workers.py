"""Workers that are alive. Leases that are held during the upgrade end by themselves, as before."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from inforadar.store.types import UtcDateTime, db_now

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "workers",
        sa.Column("id", sa.String(16), nullable=False, comment="the first characters of its lease tokens"),
        sa.Column("name", sa.String(80), nullable=False, comment="host and process, for people"),
        sa.Column("started_at", UtcDateTime, nullable=False, server_default=db_now()),
        sa.Column("alive_until", UtcDateTime, nullable=False, comment="renewed as long as it lives"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workers")),
    )


def downgrade() -> None:
    op.drop_table("workers")
