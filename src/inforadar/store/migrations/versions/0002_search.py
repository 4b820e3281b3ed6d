"""Search, with the words of each item in the databases' own indexes; and what became of fetches, day by day.

Items that are there already are queued for the index, and counted as new on the day that they came.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from inforadar.store.migrations.backfills import backfills

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "item_search",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
            comment="by the item's date: the newest are the highest",
        ),
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.Column(
            "words", sa.Text(), nullable=False, comment="each once, folded, Chinese and Japanese in pairs"
        ),
        sa.ForeignKeyConstraint(
            ["item_id"], ["items.id"], name=op.f("fk_item_search_item_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_item_search")),
        sa.UniqueConstraint("item_id", name=op.f("uq_item_search_item_id")),
    )
    op.create_table(
        "search_queue",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search_queue")),
        comment="written by triggers: whose words are to be made anew",
    )
    dialect = op.get_bind().dialect.name
    for statement in _SEARCH[dialect]:
        op.execute(statement)
    # The queue is worked off from its end: the newest are what people look for.
    op.execute("INSERT INTO search_queue (item_id) SELECT id FROM items ORDER BY pub_date")
    _add_counts()
    for statement in backfills(dialect, revision):
        op.execute(statement)
    for name in ("starred_at", "archived_at"):
        filled = sa.column(name).is_not(None)
        op.create_index(
            f"ix_marks_{name}", "marks", [name], unique=False, sqlite_where=filled, postgresql_where=filled
        )


def _add_counts() -> None:
    outcomes = ("success", "temporary_error", "permanent_error", "unauthorized")
    op.create_table(
        "feed_days",
        sa.Column("feed_id", sa.Uuid(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False, comment="UTC"),
        *(
            sa.Column(name, sa.Integer(), server_default="0", nullable=False, comment="fetches that ended so")
            for name in outcomes
        ),
        sa.Column("added", sa.Integer(), server_default="0", nullable=False, comment="new items"),
        sa.Column(
            "spent_s",
            sa.Float(),
            server_default="0",
            nullable=False,
            comment="seconds of waiting for answers",
        ),
        sa.ForeignKeyConstraint(
            ["feed_id"], ["feeds.id"], name=op.f("fk_feed_days_feed_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("feed_id", "day", name=op.f("pk_feed_days")),
    )
    op.create_index(op.f("ix_feed_days_day"), "feed_days", ["day"], unique=False)
    op.create_table(
        "fetch_days",
        sa.Column("day", sa.Date(), nullable=False, comment="UTC"),
        sa.Column("outcome", sa.String(length=16), nullable=False),
        sa.Column("fetches", sa.Integer(), server_default="0", nullable=False),
        sa.Column(
            "spent_s",
            sa.Float(),
            server_default="0",
            nullable=False,
            comment="seconds of waiting for answers",
        ),
        sa.PrimaryKeyConstraint("day", "outcome", name=op.f("pk_fetch_days")),
        comment="of all feeds, those that are gone too: a count that only grows",
    )


_SEARCH = {
    "sqlite": (
        # The words are made by us and only separated by spaces; no positions, because each is there once.
        "CREATE VIRTUAL TABLE item_words USING fts5(words, content='item_search', content_rowid='id', "
        "tokenize='ascii', detail='none')",
        "CREATE TRIGGER item_search_added AFTER INSERT ON item_search BEGIN "
        "INSERT INTO item_words(rowid, words) VALUES (new.id, new.words); END",
        "CREATE TRIGGER item_search_changed AFTER UPDATE OF words ON item_search BEGIN "
        "INSERT INTO item_words(item_words, rowid, words) VALUES ('delete', old.id, old.words); "
        "INSERT INTO item_words(rowid, words) VALUES (new.id, new.words); END",
        "CREATE TRIGGER item_search_removed AFTER DELETE ON item_search BEGIN "
        "INSERT INTO item_words(item_words, rowid, words) VALUES ('delete', old.id, old.words); END",
        "CREATE TRIGGER items_added_for_search AFTER INSERT ON items BEGIN "
        "INSERT INTO search_queue(item_id) VALUES (new.id); END",
        "CREATE TRIGGER items_changed_for_search AFTER UPDATE OF title, snippet, analyzer_result ON items BEGIN "
        "INSERT INTO search_queue(item_id) VALUES (new.id); END",
        "CREATE TRIGGER articles_changed_for_search AFTER UPDATE OF clean_text ON articles "
        "WHEN new.clean_text IS NOT old.clean_text BEGIN "
        "INSERT INTO search_queue(item_id) SELECT id FROM items WHERE url = new.url; END",
    ),
    "postgresql": (
        "CREATE INDEX ix_item_search_words ON item_search "
        "USING gin (array_to_tsvector(string_to_array(words, ' ')))",
        "CREATE FUNCTION item_for_search() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "INSERT INTO search_queue(item_id) VALUES (new.id); RETURN NULL; END $$",
        "CREATE FUNCTION article_for_search() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "INSERT INTO search_queue(item_id) SELECT id FROM items WHERE url = new.url; RETURN NULL; END $$",
        "CREATE TRIGGER items_added_for_search AFTER INSERT ON items "
        "FOR EACH ROW EXECUTE FUNCTION item_for_search()",
        "CREATE TRIGGER items_changed_for_search AFTER UPDATE OF title, snippet, analyzer_result ON items "
        "FOR EACH ROW EXECUTE FUNCTION item_for_search()",
        "CREATE TRIGGER articles_changed_for_search AFTER UPDATE OF clean_text ON articles FOR EACH ROW "
        "WHEN (new.clean_text IS DISTINCT FROM old.clean_text) EXECUTE FUNCTION article_for_search()",
    ),
}
"""Each database's own index, and the triggers that say which items it is to learn anew."""


def downgrade() -> None:
    op.drop_index("ix_marks_starred_at", table_name="marks")
    op.drop_index("ix_marks_archived_at", table_name="marks")
    op.drop_table("fetch_days")
    op.drop_table("feed_days")
    if op.get_bind().dialect.name == "sqlite":
        op.drop_table("item_words")
    for trigger, table in _TRIGGERS:
        on_table = f" ON {table}" if op.get_bind().dialect.name == "postgresql" else ""
        op.execute(f"DROP TRIGGER {trigger}{on_table}")
    op.drop_table("search_queue")
    op.drop_table("item_search")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION item_for_search, article_for_search")


_TRIGGERS = (
    ("items_added_for_search", "items"),
    ("items_changed_for_search", "items"),
    ("articles_changed_for_search", "articles"),
)
