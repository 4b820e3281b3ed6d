"""Indexes of sources and topics, without regard to case: the feeds of one are found among a million."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_NAMES = ("source", "topic")


def upgrade() -> None:
    folded = "{} COLLATE NOCASE" if op.get_bind().dialect.name == "sqlite" else "lower({})"
    for name in _NAMES:
        short = sa.text(f"deleted_at IS NULL AND length({name}) <= 200")
        columns = [sa.text(folded.format(name)), sa.text("id")]
        op.create_index(f"ix_feeds_{name}", "feeds", columns, sqlite_where=short, postgresql_where=short)


def downgrade() -> None:
    for name in _NAMES:
        op.drop_index(f"ix_feeds_{name}", "feeds")
