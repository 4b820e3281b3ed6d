"""Articles are kept as clean HTML. The column may be empty: articles stored before are shown from their Markdown.

The documents of all feeds are built anew, because they now carry whole texts.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from inforadar.store.migrations.backfills import backfills
from inforadar.store.types import WebText

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("articles", sa.Column("html", WebText))
    for statement in backfills(op.get_bind().dialect.name, revision):
        op.execute(statement)


def downgrade() -> None:
    op.drop_column("articles", "html")
