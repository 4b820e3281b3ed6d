"""What retention leaves of items."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from inforadar.store.types import UtcDateTime, db_now

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "forgotten_items",
        sa.Column("feed_id", sa.Uuid(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.Column("pub_date", UtcDateTime(), nullable=False),
        sa.Column("forgotten_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.ForeignKeyConstraint(
            ["feed_id"], ["feeds.id"], name=op.f("fk_forgotten_items_feed_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("feed_id", "hash", name=op.f("pk_forgotten_items")),
        comment="what retention left of items: a URL that is still listed never comes back as new",
    )


def downgrade() -> None:
    op.drop_table("forgotten_items")
