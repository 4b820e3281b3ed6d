"""`inforadar item list QUERY`: the search language on the command line."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from inforadar.config import load_settings
from inforadar.store.database import open_database
from tests.cli.calling import Call
from tests.support.faces.newsroom import Newsroom


def test_a_query_lists_matching_items_even_before_a_worker_indexed_them(call: Call, home: Path) -> None:
    call("feed", "add", "https://a.example/feed")

    async def fill() -> None:
        async with open_database(load_settings(home).database_url) as database:
            newsroom = Newsroom(database=database)
            feed = await newsroom.add_feed()
            await newsroom.add_item(feed, "https://news.example/1", title="Ferry pays harbour tax")
            await newsroom.add_item(feed, "https://news.example/2", title="Tax of the harbour")

    asyncio.run(fill())

    def urls(*query: str) -> list[str]:
        return [item["url"][-1] for item in json.loads(call("item", "list", *query, "--json").out)]

    assert urls('"harbour tax"') == ["1"]
    assert urls("harbour", "-ferry") == ["2"]
    assert urls("-ferry") == ["2"]
    assert sorted(urls("ferry", "OR", "tax")) == ["1", "2"]
    refused = call("item", "list", "score:high")
    assert refused.code == 2
    assert "score: takes a range" in refused.err
