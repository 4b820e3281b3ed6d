"""Migrations: up from empty on both databases, equal to the metadata, never a loss."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from uuid import UUID

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, insert, inspect, text

from inforadar.errors import DatabaseTooNewError, StoreError
from inforadar.pipeline.search_index import SearchIndexer
from inforadar.store.database import Database, open_database
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.queries import list_items
from inforadar.store.published.cached_feeds import CachedFeed
from inforadar.store.published.save_builds import save_cached_feeds
from inforadar.store.schema.columns import metadata
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.schema.history import feed_days
from inforadar.store.schema.items import items
from inforadar.store.schema.search import is_compared, search_queue
from inforadar.store.schema.sitemaps import url_states
from inforadar.store.upkeep.revision import OURS, Migrations, load_revision, require_current
from inforadar.store.upkeep.upgrade import alembic_config, upgrade_database
from tests.store.making import NOW, add_feed, add_feeds, collect, count, listed, rows, set_schedule


async def test_migrations_go_up_from_empty_and_leave_what_the_metadata_says(empty_database_url: str) -> None:
    def differences(connection: Connection) -> list[object]:
        context = MigrationContext.configure(
            connection,
            opts={"compare_type": True, "compare_server_default": False, "include_name": is_compared},
        )
        return list(compare_metadata(context, metadata))

    async with open_database(empty_database_url) as database:
        assert await database.read(load_revision) is None
        await database.migrate(run_all_steps)
        assert await database.read(load_revision) == OURS.head
        assert await database.read(differences) == []


def run_all_steps(connection: Connection) -> None:
    command.upgrade(alembic_config(connection), "head")


_TRIGGERS = {
    "sqlite": "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' OR sql LIKE 'CREATE VIRTUAL TABLE%'",
    "postgresql": "SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal "
    "UNION SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
}

assert url_states.metadata is metadata, "tables that only sitemaps know are compared too"


def described(connection: Connection) -> dict[str, object]:
    seen = inspect(connection)
    own = connection.execute(text(_TRIGGERS[connection.dialect.name])).all()
    return {
        # Lost without a word when a migration makes their table anew.
        "triggers": sorted((name, definition) for name, definition in own if name != "alembic_version_pkc"),
    } | {
        table.name: {
            "columns": sorted(
                (one["name"], str(one["type"]), one["nullable"], one["default"])
                for one in seen.get_columns(table.name)
            ),
            "checks": sorted((c["name"], c["sqltext"]) for c in seen.get_check_constraints(table.name)),
            "foreign keys": sorted((f["name"], str(f)) for f in seen.get_foreign_keys(table.name)),
            "unique": sorted((u["name"], str(u)) for u in seen.get_unique_constraints(table.name)),
            "indexes": sorted(
                (i["name"], i["unique"], i["column_names"], *map(str, i.get("dialect_options", {}).values()))
                for i in seen.get_indexes(table.name)
            ),
        }
        for table in metadata.sorted_tables
    }


async def test_a_migrated_database_is_the_one_that_the_metadata_would_create(empty_database_url: str) -> None:
    """With what Alembic's comparison leaves out: checks, defaults, conditions of indexes."""
    async with open_database(empty_database_url) as database:
        await database.migrate(run_all_steps)
        migrated = await database.read(described)
        await database.migrate(lambda connection: command.downgrade(alembic_config(connection), "base"))
        await database.write(metadata.create_all)
        assert await database.read(described) == migrated


async def test_a_new_database_is_the_one_that_all_migrations_leave(
    database: Database, empty_database_url: str
) -> None:
    """A new SQLite database skips them."""

    def everything(connection: Connection) -> dict[str, object]:
        tables = [*(table.name for table in metadata.sorted_tables), "alembic_version"]
        contents = {
            name: connection.execute(text(f"SELECT * FROM {name}")).mappings().all() for name in tables
        }
        return {"described": described(connection), **contents}

    async with open_database(empty_database_url) as other:
        await other.migrate(run_all_steps)
        assert await database.read(everything) == await other.read(everything)
    assert await database.read(lambda c: c.execute(text("SELECT count(*) FROM people")).scalar()) == 1


async def test_downgrading_leaves_nothing_behind(database: Database) -> None:
    await database.migrate(lambda connection: command.downgrade(alembic_config(connection), "base"))
    tables = await database.read(lambda connection: inspect(connection).get_table_names())
    assert set(tables) <= {"alembic_version"}


def test_the_known_revisions_are_alembics() -> None:
    script = ScriptDirectory(str(OURS.scripts))
    assert [step.revision for step in reversed(list(script.walk_revisions()))] == list(OURS.known)
    assert script.get_current_head() == OURS.head


async def test_several_processes_can_upgrade_at_once(empty_database_url: str) -> None:
    async def upgrade() -> None:
        async with open_database(empty_database_url) as database:
            await upgrade_database(database)

    await asyncio.gather(*(upgrade() for _ in range(4)))
    async with open_database(empty_database_url) as database:
        assert await upgrade_database(database) is None
        await require_current(database)


async def test_an_upgraded_database_is_upgraded_again_without_effect(database: Database) -> None:
    assert await upgrade_database(database) is None
    await require_current(database)


async def test_a_database_of_a_newer_program_is_refused(database: Database) -> None:
    await database.write(lambda c: c.execute(text("UPDATE alembic_version SET version_num = '9999'")))
    with pytest.raises(DatabaseTooNewError, match=r"newer Info Radar: its schema is 9999") as refused:
        await upgrade_database(database)
    assert refused.value.exit_code == 2
    with pytest.raises(DatabaseTooNewError):
        await require_current(database)


async def test_a_database_that_was_never_set_up_is_refused(empty_database_url: str) -> None:
    async with open_database(empty_database_url) as database:
        with pytest.raises(StoreError, match="Run `inforadar db upgrade`"):
            await require_current(database)


NEWER = "9000"
NEXT = f"""
from alembic import op
import sqlalchemy as sa

revision = "{NEWER}"
down_revision = "{OURS.head}"

def upgrade():
    with op.batch_alter_table("feeds") as feeds:
        feeds.add_column(sa.Column("mood", sa.Text()))
        feeds.alter_column("topic", nullable=True)
"""


@pytest.fixture
def newer(tmp_path: Path) -> Migrations:
    """The migrations of a later version of the program: ours and one for which SQLite makes `feeds` anew."""
    scripts = tmp_path / "migrations"
    shutil.copytree(OURS.scripts, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    (scripts / "versions" / f"{NEWER}_mood.py").write_text(NEXT)
    return Migrations(known=(*OURS.known, NEWER), scripts=scripts)


async def test_upgrading_an_older_database_keeps_everything_and_backs_sqlite_up_first(
    database: Database, newer: Migrations
) -> None:
    feed = await add_feed(database)
    await collect(database, feed, listed())
    backup = await upgrade_database(database, newer)

    assert await database.read(load_revision) == NEWER
    columns = await database.read(lambda c: [one["name"] for one in inspect(c).get_columns("feeds")])
    assert "mood" in columns
    assert (await count(database, feeds), await count(database, items)) == (1, 1)
    if database.path is None:
        assert backup is None
        return
    assert backup is not None
    assert backup.parent == database.path.parent
    with closing(sqlite3.connect(backup)) as copy:
        assert copy.execute("SELECT version_num FROM alembic_version").fetchone() == (OURS.head,)
        assert copy.execute("SELECT count(*) FROM items").fetchone() == (1,)


async def test_an_upgrade_without_room_for_a_backup_is_refused(
    database: Database, newer: Migrations, monkeypatch: pytest.MonkeyPatch
) -> None:
    if database.path is None:
        return  # PostgreSQL makes no copy, and its disk is its own
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    with pytest.raises(StoreError, match="GB of free space for a backup"):
        await upgrade_database(database, newer)
    assert await database.read(load_revision) == OURS.head
    assert not list(database.path.parent.glob("*.backup.db"))


async def test_a_migration_that_fails_changes_nothing(database: Database, newer: Migrations) -> None:
    broken = NEXT + "    op.execute('SELECT * FROM no_such_table')\n"
    (newer.scripts / "versions" / f"{NEWER}_mood.py").write_text(broken)
    with pytest.raises(StoreError, match="no_such_table"):
        await upgrade_database(database, newer)
    assert await database.read(load_revision) == OURS.head
    columns = await database.read(lambda c: [one["name"] for one in inspect(c).get_columns("feeds")])
    assert "mood" not in columns


def _insert_orphan(connection: Connection) -> None:
    connection.execute(insert(items).values(feed_id=UUID(int=0), hash="h", url="https://a.example/", uid="u"))


async def test_a_migration_may_not_leave_rows_without_what_they_refer_to(database: Database) -> None:
    with pytest.raises(StoreError):
        await database.migrate(_insert_orphan)
    assert await count(database, items) == 0


async def test_foreign_keys_are_checked_again_after_a_migration(database: Database) -> None:
    await database.migrate(lambda connection: None)
    with pytest.raises(StoreError, match=r"(?i)foreign key"):
        await database.write(_insert_orphan)


async def test_built_documents_are_stored_out_of_line_on_postgresql(database: Database) -> None:
    if database.is_sqlite:
        return
    feed = await add_feed(database)
    document = "<rss>" + "слово " * 20_000 + "</rss>"
    cached = CachedFeed(xml_header="<rss>", xml_content=document, item_refs=(), updated_at=NOW)
    await database.write(save_cached_feeds, {feed.id: cached})
    questions = {
        "storage": "SELECT attstorage::text FROM pg_attribute WHERE attrelid = 'cached_feeds'::regclass"
        " AND attname = 'xml_content'",
        "size": "SELECT pg_column_size(xml_content) FROM cached_feeds",
        "toast": "SELECT pg_relation_size(reltoastrelid) FROM pg_class WHERE oid = 'cached_feeds'::regclass",
        "main": "SELECT pg_relation_size('cached_feeds')",
    }
    seen = {
        name: await database.read(lambda c, q=query: c.execute(text(q)).scalar())
        for name, query in questions.items()
    }
    assert seen["storage"] == "e"
    assert seen["size"] == len(document.encode())  # not compressed
    assert seen["toast"] > len(document.encode())
    assert seen["main"] == 8192


def _to_first(connection: Connection) -> None:
    from alembic import command  # noqa: PLC0415

    command.downgrade(alembic_config(connection), "0001")


async def test_a_row_that_sql_inserts_gets_an_id_on_postgresql(database: Database) -> None:
    if database.is_sqlite:
        return
    row = text(
        "INSERT INTO feeds (url, url_hash, source) VALUES ('https://a.example/', 'a', 'a') RETURNING id"
    )
    assert await database.write(lambda connection: connection.execute(row).scalar())


async def test_items_from_before_are_counted_on_the_day_they_came(database: Database) -> None:
    feed = await add_feed(database)
    await collect(database, feed, listed(), listed("https://example.com/2"))
    await database.migrate(_to_first)
    await upgrade_database(database)
    (counted,) = await rows(database, feed_days)
    assert (counted.feed_id, counted.day, counted.added, counted.success) == (feed.id, NOW.date(), 2, 0)


async def test_urls_that_several_feeds_list_are_marked_by_the_upgrade(database: Database) -> None:
    one, two = await add_feed(database), await add_feed(database, "https://example.com/other")
    await collect(database, one, listed(), listed("https://example.com/2"))
    await collect(database, two, listed())
    await database.migrate(_to_first)
    await upgrade_database(database)
    marked = sorted((row.url[-1], row.is_shared) for row in await rows(database, items))
    assert marked == [("1", True), ("1", True), ("2", False)]


async def test_documents_of_fetched_feeds_are_built_anew_after_the_upgrade(database: Database) -> None:
    """Those built before carry no texts."""
    fetched, new = await add_feeds(database, 2)
    await collect(database, fetched, listed())
    await set_schedule(database, fetched, build_at=None)
    await database.migrate(_to_first)
    await upgrade_database(database)
    waiting = {row.id: row.build_at is not None for row in await rows(database, feed_schedules)}
    assert waiting == {fetched.id: True, new.id: False}


async def test_what_was_there_before_search_can_be_found_after_the_upgrade(database: Database) -> None:
    feed = await add_feed(database)
    old = listed(title="Выборы 北京新闻", published_at=NOW - timedelta(days=1))
    await collect(database, feed, old, listed("https://example.com/2", title="Выборы"))
    await database.migrate(_to_first)
    await upgrade_database(database)

    queued = [row.item_id for row in sorted(await rows(database, search_queue), key=lambda row: row.id)]
    newest_last = sorted(await rows(database, items), key=lambda row: row.pub_date)
    assert queued == [row.id for row in newest_last]
    await SearchIndexer(database=database).run_once()
    found = await database.read(list_items, ItemFilter(query="выборы"))
    assert [item.url for item in found] == ["https://example.com/2", "https://example.com/1"]
    assert len(await database.read(list_items, ItemFilter(query="新闻"))) == 1
    await collect(database, feed, listed("https://example.com/3", title="Выборы"))
    assert await count(database, search_queue) == 1
