"""The revision of a database's schema, and checks that this program can use it.

`OURS.head` is the revision this program needs; comparing it with the one row of `alembic_version` is one query, so that
no command has to import Alembic when there is nothing to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from inforadar.errors import DatabaseTooNewError, StoreError
from inforadar.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Migrations:
    """The revisions a program knows, oldest first, and the folder of Alembic's scripts for them."""

    known: tuple[str, ...]
    scripts: Path

    @property
    def head(self) -> str:
        return self.known[-1]


_SCRIPTS = Path(__file__).parents[1] / "migrations"
OURS = Migrations(
    known=tuple(sorted(file.name.split("_")[0] for file in (_SCRIPTS / "versions").glob("[0-9]*.py"))),
    scripts=_SCRIPTS,
)

MOVING = "moving"
"""The revision while `db move` fills a database: no program may use an incomplete one."""


def load_revision(connection: Connection) -> str | None:
    """The revision the database is at, or None for an empty one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return revision


def is_empty_database(connection: Connection) -> bool:
    """Whether the database has no tables at all, not even of another program."""
    return not inspect(connection).get_table_names()


async def require_current(database: Database, migrations: Migrations = OURS) -> None:
    """Refuse a database that is not at this program's revision."""
    revision = await database.read(load_revision)
    check_revision(revision, database.name, migrations)
    if revision != migrations.head:
        state = "is empty" if revision is None else "is not up to date"
        raise StoreError(f"The database {database.name} {state}. Run `inforadar db upgrade` to set it up.")


def check_revision(revision: str | None, name: str, migrations: Migrations = OURS) -> None:
    if revision == MOVING:
        raise StoreError(
            f"The database {name} is only half filled: `inforadar db move` was stopped. Run it again."
        )
    if revision is not None and revision not in migrations.known:
        raise DatabaseTooNewError(
            f"The database {name} was written by a newer Info Radar: its schema is {revision}, this program "
            f"knows {migrations.head}. Upgrade the program, or restore a backup from before."
        )
