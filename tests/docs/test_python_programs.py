"""The programs of `docs/python.md`, run one after the other as a reader would run them."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path

import aiohttp
import pytest

from tests.pipeline.canonical_fixtures import article
from tests.support.faces.newsroom import Newsroom
from tests.support.site.documents import Entry, rss
from tests.support.site.server import Site
from tests.support.site.sitemaps import SitemapSite

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "python.md"


async def test_each_program_does_what_it_says(
    tmp_path: Path, site: Site, newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    page = article(site, 1)
    site.feed("/feed.xml", rss([Entry(url=page, title="Новость")]))
    SitemapSite(site).publish("/sitemap.xml", "first", title="First")
    feed = await newsroom.add_feed()
    await newsroom.add_item(feed, "https://news.example/1", title="Served")
    programs = re.findall(r"^```python\n(.+?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    said = [await run(tmp_path, program, site, str(web._base_url).rstrip("/")) for program in programs]
    keeps, fetches, reads, sitemap, asks = said
    assert "Новость" in keeps
    assert "0 new, 0 changed, 0 errors" in fetches
    assert "There is no feed with the id 'no such feed'." in fetches
    assert "{'success': 1}" in reads
    assert "characters" in reads
    assert "<title>First</title>" in sitemap
    assert "Served" in asks


async def run(folder: Path, program: str, site: Site, server: str) -> str:
    """Run a program to its end with the test's addresses; return what it printed."""
    program = program.replace("https://example.com", site.url("")).replace("http://127.0.0.1:8321", server)
    path = folder / "program.py"
    path.write_text(program, encoding="utf-8")
    environment = {
        **os.environ,
        "INFORADAR_HOME": str(folder),
        "FETCHER_ALLOWED_NETWORKS": "127.0.0.0/8",
        "FETCHER_DOMAIN_DELAY": "0",
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(path), cwd=folder, env=environment, stdout=-1, stderr=-1
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return out.decode()
