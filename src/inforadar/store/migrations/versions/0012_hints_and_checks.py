"""Feeds keep how often they ask to be fetched; files of a sitemap, that an unfinished walk has checked them.

A response without a document (304) does not repeat what the document asked for. Both columns may be empty, so that
neither database rewrites its rows.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from inforadar.store.types import JsonDoc, UtcDateTime

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "feeds",
        sa.Column("hints", JsonDoc, comment="how often the last document that was read asks to be fetched"),
    )
    op.add_column(
        "sitemap_files",
        sa.Column("checked_at", UtcDateTime, comment="when the walk that has not ended yet asked for it"),
    )


def downgrade() -> None:
    op.drop_column("sitemap_files", "checked_at")
    op.drop_column("feeds", "hints")
