"""Entries keep their id, link, dates and files; feeds their icon, a title that a person gave, and their warnings.

Every new column may be empty, so that neither database rewrites its rows: an item gets its values when its feed lists
it next. Only the two indexes read the table; they are built before anything else writes to it.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from inforadar.store.types import JsonDoc, UtcDateTime, WebText

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_ITEM_COLUMNS: dict[str, Any] = {
    "authors": JsonDoc,
    "enclosures": JsonDoc,
    "comments_url": WebText,
    "season": sa.BigInteger,
    "episode": sa.BigInteger,
    "link": WebText,
    "dated_at": UtcDateTime,
    "revised_at": UtcDateTime,
}
_FEED_COLUMNS: dict[str, Any] = {"icon": WebText, "warnings": JsonDoc}


def upgrade() -> None:
    for name, kind in _ITEM_COLUMNS.items():
        op.add_column("items", sa.Column(name, kind))
    for name, kind in _FEED_COLUMNS.items():
        op.add_column("feeds", sa.Column(name, kind))
    op.add_column("feeds", sa.Column("is_title_given", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("forgotten_items", sa.Column("guid", WebText))
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    key = sa.text("guid" if is_sqlite else "md5(guid)")
    position = "instr" if is_sqlite else "strpos"
    _index("ix_items_guid", "items", ["feed_id", key], "guid <> url")
    _index("ix_items_page", "items", ["feed_id", "uid"], f"{position}(url, '#') > 0")
    _index("ix_forgotten_items_guid", "forgotten_items", ["feed_id", key], "guid IS NOT NULL")


def _index(name: str, table: str, columns: list[str | sa.TextClause], where: str) -> None:
    op.create_index(name, table, columns, sqlite_where=sa.text(where), postgresql_where=sa.text(where))


def downgrade() -> None:
    op.drop_index("ix_forgotten_items_guid", "forgotten_items")
    op.drop_index("ix_items_page", "items")
    op.drop_index("ix_items_guid", "items")
    op.drop_column("forgotten_items", "guid")
    for name in ("is_title_given", *_FEED_COLUMNS):
        op.drop_column("feeds", name)
    for name in _ITEM_COLUMNS:
        op.drop_column("items", name)
