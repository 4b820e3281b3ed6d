"""`inforadar item list`: what the column of scores says."""

from __future__ import annotations

import asyncio
from pathlib import Path

from inforadar.config import load_settings
from inforadar.store.database import open_database
from tests.cli.calling import Call
from tests.support.faces.newsroom import Newsroom


def test_not_measured_is_told_apart_from_not_analyzed(call: Call, home: Path) -> None:
    call("feed", "add", "https://a.example/feed")

    async def fill() -> None:
        async with open_database(load_settings(home).database_url) as database:
            newsroom = Newsroom(database=database)
            feed = await newsroom.add_feed()
            for name in ("plain", "waiting", "japanese"):
                await newsroom.add_item(feed, f"https://news.example/{name}", title=name)
            await newsroom.analyze({"https://news.example/plain": 0.0, "https://news.example/japanese": None})

    asyncio.run(fill())
    lines = call("item", "list").out.splitlines()
    ends = {
        name: next(line for line in lines if name in line).rstrip()
        for name in ("plain", "waiting", "japanese")
    }
    assert ends["plain"].endswith("0.00 neutral")
    assert ends["waiting"].endswith("–")
    assert ends["japanese"].endswith("not measured")
    assert "overall" in (shown := call("item", "show", "https://news.example/japanese").out)
    assert "not measured" in shown
