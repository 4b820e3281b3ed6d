"""Feeds get an id from PostgreSQL itself, so that rows can be inserted by SQL (seed 1). SQLite's ids come from us."""

from __future__ import annotations

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE feeds ALTER COLUMN id SET DEFAULT gen_random_uuid()")


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE feeds ALTER COLUMN id DROP DEFAULT")
