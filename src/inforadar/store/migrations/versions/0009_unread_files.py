"""Files that a sitemap's first run could not read are known as such: what they list is no news when they come."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("sitemap_files") as table:
        table.add_column(
            sa.Column(
                "is_baseline",
                sa.Boolean(),
                server_default=sa.false(),
                nullable=False,
                comment="listed in the first run, which could not read it: what it lists is no news",
            )
        )


def downgrade() -> None:
    with op.batch_alter_table("sitemap_files") as table:
        table.drop_column("is_baseline")
