"""SQLite files are where their path says, whatever characters it has."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Connection

from inforadar.actions.upkeep.backup import back_up
from inforadar.actions.upkeep.restore import restore_database
from inforadar.app.store import open_store
from inforadar.cli.system.worker import patient_worker
from inforadar.config import Settings, load_settings
from inforadar.pipeline.worker import Stage
from inforadar.store.database import LOCK_TIMEOUT_S, WORKER_LOCK_TIMEOUT_S
from inforadar.store.leases import LEASE_S
from inforadar.store.sitemaps.state_file import open_state


@pytest.mark.parametrize("name", ["a?b=c", "50%", "%41", "a#b", "дом 家", "file:x"])
async def test_a_home_of_any_name_has_its_database_inside(tmp_path: Path, name: str) -> None:
    settings = load_settings(tmp_path / name, environ={})
    async with open_store(settings) as database:
        assert database.path == tmp_path / name / "inforadar.db"
    made = {path.relative_to(tmp_path).parts[0] for path in tmp_path.rglob("*.db")}
    assert made == {name}
    restored = await restore_database(
        settings.database_url, None, await _backup(settings, tmp_path / "копия.db"), lambda table, rows: None
    )
    assert restored.name == str(tmp_path / name / "inforadar.db")


async def _backup(settings: Settings, to: Path) -> Path:
    async with open_store(settings) as database:
        return await back_up(database, to, settings.home)


@pytest.mark.parametrize("name", ["a?b.db", "100%25.db"])
async def test_a_state_file_of_any_name_is_where_its_path_says(tmp_path: Path, name: str) -> None:
    async with open_state(tmp_path / name) as database:
        assert database.path == tmp_path / name
    assert [path.name for path in tmp_path.glob("*.db")] == [name]


async def test_a_worker_waits_longer_for_another_programs_lock_than_a_person_would(tmp_path: Path) -> None:
    """`db vacuum` holds it for as long as the database is large; no lease may expire meanwhile."""
    settings = load_settings(tmp_path, environ={})

    def limit_s(connection: Connection) -> float:
        milliseconds: int = connection.exec_driver_sql("PRAGMA busy_timeout").scalar_one()
        return milliseconds / 1000

    async with open_store(settings) as database:
        assert await database.write(limit_s) == LOCK_TIMEOUT_S
    async with patient_worker(settings, frozenset({Stage.COLLECT})) as worker:
        assert await worker.database.write(limit_s) == WORKER_LOCK_TIMEOUT_S
    assert WORKER_LOCK_TIMEOUT_S < LEASE_S / 2
