from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from inforadar.store.database import open_database
from inforadar.store.upkeep.upgrade import upgrade_database
from inforadar.urls import sqlite_url


def modes(folder: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.glob("radar.db*")}


@pytest.fixture
def open_folder(tmp_path: Path) -> Path:
    """A folder that everybody can read, of a user whose files are readable by all."""
    folder = tmp_path / "home"
    folder.mkdir()
    folder.chmod(0o755)
    return folder


async def test_database_log_and_shared_memory_are_their_owners_alone(
    open_folder: Path,
) -> None:
    before = os.umask(0o022)
    try:
        url = sqlite_url(open_folder / "radar.db")
        async with open_database(url) as database:
            await upgrade_database(database)
            assert modes(open_folder) == dict.fromkeys(("radar.db", "radar.db-wal", "radar.db-shm"), 0o600)
        (open_folder / "radar.db").chmod(0o644)
        async with open_database(url) as database:
            await upgrade_database(database)
            assert set(modes(open_folder).values()) == {0o600}, "one of an earlier version is closed"
    finally:
        os.umask(before)
