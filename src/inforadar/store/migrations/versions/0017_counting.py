"""New items are counted by the statement that follows their insert, a batch at a time, and no longer by a trigger."""

from __future__ import annotations

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    op.execute("DROP TRIGGER items_added_for_counts" + ("" if is_sqlite else " ON items"))
    if not is_sqlite:
        op.execute("DROP FUNCTION count_added_item")


def downgrade() -> None:
    for statement in _TRIGGER[op.get_bind().dialect.name]:
        op.execute(statement)


_ADD_ITEM = (
    "INSERT INTO feed_counts(feed_id, items, newest_at) VALUES (new.feed_id, 1, new.created_at) "
    "ON CONFLICT (feed_id) DO UPDATE SET items = feed_counts.items + 1, "
    "newest_at = {greatest}(feed_counts.newest_at, excluded.newest_at); "
    "INSERT INTO person_feed_counts(person_id, feed_id, read) "
    "SELECT person_id, new.feed_id, 1 FROM marks WHERE hash = new.hash AND read_at IS NOT NULL "
    "ON CONFLICT (person_id, feed_id) DO UPDATE SET read = person_feed_counts.read + 1; "
)
_TRIGGER = {
    "sqlite": (
        "CREATE TRIGGER items_added_for_counts AFTER INSERT ON items "
        f"BEGIN {_ADD_ITEM.format(greatest='max')}END",
    ),
    "postgresql": (
        "CREATE FUNCTION count_added_item() RETURNS trigger LANGUAGE plpgsql AS $$ "
        f"BEGIN {_ADD_ITEM.format(greatest='greatest')}RETURN NULL; END $$",
        "CREATE TRIGGER items_added_for_counts AFTER INSERT ON items "
        "FOR EACH ROW EXECUTE FUNCTION count_added_item()",
    ),
}
