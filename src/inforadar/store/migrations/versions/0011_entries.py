"""Entries keep their id, link, dates and files; feeds their icon, a title that a person gave, and their warnings.

Every new column may be empty or has a default, so that neither database rewrites its rows: an item gets its values when
its feed lists it next. Only the two indexes, and the mark of URLs that several feeds list, read the table.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from inforadar.store.migrations.backfills import backfills
from inforadar.store.types import JsonDoc, UtcDateTime, WebText

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_ITEM_COLUMNS: dict[str, tuple[Any, str | None]] = {
    "authors": (JsonDoc, None),
    "enclosures": (JsonDoc, None),
    "comments_url": (WebText, None),
    "season": (sa.BigInteger, None),
    "episode": (sa.BigInteger, None),
    "link": (WebText, "the entry's latest link, if it is not the url"),
    "dated_at": (UtcDateTime, "the date as the source gave it; pub_date sorts"),
    "revised_at": (UtcDateTime, "when the source says that it changed the entry"),
}
_FEED_COLUMNS: dict[str, tuple[Any, str | None]] = {
    "icon": (WebText, None),
    "warnings": (JsonDoc, "what the last document that was read lacks: [{text, is_loss}]"),
}
_GUID = "the entry's own id"


def upgrade() -> None:
    for table, columns in (("items", _ITEM_COLUMNS), ("feeds", _FEED_COLUMNS)):
        for name, (kind, comment) in columns.items():
            op.add_column(table, sa.Column(name, kind, comment=comment))
    op.add_column(
        "feeds",
        sa.Column(
            "is_title_given",
            sa.Boolean,
            nullable=False,
            server_default=sa.false(),
            comment="a person chose the title; the document's does not replace it",
        ),
    )
    op.add_column(
        "items",
        sa.Column(
            "is_shared",
            sa.Boolean,
            nullable=False,
            server_default=sa.false(),
            comment="other feeds list the same url",
        ),
    )
    for statement in backfills(op.get_bind().dialect.name, revision):
        op.execute(statement)
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("items", "guid", comment=_GUID)
    op.add_column("forgotten_items", sa.Column("guid", WebText, comment=_GUID))
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    key = sa.text("guid" if is_sqlite else "md5(guid)")
    position = "instr" if is_sqlite else "strpos"
    _index("ix_items_guid", "items", ["feed_id", key], "guid != url")
    _index("ix_items_page", "items", ["feed_id", "uid"], f"{position}(url, '#') > 0")
    _index("ix_feeds_warnings", "feeds", ["id"], "warnings IS NOT NULL")
    _index("ix_forgotten_items_guid", "forgotten_items", ["feed_id", key], "guid IS NOT NULL")


def _index(name: str, table: str, columns: list[str | sa.TextClause], where: str) -> None:
    op.create_index(name, table, columns, sqlite_where=sa.text(where), postgresql_where=sa.text(where))


def downgrade() -> None:
    op.drop_index("ix_forgotten_items_guid", "forgotten_items")
    op.drop_index("ix_feeds_warnings", "feeds")
    op.drop_index("ix_items_page", "items")
    op.drop_index("ix_items_guid", "items")
    op.drop_column("forgotten_items", "guid")
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("items", "guid", comment=None)
    for name in ("is_title_given", *_FEED_COLUMNS):
        op.drop_column("feeds", name)
    for name in ("is_shared", *_ITEM_COLUMNS):
        op.drop_column("items", name)
