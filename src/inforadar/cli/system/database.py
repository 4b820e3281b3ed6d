"""`inforadar db …`: upgrade, check, back up, restore, tidy up, move."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from cyclopts import Parameter

from inforadar.actions.upkeep.backup import back_up
from inforadar.actions.upkeep.move import MovedTo, move_database
from inforadar.actions.upkeep.repair import repair_database
from inforadar.actions.upkeep.restore import Restored, refuse_other_kind, restore_database
from inforadar.actions.upkeep.retention import Retention, Surplus
from inforadar.actions.upkeep.upgrade import upgrade_schema
from inforadar.actions.upkeep.vacuum import vacuum_database
from inforadar.app.store import make_home, open_unchecked_store
from inforadar.cli.terminal.confirm import Yes, confirm
from inforadar.cli.terminal.output import print_json, print_line, safe, size_text
from inforadar.cli.terminal.progress import told
from inforadar.cli.terminal.run import on_store
from inforadar.cli.terminal.tables import print_table
from inforadar.config import Settings, load_settings
from inforadar.store.database import Database
from inforadar.store.upkeep.checks import find_damage, load_counts, load_size
from inforadar.store.upkeep.revision import OURS, load_revision
from inforadar.texts import counted

Json = Annotated[bool, Parameter(name="--json", negative="", help="Print JSON.")]


def upgrade(*, json: Json = False) -> None:
    """Upgrade the database to this version's schema; SQLite is backed up first."""
    settings = load_settings()

    async def work() -> tuple[str, Path | None]:
        async with open_unchecked_store(settings) as database:
            return database.name, await upgrade_schema(database)

    name, backup = asyncio.run(work())
    if json:
        print_json({"database": name, "schema": OURS.head, "backup": str(backup) if backup else None})
        return
    if backup:
        print_line(f"Backed up the database to {backup}.")
    print_line(f"{name} has schema {OURS.head}, the current one.")


def check(
    *,
    repair: Annotated[bool, Parameter(negative="", help="Rebuild missing indexes and counters.")] = False,
    json: Json = False,
) -> int:
    """Check the database for damage: file, schema and references. Reads all of it."""

    async def work(database: Database, _: Settings) -> dict[str, Any]:
        made = await repair_database(database) if repair else []
        return {
            "database": database.name,
            "schema": await database.read(load_revision),
            "size": await database.read(load_size),
            "rows": await database.read(load_counts),
            "repaired": made,
            "damage": await database.read(find_damage),
        }

    found = on_store(work)
    if json:
        print_json(found)
        return 1 if found["damage"] else 0
    print_table(
        ["Table", "Rows>"],
        ((name, number) for name, number in found["rows"].items() if number),
        empty="The database is empty.",
    )
    for name in found["repaired"]:
        print_line(f"Rebuilt the index {name}.")
    for sentence in found["damage"]:
        print_line(f"! {safe(sentence)}")
    if found["damage"]:
        return 1
    print_line(f"{found['database']} is not damaged: schema {found['schema']}, {size_text(found['size'])}.")
    return 0


def backup(
    file: Annotated[Path | None, Parameter(help="The file to write. Default: next to the database.")] = None,
    *,
    json: Json = False,
) -> None:
    """Back up the database while it is in use: SQLite as a database file, PostgreSQL as an export."""

    async def work(database: Database, settings: Settings) -> Path:
        return await back_up(database, file, settings.home)

    made = on_store(work)
    if json:
        print_json({"backup": str(made), "size": made.stat().st_size})
        return
    print_line(f"Backed up to {made} ({size_text(made.stat().st_size)}).")
    print_line(
        f"It contains credentials, so only you can read it. To restore it: `inforadar db restore {made}`."
    )


def restore(
    file: Annotated[Path, Parameter(help="A backup or an export.")], *, yes: Yes = False, json: Json = False
) -> None:
    """Replace the database with a backup. Stop everything else first."""
    settings = load_settings()
    refuse_other_kind(settings.database_url, file)
    confirm(f"Replace everything in the database with {file}?", yes=yes, undone="Nothing was restored.")
    if settings.database_url.startswith("sqlite"):
        make_home(settings.home)

    async def work() -> Restored:
        return await restore_database(settings.database_url, _password(settings), file, told)

    done = asyncio.run(work())
    if json:
        print_json(
            {"database": done.name, "replaced": str(done.aside) if done.aside else None, "rows": done.rows}
        )
        return
    print_line(
        f"Restored {done.name}: {counted(done.rows['feeds'], 'feed')}, {counted(done.rows['items'], 'item')}."
    )
    if done.aside:
        print_line(f"The former database is {done.aside}; delete it when you no longer need it.")
    if settings.redis.url:
        print_line("Redis still has the former data. Run `inforadar canonical rebuild`.")


def vacuum(
    *,
    dry_run: Annotated[bool, Parameter(negative="", help="Only show what would be deleted.")] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Delete old data by the RETENTION_* settings and free its space."""

    async def plan(database: Database, settings: Settings) -> tuple[Surplus, int]:
        return await _retention(database, settings).plan(), await database.read(load_size)

    surplus, before = on_store(plan)
    if dry_run:
        _show_surplus(surplus, {"dry_run": True, "size": before}, as_json=json)
        return
    if surplus:
        if not json:
            _show_surplus(surplus, {}, as_json=False)
        confirm("Delete this data?", yes=yes, undone="Nothing was deleted.")

    async def work(database: Database, settings: Settings) -> tuple[Surplus, int]:
        done = await vacuum_database(_retention(database, settings))
        return done, await database.read(load_size)

    done, after = on_store(work)
    if json:
        _show_surplus(done, {"dry_run": False, "size_before": before, "size": after}, as_json=True)
        return
    if done:
        print_line(
            f"Deleted {counted(done.items, 'item')} and {counted(done.articles, 'article')}. "
            "Their URLs are remembered, so they do not come back."
        )
    print_line(f"The database now has {size_text(after)}; before, it had {size_text(before)}.")


def _retention(database: Database, settings: Settings) -> Retention:
    return Retention(database=database, settings=settings.retention, published=settings.publish.items)


def _show_surplus(surplus: Surplus, more: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        feeds = [{"id": str(feed.feed_id), "url": feed.url, "items": feed.items} for feed in surplus.feeds]
        numbers = {"items": surplus.items, "articles": surplus.articles, "history": surplus.history}
        print_json({**numbers, "feeds": feeds, **more})
        return
    print_table(
        ["Feed", "Items to delete>"],
        ((feed.url, feed.items) for feed in surplus.feeds),
        empty="No items to delete. RETENTION_MAX_AGE_DAYS and RETENTION_MAX_ITEMS set what is kept.",
    )
    if surplus.articles:
        print_line(f"{counted(surplus.articles, 'article')} without an item to delete.")
    if surplus.history:
        print_line(
            f"{counted(surplus.history, 'old record')} to delete: reports, changes, failures, cached analyses, hosts."
        )


def move(
    *,
    to: Annotated[str, Parameter(help="The target database: postgresql://… or sqlite:///….")],
    restart: Annotated[bool, Parameter(negative="", help="Start over after an interrupted move.")] = False,
    json: Json = False,
) -> None:
    """Copy everything to another database and compare the two. This one stays; an interrupted move is resumed."""

    async def work(database: Database, settings: Settings) -> MovedTo:
        apart = None if urlsplit(to).password else _password(settings)
        return await move_database(database, to, apart, told, restart=restart)

    moved = on_store(work)
    if json:
        print_json({"database": moved.name, "rows": moved.rows, "resumed": moved.resumed})
        return
    print_line(
        f"Copied {counted(sum(moved.rows.values()), 'row')} to {moved.name}. Counts and checksums match."
    )
    apart = " and DB_PASSWORD" if to.startswith("postgres") else ""
    print_line(f"Next: set DATABASE_URL={to}{apart}, then restart Info Radar.")


def _password(settings: Settings) -> str | None:
    return settings.database.password.get_secret_value() if settings.database.password else None
