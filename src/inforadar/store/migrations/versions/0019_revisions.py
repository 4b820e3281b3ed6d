"""Versions of articles are kept, with the revisions between them."""

# ruff: noqa: S608 - statements are put together from constants

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from inforadar.store.types import JsonDoc, TextList, UtcDateTime, WebText

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create_tables()
    for statement in _TRIGGERS[op.get_bind().dialect.name]:
        op.execute(statement)


def _create_tables() -> None:
    op.create_table(
        "article_versions",
        sa.Column("uid", sa.String(16), nullable=False),
        sa.Column(
            "number",
            sa.Integer(),
            autoincrement=False,
            nullable=False,
            comment="1 is the first that was seen",
        ),
        sa.Column("seen_at", UtcDateTime(), nullable=False),
        sa.Column("last_seen_at", UtcDateTime(), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False, comment="SHA-256 of the clean text"),
        sa.Column("title", WebText()),
        sa.Column("author", WebText()),
        sa.Column("published_at", UtcDateTime()),
        sa.Column("image", WebText()),
        sa.Column("language", WebText()),
        sa.Column("text", sa.LargeBinary(), nullable=False, comment="the clean text, compressed with zlib"),
        sa.Column("text_len", sa.Integer(), nullable=False),
        sa.Column(
            "headers", JsonDoc, server_default=sa.text("'{}'"), nullable=False, comment="what the server said"
        ),
        sa.ForeignKeyConstraint(
            ["uid"], ["articles.uid"], name=op.f("fk_article_versions_uid"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("uid", "number", name=op.f("pk_article_versions")),
    )
    op.create_table(
        "article_revisions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("uid", sa.String(16), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("old_version", sa.Integer(), nullable=False),
        sa.Column("new_version", sa.Integer(), nullable=False),
        sa.Column("kinds", TextList, nullable=False, comment="what changed: number, name, title …"),
        sa.Column("is_significant", sa.Boolean(), nullable=False),
        sa.Column(
            "is_live", sa.Boolean(), server_default=sa.false(), nullable=False, comment="a live page grew"
        ),
        sa.Column(
            "is_noise",
            sa.Boolean(),
            server_default=sa.false(),
            nullable=False,
            comment="of a page that never rests",
        ),
        sa.Column(
            "note",
            WebText(),
            server_default="",
            nullable=False,
            comment="what the article says of its change",
        ),
        sa.Column("details", JsonDoc, nullable=False, comment="{passages, fields}"),
        sa.Column("score_before", sa.Float()),
        sa.Column("score_after", sa.Float()),
        sa.ForeignKeyConstraint(
            ["uid"], ["articles.uid"], name=op.f("fk_article_revisions_uid"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_article_revisions")),
    )
    op.create_index("ix_article_revisions_uid", "article_revisions", ["uid", "new_version"])
    told = sa.text("is_significant")
    op.create_index(
        "ix_article_revisions_at",
        "article_revisions",
        [sa.text("at DESC")],
        sqlite_where=told,
        postgresql_where=told,
    )
    op.create_table(
        "article_looks",
        sa.Column("uid", sa.String(16), nullable=False),
        sa.Column("first_at", UtcDateTime(), nullable=False, comment="when the article was first fetched"),
        sa.Column("due_at", UtcDateTime()),
        sa.Column("requested_at", UtcDateTime(), comment="its listing changed"),
        sa.Column("looked_at", UtcDateTime()),
        sa.Column("state", sa.String(16), server_default="watched", nullable=False),
        sa.Column("changed_in_row", sa.Integer(), server_default="0", nullable=False),
        sa.Column("doubt", sa.String(64), comment="the text of another page, believed if it is seen twice"),
        sa.Column(
            "note", WebText(), server_default="", nullable=False, comment="why the last look was in vain"
        ),
        sa.Column("locked_until", UtcDateTime()),
        sa.Column("lease_token", sa.String(32)),
        sa.CheckConstraint("state IN ('watched', 'unstable')", name=op.f("ck_article_looks_state")),
        sa.ForeignKeyConstraint(
            ["uid"], ["articles.uid"], name=op.f("fk_article_looks_uid"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("uid", name=op.f("pk_article_looks")),
    )
    due = sa.text("due_at IS NOT NULL")
    op.create_index(
        "ix_article_looks_due_at", "article_looks", ["due_at"], sqlite_where=due, postgresql_where=due
    )
    op.create_table(
        "look_days",
        sa.Column("day", sa.Date(), nullable=False, comment="UTC"),
        sa.Column("host", WebText(), nullable=False, comment="empty: all hosts together"),
        sa.Column("looks", sa.Integer(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("day", "host", name=op.f("pk_look_days")),
        comment="requests that looks at articles have cost",
    )


_SQLITE_NOW = "strftime('%Y-%m-%d %H:%M:%f000', 'now')"
_TRIGGERS = {
    "sqlite": (
        "CREATE TRIGGER items_changed_for_looks AFTER UPDATE OF title, revised_at ON items "
        "WHEN new.title IS NOT old.title OR new.revised_at IS NOT old.revised_at BEGIN "
        "INSERT INTO article_looks(uid, first_at, due_at, requested_at) "
        f"SELECT uid, coalesce(fetched_at, {_SQLITE_NOW}), {_SQLITE_NOW}, {_SQLITE_NOW} FROM articles "
        "WHERE uid = new.uid AND url = new.url AND status = 'success' "
        f"ON CONFLICT (uid) DO UPDATE SET requested_at = {_SQLITE_NOW}, "
        f"due_at = CASE WHEN locked_until IS NULL THEN {_SQLITE_NOW} ELSE due_at END WHERE state <> 'unstable'; END",
    ),
    "postgresql": (
        "CREATE FUNCTION item_for_looks() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "INSERT INTO article_looks(uid, first_at, due_at, requested_at) "
        "SELECT uid, coalesce(fetched_at, statement_timestamp()), statement_timestamp(), statement_timestamp() "
        "FROM articles WHERE uid = new.uid AND url = new.url AND status = 'success' "
        "ON CONFLICT (uid) DO UPDATE SET requested_at = statement_timestamp(), "
        "due_at = CASE WHEN article_looks.locked_until IS NULL THEN statement_timestamp() ELSE article_looks.due_at END "
        "WHERE article_looks.state <> 'unstable'; RETURN NULL; END $$",
        "CREATE TRIGGER items_changed_for_looks AFTER UPDATE OF title, revised_at ON items FOR EACH ROW "
        "WHEN (new.title IS DISTINCT FROM old.title OR new.revised_at IS DISTINCT FROM old.revised_at) "
        "EXECUTE FUNCTION item_for_looks()",
    ),
}


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TRIGGER items_changed_for_looks")
    else:
        op.execute("DROP TRIGGER items_changed_for_looks ON items")
        op.execute("DROP FUNCTION item_for_looks()")
    for table in ("look_days", "article_looks", "article_revisions", "article_versions"):
        op.drop_table(table)
