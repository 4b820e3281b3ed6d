"""`inforadar item history` and `item diff`: what changed, as words and as proof (V5, V6)."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

from inforadar.config import load_settings
from inforadar.pipeline.group.stage import GroupStage
from inforadar.store.database import open_database
from tests.cli.calling import Call
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.revised import URL, add_changed_article


def test_a_change_is_told_and_can_be_pasted(call: Call, home: Path) -> None:
    call("feed", "add", "https://a.example/feed")

    async def fill() -> None:
        async with open_database(load_settings(home).database_url) as database:
            newsroom = Newsroom(database=database)
            await add_changed_article(newsroom)
            await GroupStage(database=database, now=lambda: datetime.now(UTC), use_vectors=False).run_once()

    asyncio.run(fill())
    told = call("item", "history", URL).out
    assert "Changed 1×, 2 versions kept." in told
    assert "headline, number, silent" in told
    assert "Two still says:" in told
    shown = call("item", "diff", URL).out
    assert "Version 1 → 2" in shown
    assert "3 unchanged paragraphs" in shown
    pasted = call("item", "diff", URL, "--markdown").out
    assert "~~" in pasted
    assert "40 people injured" in pasted
    assert "SHA-256 `" in pasted
    assert "UTC" in pasted
    assert "Two still says" in pasted
    assert "<https://two.example/ferry>" in pasted
    assert "<injured>" not in pasted
    document = json.loads(call("item", "history", URL, "--json").out)
    assert document["change_count"] == 1
    assert [one["number"] for one in document["versions"]] == [1, 2]
    assert "number" in document["revisions"][0]["kinds"]
    assert document["revisions"][0]["other_outlets"][0]["says_old"] is True
    refused = call("item", "diff", URL, "1", "9")
    assert refused.code != 0
    assert "There is no version 9" in refused.err
