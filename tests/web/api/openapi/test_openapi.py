"""The description of the API is true."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import aiohttp

from inforadar.config import Settings
from inforadar.pipeline.search_index import SearchIndexer
from inforadar.web.http.admin_token import load_admin_token
from tests.support.faces.newsroom import Newsroom


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
        "--max-examples=2",
        "--seed=1",
        "--phases=examples,coverage,fuzzing",
        # What is well-formed may still mean nothing: a cursor of another list, a word that is only spaces.
        "--exclude-checks=positive_data_acceptance",
        # It goes out to the web; and a run that no worker takes has events without end.
        "--exclude-path=/api/discover",
        "--exclude-path=/api/runs/{id}/events",
        "--no-color",
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd=tmp_path,
        env=os.environ | {"SCHEMATHESIS_HOOKS": ""},
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()[-6000:]
