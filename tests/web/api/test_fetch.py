"""A fetch run is asked for over HTTP, executed by a worker, looked at and stopped."""

from __future__ import annotations

from datetime import date
from uuid import UUID, uuid4

import aiohttp
import pytest

from inforadar.config import Settings
from inforadar.model.ids import RunId
from inforadar.model.run import RunDetails
from inforadar.pipeline.runs.fetch_run import FetchFilter, parse_fetch_details
from inforadar.stages.discover.pages.walk import Depth
from inforadar.store.runs.fetch_runs import claim_fetch_run, save_heartbeat
from inforadar.store.runs.save import finish_run
from inforadar.web.http.admin_token import load_admin_token
from tests.support.faces.newsroom import BUILT_AT, Newsroom


@pytest.fixture
def bearer(web_settings: Settings) -> dict[str, str]:
    return {"Authorization": f"Bearer {load_admin_token(web_settings.home)}"}


async def test_a_run_that_is_asked_for_waits_for_a_worker_with_what_it_is_to_do(
    newsroom: Newsroom, web: aiohttp.ClientSession, bearer: dict[str, str]
) -> None:
    asked = {
        "sources": ["Хабр"],
        "topics": ["python"],
        "cutoff": "2026-01-31",
        "window_days": 7,
        "depth": "window",
    }
    async with web.post("/api/fetch", json=asked, headers=bearer) as response:
        assert response.status == 202
        run = await response.json()
    assert (run["kind"], run["finished_at"]) == ("fetch", None)
    claimed = await newsroom.database.write(claim_fetch_run)
    assert claimed is not None
    run_id, details = claimed
    assert str(run_id) == run["run_id"]
    wanted, limits = parse_fetch_details(details)
    assert wanted == FetchFilter(sources=("Хабр",), topics=("python",))
    assert (limits.cutoff, limits.window_days, limits.depth) == (date(2026, 1, 31), 7, Depth.WINDOW)


async def test_a_run_is_stopped_before_it_begins_and_one_that_ended_is_not(
    newsroom: Newsroom, web: aiohttp.ClientSession, bearer: dict[str, str]
) -> None:
    async with web.post("/api/fetch", json={}, headers=bearer) as response:
        path = f"/api/runs/{(await response.json())['run_id']}/stop"
    async with web.post(path, headers=bearer) as response:
        assert response.status == 202
        assert (await response.json())["interrupted"] is True
    assert await newsroom.database.write(claim_fetch_run) is None
    async with web.post(path, headers=bearer) as response:
        assert response.status == 409
    async with web.post(f"/api/runs/{uuid4()}/stop", headers=bearer) as response:
        assert response.status == 404


async def test_a_run_that_goes_on_hears_that_it_is_to_stop(
    newsroom: Newsroom, web: aiohttp.ClientSession, bearer: dict[str, str]
) -> None:
    async with web.post("/api/fetch", json={}, headers=bearer) as response:
        run_id = RunId(UUID((await response.json())["run_id"]))
    assert await newsroom.database.write(claim_fetch_run) is not None
    async with web.post(f"/api/runs/{run_id}/stop", headers=bearer) as response:
        assert (response.status, (await response.json())["finished_at"]) == (202, None)
    assert await newsroom.database.write(save_heartbeat, run_id, 0, [], RunDetails())
    await newsroom.database.write(finish_run, run_id, BUILT_AT, interrupted=True)


@pytest.mark.parametrize(
    "body",
    [{"sources": "Habr"}, {"depth": "all"}, {"window_days": -1}, {"cutoff": "yesterday"}, {"limit": 1}],
)
async def test_a_fetch_that_means_nothing_is_refused(
    web: aiohttp.ClientSession, bearer: dict[str, str], body: dict[str, object]
) -> None:
    async with web.post("/api/fetch", json=body, headers=bearer) as response:
        assert response.status == 400


async def test_a_fetch_needs_the_token(web: aiohttp.ClientSession) -> None:
    for path in ("/api/fetch", f"/api/runs/{uuid4()}/stop"):
        async with web.post(path, json={}) as response:
            assert response.status == 401
