from __future__ import annotations

from pathlib import Path

import aiohttp

from inforadar import __version__
from inforadar.config import Settings
from inforadar.store.database import open_database
from tests.support.faces.serving import running


async def test_health_is_ok_with_a_database_that_answers(web: aiohttp.ClientSession) -> None:
    for path in ("/health", "/health/ready"):
        async with web.get(path) as response:
            assert response.status == 200
            assert response.headers["Content-Type"] == "application/json"
            assert await response.json() == {"status": "ok", "version": __version__, "database": "ok"}


async def test_health_says_what_is_wrong_with_the_database(web_settings: Settings, tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is no database, whatever its name says" * 100)
    async with open_database(f"sqlite:///{broken}") as database, running(database, web_settings) as web:
        for path in ("/health", "/health/ready"):
            async with web.get(path) as response:
                assert response.status == 503
                body = await response.json()
                assert body["status"] == "failing"
                assert "is damaged" in body["database"]


async def test_a_database_without_tables_is_not_ready(web_settings: Settings, tmp_path: Path) -> None:
    async with (
        open_database(f"sqlite:///{tmp_path}/empty.db") as database,
        running(database, web_settings) as web,
        web.get("/health") as response,
    ):
        assert response.status == 503
        assert "inforadar db upgrade" in (await response.json())["database"]


async def test_the_process_lives_even_if_the_database_does_not(
    web_settings: Settings, tmp_path: Path
) -> None:
    async with (
        open_database(f"sqlite:///{tmp_path}/missing/inforadar.db") as database,
        running(database, web_settings) as web,
        web.get("/health/live") as response,
    ):
        assert response.status == 200
