"""The daily budget, where a stop comes in the wrong moment."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import text

from inforadar.pipeline.analyze.budget import Budget
from inforadar.store.database import open_database
from inforadar.store.schema.analyses import analysis_costs
from tests.store.making import add_feed, rows
from tests.support.servers_fixtures import SqliteBackend


async def test_what_was_reserved_when_a_stop_came_is_given_back(
    sqlite_template: Path, tmp_path: Path
) -> None:
    async with SqliteBackend(sqlite_template, tmp_path).fresh() as url, open_database(url) as database:
        feed = await add_feed(database)
        purse = Budget(database, 1.0, lambda: datetime.now(UTC)).purse("tiny-1", feed.id)
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            reserving = asyncio.create_task(purse.set_aside(0.1))
            # This goes through a thread too, so by then the reserving transaction waits for the lock.
            await database.read(lambda connection: connection.execute(text("SELECT 1")))
            reserving.cancel()
            await asyncio.wait({reserving}, timeout=0)
        with pytest.raises(asyncio.CancelledError):
            await reserving
        await database.write(lambda connection: connection.execute(text("SELECT 1")))
        assert await rows(database, analysis_costs) == []
