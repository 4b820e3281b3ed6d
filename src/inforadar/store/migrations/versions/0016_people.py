"""People: accounts, their secrets, their own marks, and counters of unread items.

The marks from before belong to the first person. Items are not rewritten: they get one more index, for apps that
synchronize by the time at which items were added, and are counted once.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from inforadar.store.migrations.backfills import backfills
from inforadar.store.types import JsonDoc, UtcDateTime, WebText, db_now

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_FIRST_PERSON = "00000000000070008000000000000001"
_MARK_COLUMNS = "hash, url, read_at, starred_at, archived_at"


def upgrade() -> None:
    dialect = op.get_bind().dialect.name
    _create_people()
    _create_counters()
    if dialect == "sqlite":
        _recreate_marks()
    else:
        _extend_marks()
    op.create_index("ix_marks_hash", "marks", ["hash"])
    op.create_index("ix_items_feed_id_id", "items", ["feed_id", "id"])
    for statement in (*_TRIGGERS[dialect], *backfills(dialect, revision)):
        op.execute(statement)


def _create_people() -> None:
    op.create_table(
        "people",
        sa.Column("id", sa.Uuid(), nullable=False),
        _created(),
        sa.Column("name", WebText, nullable=False),
        sa.Column(
            "name_key", sa.String(length=200), nullable=False, comment="the name without regard to case"
        ),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("settings", JsonDoc, nullable=False, server_default=sa.text("'{}'")),
        sa.CheckConstraint("role IN ('admin', 'reader')", name=op.f("ck_people_role")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
        sa.UniqueConstraint("name_key", name=op.f("uq_people_name_key")),
    )
    op.create_table(
        "person_passwords",
        sa.Column("person_id", sa.Uuid(), nullable=False),
        sa.Column("hash", sa.String(length=200), nullable=False, comment="argon2id"),
        sa.Column("changed_at", UtcDateTime, nullable=False),
        _of_person("person_passwords"),
        sa.PrimaryKeyConstraint("person_id", name=op.f("pk_person_passwords")),
    )
    op.create_table(
        "person_tokens",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("person_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False, comment="keyed: see secret_keys"),
        sa.Column("label", WebText, nullable=False),
        _created(),
        sa.Column("used_at", UtcDateTime, comment="about when it was last used"),
        sa.Column("expires_at", UtcDateTime),
        sa.CheckConstraint("kind IN ('app', 'feed', 'link', 'session')", name=op.f("ck_person_tokens_kind")),
        _of_person("person_tokens"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person_tokens")),
        sa.UniqueConstraint("hash", name=op.f("uq_person_tokens_hash")),
    )
    op.create_index(op.f("ix_person_tokens_person_id"), "person_tokens", ["person_id"])
    op.create_table(
        "secret_keys",
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("secret", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_secret_keys")),
        comment="the keys of keyed hashes; they move with the database",
    )
    op.create_table(
        "mark_labels",
        sa.Column("person_id", sa.Uuid(), nullable=False),
        sa.Column("label", WebText, nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("url", WebText, nullable=False),
        _of_person("mark_labels"),
        sa.PrimaryKeyConstraint("person_id", "label", "hash", name=op.f("pk_mark_labels")),
        comment="labels that people gave to items",
    )
    op.create_index("ix_mark_labels_hash", "mark_labels", ["hash"])
    op.create_table(
        "hidden_feeds",
        sa.Column("person_id", sa.Uuid(), nullable=False),
        sa.Column("feed_id", sa.Uuid(), nullable=False),
        _of_person("hidden_feeds"),
        _of_feed("hidden_feeds"),
        sa.PrimaryKeyConstraint("person_id", "feed_id", name=op.f("pk_hidden_feeds")),
        comment="feeds that a person does not want to see",
    )
    op.create_table(
        "saved_searches",
        sa.Column("person_id", sa.Uuid(), nullable=False),
        sa.Column("name", WebText, nullable=False),
        sa.Column("words", WebText, nullable=False),
        _of_person("saved_searches"),
        sa.PrimaryKeyConstraint("person_id", "name", name=op.f("pk_saved_searches")),
    )


def _create_counters() -> None:
    op.create_table(
        "feed_counts",
        sa.Column("feed_id", sa.Uuid(), nullable=False),
        sa.Column("items", sa.BigInteger(), nullable=False),
        sa.Column("newest_at", UtcDateTime, nullable=False, comment="when its newest item was added"),
        _of_feed("feed_counts"),
        sa.PrimaryKeyConstraint("feed_id", name=op.f("pk_feed_counts")),
    )
    op.create_table(
        "person_feed_counts",
        sa.Column("person_id", sa.Uuid(), nullable=False),
        sa.Column("feed_id", sa.Uuid(), nullable=False),
        sa.Column(
            "read", sa.BigInteger(), nullable=False, comment="items of the feed that the person has read"
        ),
        _of_person("person_feed_counts"),
        _of_feed("person_feed_counts"),
        sa.PrimaryKeyConstraint("person_id", "feed_id", name=op.f("pk_person_feed_counts")),
    )


def _recreate_marks() -> None:
    """SQLite cannot change a primary key."""
    for name in ("starred_at", "archived_at"):
        op.drop_index(f"ix_marks_{name}", table_name="marks")
    op.rename_table("marks", "marks_before")
    op.create_table(
        "marks",
        _owner(),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("url", WebText, nullable=False),
        sa.Column("read_at", UtcDateTime),
        sa.Column("starred_at", UtcDateTime),
        sa.Column("archived_at", UtcDateTime),
        sa.Column("note", WebText),
        _of_person("marks", deferrable=True, initially="DEFERRED"),
        sa.PrimaryKeyConstraint("person_id", "hash", name=op.f("pk_marks")),
    )
    op.execute(f"INSERT INTO marks ({_MARK_COLUMNS}) SELECT {_MARK_COLUMNS} FROM marks_before")  # noqa: S608
    op.drop_table("marks_before")
    for name in ("starred_at", "archived_at"):
        filled = sa.text(f"{name} IS NOT NULL")
        op.create_index(f"ix_marks_{name}", "marks", [name], sqlite_where=filled)


def _extend_marks() -> None:
    op.add_column("marks", _owner())
    op.add_column("marks", sa.Column("note", WebText))
    op.drop_constraint("pk_marks", "marks")
    op.create_primary_key("pk_marks", "marks", ["person_id", "hash"])
    op.create_foreign_key(
        "fk_marks_person_id",
        "marks",
        "people",
        ["person_id"],
        ["id"],
        ondelete="CASCADE",
        deferrable=True,
        initially="DEFERRED",
    )


def _owner() -> sa.Column[Any]:
    return sa.Column("person_id", sa.Uuid(), nullable=False, server_default=_FIRST_PERSON)


def _created() -> sa.Column[Any]:
    return sa.Column("created_at", UtcDateTime, server_default=db_now(), nullable=False)


def _of_person(table: str, **options: Any) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_person_id")
    return sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=name, ondelete="CASCADE", **options)


def _of_feed(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["feed_id"], ["feeds.id"], name=op.f(f"fk_{table}_feed_id"), ondelete="CASCADE"
    )


_TRIGGERS = {
    "sqlite": (
        "CREATE TRIGGER items_added_for_counts AFTER INSERT ON items BEGIN INSERT INTO feed_counts(feed_id, items, newest_at) VALUES (new.feed_id, 1, new.created_at) ON CONFLICT (feed_id) DO UPDATE SET items = feed_counts.items + 1, newest_at = max(feed_counts.newest_at, excluded.newest_at); INSERT INTO person_feed_counts(person_id, feed_id, read) SELECT person_id, new.feed_id, 1 FROM marks WHERE hash = new.hash AND read_at IS NOT NULL ON CONFLICT (person_id, feed_id) DO UPDATE SET read = person_feed_counts.read + 1; END",
        "CREATE TRIGGER items_deleted_for_counts AFTER DELETE ON items BEGIN UPDATE feed_counts SET items = items - 1 WHERE feed_id = old.feed_id; UPDATE person_feed_counts SET read = read - 1 WHERE feed_id = old.feed_id AND person_id IN (SELECT person_id FROM marks WHERE hash = old.hash AND read_at IS NOT NULL); END",
        "CREATE TRIGGER marks_added_for_counts AFTER INSERT ON marks WHEN new.read_at IS NOT NULL BEGIN INSERT INTO person_feed_counts(person_id, feed_id, read) SELECT new.person_id, feed_id, 1 FROM items WHERE url = new.url ON CONFLICT (person_id, feed_id) DO UPDATE SET read = person_feed_counts.read + 1; END",
        "CREATE TRIGGER marks_read_for_counts AFTER UPDATE OF read_at ON marks WHEN old.read_at IS NULL AND new.read_at IS NOT NULL BEGIN INSERT INTO person_feed_counts(person_id, feed_id, read) SELECT new.person_id, feed_id, 1 FROM items WHERE url = new.url ON CONFLICT (person_id, feed_id) DO UPDATE SET read = person_feed_counts.read + 1; END",
        "CREATE TRIGGER marks_unread_for_counts AFTER UPDATE OF read_at ON marks WHEN old.read_at IS NOT NULL AND new.read_at IS NULL BEGIN UPDATE person_feed_counts SET read = read - 1 WHERE person_id = old.person_id AND feed_id IN (SELECT feed_id FROM items WHERE url = old.url); END",
        "CREATE TRIGGER marks_deleted_for_counts AFTER DELETE ON marks WHEN old.read_at IS NOT NULL BEGIN UPDATE person_feed_counts SET read = read - 1 WHERE person_id = old.person_id AND feed_id IN (SELECT feed_id FROM items WHERE url = old.url); END",
    ),
    "postgresql": (
        "CREATE FUNCTION count_added_item() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO feed_counts(feed_id, items, newest_at) VALUES (new.feed_id, 1, new.created_at) ON CONFLICT (feed_id) DO UPDATE SET items = feed_counts.items + 1, newest_at = greatest(feed_counts.newest_at, excluded.newest_at); INSERT INTO person_feed_counts(person_id, feed_id, read) SELECT person_id, new.feed_id, 1 FROM marks WHERE hash = new.hash AND read_at IS NOT NULL ON CONFLICT (person_id, feed_id) DO UPDATE SET read = person_feed_counts.read + 1; RETURN NULL; END $$",
        "CREATE FUNCTION count_deleted_item() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE feed_counts SET items = items - 1 WHERE feed_id = old.feed_id; UPDATE person_feed_counts SET read = read - 1 WHERE feed_id = old.feed_id AND person_id IN (SELECT person_id FROM marks WHERE hash = old.hash AND read_at IS NOT NULL); RETURN NULL; END $$",
        "CREATE FUNCTION count_read_mark() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO person_feed_counts(person_id, feed_id, read) SELECT new.person_id, feed_id, 1 FROM items WHERE url = new.url ON CONFLICT (person_id, feed_id) DO UPDATE SET read = person_feed_counts.read + 1; RETURN NULL; END $$",
        "CREATE FUNCTION count_unread_mark() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE person_feed_counts SET read = read - 1 WHERE person_id = old.person_id AND feed_id IN (SELECT feed_id FROM items WHERE url = old.url); RETURN NULL; END $$",
        "CREATE TRIGGER items_added_for_counts AFTER INSERT ON items FOR EACH ROW EXECUTE FUNCTION count_added_item()",
        "CREATE TRIGGER items_deleted_for_counts AFTER DELETE ON items FOR EACH ROW EXECUTE FUNCTION count_deleted_item()",
        "CREATE TRIGGER marks_added_for_counts AFTER INSERT ON marks FOR EACH ROW WHEN (new.read_at IS NOT NULL) EXECUTE FUNCTION count_read_mark()",
        "CREATE TRIGGER marks_read_for_counts AFTER UPDATE OF read_at ON marks FOR EACH ROW WHEN (old.read_at IS NULL AND new.read_at IS NOT NULL) EXECUTE FUNCTION count_read_mark()",
        "CREATE TRIGGER marks_unread_for_counts AFTER UPDATE OF read_at ON marks FOR EACH ROW WHEN (old.read_at IS NOT NULL AND new.read_at IS NULL) EXECUTE FUNCTION count_unread_mark()",
        "CREATE TRIGGER marks_deleted_for_counts AFTER DELETE ON marks FOR EACH ROW WHEN (old.read_at IS NOT NULL) EXECUTE FUNCTION count_unread_mark()",
    ),
}
"""The triggers that keep the counters."""


def downgrade() -> None:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    for name in ("added", "read", "unread", "deleted"):
        op.execute(f"DROP TRIGGER marks_{name}_for_counts" + ("" if is_sqlite else " ON marks"))
    for name in ("added", "deleted"):
        op.execute(f"DROP TRIGGER items_{name}_for_counts" + ("" if is_sqlite else " ON items"))
    if not is_sqlite:
        op.execute("DROP FUNCTION count_added_item, count_deleted_item, count_read_mark, count_unread_mark")
    op.drop_index("ix_items_feed_id_id", table_name="items")
    op.drop_index("ix_marks_hash", table_name="marks")
    # One person's marks stay: the table has room for one.
    op.execute(
        "DELETE FROM marks WHERE person_id <> (SELECT person_id FROM marks ORDER BY person_id LIMIT 1)"
    )
    if is_sqlite:
        for name in ("starred_at", "archived_at"):
            op.drop_index(f"ix_marks_{name}", table_name="marks")
        op.rename_table("marks", "marks_after")
        op.create_table(
            "marks",
            sa.Column("hash", sa.String(length=64), nullable=False),
            sa.Column("url", WebText, nullable=False),
            sa.Column("read_at", UtcDateTime),
            sa.Column("starred_at", UtcDateTime),
            sa.Column("archived_at", UtcDateTime),
            sa.PrimaryKeyConstraint("hash", name=op.f("pk_marks")),
        )
        op.execute(f"INSERT INTO marks ({_MARK_COLUMNS}) SELECT {_MARK_COLUMNS} FROM marks_after")  # noqa: S608
        op.drop_table("marks_after")
        for name in ("starred_at", "archived_at"):
            filled = sa.text(f"{name} IS NOT NULL")
            op.create_index(f"ix_marks_{name}", "marks", [name], sqlite_where=filled)
    else:
        op.drop_constraint("fk_marks_person_id", "marks")
        op.drop_constraint("pk_marks", "marks")
        op.create_primary_key("pk_marks", "marks", ["hash"])
        op.drop_column("marks", "person_id")
        op.drop_column("marks", "note")
    for table in (
        "person_feed_counts",
        "feed_counts",
        "saved_searches",
        "hidden_feeds",
        "mark_labels",
        "secret_keys",
        "person_tokens",
        "person_passwords",
        "people",
    ):
        op.drop_table(table)
