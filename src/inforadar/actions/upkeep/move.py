"""Move everything to another database."""

from __future__ import annotations

from dataclasses import dataclass

from inforadar.store.database import Database, open_database
from inforadar.store.upkeep.export_archive import OnTableDone
from inforadar.store.upkeep.move import Move


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedTo:
    """The database that everything was moved to, and what was moved."""

    name: str
    rows: dict[str, int]
    resumed: bool


async def move_database(
    database: Database, to: str, password: str | None, told: OnTableDone, *, restart: bool = False
) -> MovedTo:
    """Move and verify; `database` is only read. An interrupted move continues, unless `restart` is set."""
    async with open_database(to, password) as target:
        moved = await Move(source=database, target=target, told=told).run(restart=restart)
        return MovedTo(name=target.name, rows=moved.tables, resumed=moved.resumed)
