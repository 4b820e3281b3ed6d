"""Items are grouped into stories.

Items of the last three days are queued; older ones stay as they are until someone asks for them.
"""

# ruff: noqa: S608 - statements are put together from constants

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from inforadar.store.migrations.backfills import backfills
from inforadar.store.types import JsonDoc, UtcDateTime, WebText, db_now

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create_tables()
    for statement in _TRIGGERS[op.get_bind().dialect.name]:
        op.execute(statement)
    for statement in backfills(op.get_bind().dialect.name, revision):
        op.execute(statement)


def _create_tables() -> None:
    op.create_table(
        "stories",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("began_at", UtcDateTime(), nullable=False),
        sa.Column("last_at", UtcDateTime(), nullable=False),
        sa.Column("item_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("source_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("merged_into", sa.Uuid()),
        sa.ForeignKeyConstraint(
            ["merged_into"], ["stories.id"], name=op.f("fk_stories_merged_into"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_stories")),
    )
    told, merged = sa.text("merged_into IS NULL"), sa.text("merged_into IS NOT NULL")
    op.create_index(
        "ix_stories_last_at", "stories", [sa.text("last_at DESC")], sqlite_where=told, postgresql_where=told
    )
    op.create_index(
        "ix_stories_merged_into", "stories", ["merged_into"], sqlite_where=merged, postgresql_where=merged
    )
    op.create_table(
        "story_items",
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.Column("story_id", sa.Uuid(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("joined_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("copy_of", sa.Uuid(), comment="the item whose text this one repeats"),
        sa.Column(
            "is_pinned",
            sa.Boolean(),
            server_default=sa.false(),
            nullable=False,
            comment="a person put it here",
        ),
        sa.Column("reasons", JsonDoc, comment="why it joined"),
        sa.Column("signature", JsonDoc, comment="what it is compared by, while it is in the window"),
        sa.Column("vectors", WebText(), comment="of the title, and of title and lead"),
        sa.Column("version", sa.BigInteger(), nullable=False, comment="of the grouping when it was placed"),
        sa.ForeignKeyConstraint(
            ["item_id"], ["items.id"], name=op.f("fk_story_items_item_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["story_id"], ["stories.id"], name=op.f("fk_story_items_story_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("item_id", name=op.f("pk_story_items")),
    )
    op.create_index("ix_story_items_story_id_at", "story_items", ["story_id", "at"])
    op.create_index("ix_story_items_version", "story_items", ["version"])
    compared = sa.text("signature IS NOT NULL")
    op.create_index(
        "ix_story_items_compared",
        "story_items",
        ["joined_at"],
        sqlite_where=compared,
        postgresql_where=compared,
    )
    op.create_table(
        "story_keys",
        sa.Column("key", WebText(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["item_id"], ["items.id"], name=op.f("fk_story_keys_item_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", "at", "item_id", name=op.f("pk_story_keys")),
        comment="the heaviest words and the text's prints of items in the window",
    )
    op.create_index("ix_story_keys_item_id", "story_keys", ["item_id"])
    op.create_table(
        "story_words",
        sa.Column("key", WebText(), nullable=False),
        sa.Column("item_count", sa.Integer(), nullable=False),
        sa.Column("capital", sa.Integer(), nullable=False),
        sa.Column("small", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_story_words")),
        comment="how many items have a word, and how it is written inside sentences",
    )
    op.create_table(
        "story_state",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column(
            "version",
            sa.BigInteger(),
            nullable=False,
            comment="grows with every change; decisions are made on one",
        ),
        sa.Column("counted", sa.BigInteger(), nullable=False, comment="how many were counted in story_words"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_story_state")),
    )
    op.create_table(
        "story_apart",
        sa.Column("one", sa.Uuid(), nullable=False),
        sa.Column("other", sa.Uuid(), nullable=False),
        sa.Column("created_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.ForeignKeyConstraint(["one"], ["stories.id"], name=op.f("fk_story_apart_one"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["other"], ["stories.id"], name=op.f("fk_story_apart_other"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("one", "other", name=op.f("pk_story_apart")),
        comment="a person said that these are not the same event; both orders are stored",
    )
    op.create_index("ix_story_apart_other", "story_apart", ["other"])
    op.create_table(
        "story_events",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("story_id", sa.Uuid(), nullable=False),
        sa.Column("at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("other", sa.Uuid(), comment="the other story, or the item"),
        sa.Column("by_hand", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("score", sa.Float()),
        sa.ForeignKeyConstraint(
            ["story_id"], ["stories.id"], name=op.f("fk_story_events_story_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_story_events")),
    )
    op.create_index("ix_story_events_story_id", "story_events", ["story_id"])
    op.create_table(
        "story_queue",
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.Column("due_at", UtcDateTime(), server_default=db_now(), nullable=False),
        sa.Column("locked_until", UtcDateTime()),
        sa.Column("lease_token", sa.String(32)),
        sa.ForeignKeyConstraint(
            ["item_id"], ["items.id"], name=op.f("fk_story_queue_item_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("item_id", name=op.f("pk_story_queue")),
        comment="written by triggers: items to be placed, or placed again",
    )
    op.create_index("ix_story_queue_due_at", "story_queue", ["due_at"])


_REQUEUE = "ON CONFLICT (item_id) DO UPDATE SET due_at = statement_timestamp(), locked_until = NULL, lease_token = NULL"
_TRIGGERS = {
    "sqlite": (
        "CREATE TRIGGER items_added_for_stories AFTER INSERT ON items BEGIN "
        "DELETE FROM story_queue WHERE item_id = new.id; INSERT INTO story_queue(item_id) VALUES (new.id); END",
        "CREATE TRIGGER items_changed_for_stories AFTER UPDATE OF title ON items WHEN new.title IS NOT old.title BEGIN "
        "DELETE FROM story_queue WHERE item_id = new.id; INSERT INTO story_queue(item_id) VALUES (new.id); END",
        "CREATE TRIGGER articles_changed_for_stories AFTER UPDATE OF clean_text ON articles "
        "WHEN new.clean_text IS NOT old.clean_text BEGIN "
        "DELETE FROM story_queue WHERE item_id IN (SELECT id FROM items WHERE url = new.url); "
        "INSERT INTO story_queue(item_id) SELECT id FROM items WHERE url = new.url; END",
    ),
    "postgresql": (
        "CREATE FUNCTION item_for_stories() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"INSERT INTO story_queue(item_id) VALUES (new.id) {_REQUEUE}; RETURN NULL; END $$",
        "CREATE FUNCTION article_for_stories() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"INSERT INTO story_queue(item_id) SELECT id FROM items WHERE url = new.url ORDER BY id {_REQUEUE}; "
        "RETURN NULL; END $$",
        "CREATE TRIGGER items_added_for_stories AFTER INSERT ON items "
        "FOR EACH ROW EXECUTE FUNCTION item_for_stories()",
        "CREATE TRIGGER items_changed_for_stories AFTER UPDATE OF title ON items FOR EACH ROW "
        "WHEN (new.title IS DISTINCT FROM old.title) EXECUTE FUNCTION item_for_stories()",
        "CREATE TRIGGER articles_changed_for_stories AFTER UPDATE OF clean_text ON articles FOR EACH ROW "
        "WHEN (new.clean_text IS DISTINCT FROM old.clean_text) EXECUTE FUNCTION article_for_stories()",
    ),
}
_TABLES = (
    "story_queue", "story_events", "story_apart", "story_state", "story_words", "story_keys", "story_items", "stories",
)  # fmt: skip


def downgrade() -> None:
    triggers = {
        "items_added_for_stories": "items",
        "items_changed_for_stories": "items",
        "articles_changed_for_stories": "articles",
    }
    for name, table in triggers.items():
        op.execute(
            f"DROP TRIGGER {name}" + ("" if op.get_bind().dialect.name == "sqlite" else f" ON {table}")
        )
    if op.get_bind().dialect.name != "sqlite":
        op.execute("DROP FUNCTION item_for_stories()")
        op.execute("DROP FUNCTION article_for_stories()")
    for table in _TABLES:
        op.drop_table(table)
