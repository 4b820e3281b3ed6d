"""The description of the API is true, and the measurements are Prometheus'."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path

import aiohttp

from inforadar.config import Settings
from inforadar.model.http import Outcome
from inforadar.pipeline.search_index import SearchIndexer
from inforadar.web.admin_token import load_admin_token
from tests.faces.newsroom import Newsroom


async def test_the_description_holds_whatever_is_asked(
    newsroom: Newsroom, web: aiohttp.ClientSession, web_settings: Settings, tmp_path: Path
) -> None:
    feed = await newsroom.add_feed("https://news.example/feed", topic="a")
    await newsroom.add_items(feed, 3)
    await newsroom.build(feed, "<rss/>")
    await SearchIndexer(database=newsroom.database).run_once()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "schemathesis.cli",
        "run",
        f"{web_settings.web.base_url}/openapi.json",
        "--header",
        f"Authorization: Bearer {load_admin_token(web_settings.home)}",
        "--max-examples=10",
        "--seed=1",
        "--phases=examples,coverage,fuzzing",
        # What is well-formed may still mean nothing: a cursor of another list, a word that is only spaces.
        "--exclude-checks=positive_data_acceptance",
        "--no-color",
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd=tmp_path,
        env=os.environ | {"SCHEMATHESIS_HOOKS": ""},
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()[-6000:]


async def test_metrics_are_in_prometheus_format(newsroom: Newsroom, web: aiohttp.ClientSession) -> None:
    feed = await newsroom.add_feed()
    await newsroom.add_item(feed, "https://news.example/1")
    await newsroom.fetched(feed, Outcome.TEMPORARY_ERROR, error="x", failures=1)
    async with web.get("/api/items"):
        pass
    async with web.get("/metrics") as response:
        assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        text = await response.text()
    sample = re.compile(r'[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? -?[0-9.e+]+')
    for line in text.splitlines():
        assert line.startswith("# ") or sample.fullmatch(line), line
    assert 'inforadar_feeds{outcome="temporary_error"} 1' in text
    assert 'inforadar_queue_length{queue="canonical"} 1' in text
    assert 'inforadar_leases{stage="collect"} 0' in text
    assert 'inforadar_http_requests_total{status="200"} 1' in text
    assert 'inforadar_http_request_duration_seconds_bucket{le="+Inf"} 1' in text
