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
    folded = "{} COLLATE NOCASE" if op.get_bind().dialect.name == "sqlite" else "lower(left({}, 200))"
    for name in _NAMES:
        op.create_index(f"ix_feeds_{name}", "feeds", [sa.text(folded.format(name)), sa.text("id")])


def downgrade() -> None:
    for name in _NAMES:
        op.drop_index(f"ix_feeds_{name}", "feeds")
