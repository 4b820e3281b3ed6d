"""Messages about changes: what changed is kept with each waiting match."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from inforadar.store.types import JsonDoc

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    comment = "what changed: {revision} of the text, or {at, fields} of the listing"
    op.add_column("notifications", sa.Column("change", JsonDoc, comment=comment))


def downgrade() -> None:
    op.drop_column("notifications", "change")
