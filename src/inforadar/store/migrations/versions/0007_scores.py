"""An index of scores: those of a narrow band are few among very many items."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_SCORED = sa.text("score IS NOT NULL")


def upgrade() -> None:
    op.create_index(
        "ix_items_score",
        "items",
        ["score", "pub_date", "feed_id", "id"],
        sqlite_where=_SCORED,
        postgresql_where=_SCORED,
    )


def downgrade() -> None:
    op.drop_index("ix_items_score", "items")
