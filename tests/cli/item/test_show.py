"""`inforadar item show`: files, comments, authors, and the text of an entry that shares its page."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from inforadar.config import load_settings
from inforadar.model.item import Enclosure
from inforadar.store.database import open_database
from tests.cli.calling import Call
from tests.support.faces.newsroom import Newsroom

URL = "https://news.example/log#2"


def test_an_entry_of_a_shared_page_is_read_in_the_terminal(call: Call, home: Path) -> None:
    call("feed", "add", "https://a.example/feed")

    async def fill() -> None:
        async with open_database(load_settings(home).database_url) as database:
            newsroom = Newsroom(database=database)
            await newsroom.add_item(
                await newsroom.add_feed(),
                URL,
                title="Версия 2 🚀",
                content="<h2>新しい</h2><p>Первый <b>абзац</b>\x1b[31m</p><script>alert(1)</script>",
                authors=("Анна", "أحمد"),
                comments_url="https://news.example/talk",
                published_at=datetime(2026, 3, 1, tzinfo=UTC),
                updated_at=datetime(2026, 3, 2, tzinfo=UTC),
                enclosures=(
                    Enclosure(
                        url="https://cdn.example/7.mp3", type="audio/mpeg", length=12_300_000, duration=61
                    ),
                ),
            )

    asyncio.run(fill())
    shown = call("item", "show", URL).out
    assert "Анна, أحمد" in shown
    assert "updated 2026-03-02" in shown
    assert "Comments: https://news.example/talk" in shown
    assert "File: https://cdn.example/7.mp3 (audio/mpeg, 12.3 MB, 1:01)" in shown
    assert "新しい\n\nПервый абзац" in shown
    assert "alert" not in shown
    assert "\x1b[31m" not in shown
    assert "has not been fetched yet" not in shown
