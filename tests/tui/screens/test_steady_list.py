"""No article is skipped while reading changes which articles belong to the list."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from itertools import count

import pytest

from inforadar.config import Settings
from inforadar.store.database import Database
from inforadar.tui.screens.reading import ReadingScreen
from tests.support.faces.terminal import NOW, Terminal, opened

ITEMS = 45


@pytest.fixture
async def low(filled: Database, web_settings: Settings) -> AsyncIterator[Terminal]:
    """A terminal with room for five articles, and a clock that goes on."""
    ticks = count()
    async with opened(
        web_settings, filled, size=(100, 8), now=lambda: NOW + timedelta(microseconds=next(ticks))
    ) as terminal:
        yield terminal


async def command(terminal: Terminal, text: str) -> None:
    await terminal.press("colon")
    await terminal.type(text)
    await terminal.press("enter")


async def titles_read(terminal: Terminal, *keys: str) -> list[str]:
    """Open the first article and go on to the last; `keys` are pressed at each."""
    read = []
    await terminal.press("enter")
    while "This is the last article" not in terminal.status:
        screen = terminal.app.screen
        assert isinstance(screen, ReadingScreen)
        read.append(screen._row.item.title or "")
        await terminal.press(*keys, "n")
    return read


@pytest.mark.parametrize("order", ["title asc", "score desc", "date asc", "date desc"])
async def test_every_unread_article_is_reached_in_every_order(low: Terminal, order: str) -> None:
    await command(low, "show unread")
    await command(low, f"sort {order}")
    read = await titles_read(low)
    assert len(read) == len(set(read)) == ITEMS
    await low.press("escape", "g")
    assert f"1–5 of {ITEMS}" in low.status
    await low.press("R")
    assert "Nothing unread here" in low.text


@pytest.mark.parametrize(("show", "key"), [("all", "a"), ("starred", "asterisk")])
async def test_every_article_is_reached_while_others_leave_the_list(
    low: Terminal, show: str, key: str
) -> None:
    if show == "starred":
        await titles_read(low, "asterisk")
        await low.press("escape")
    await command(low, f"show {show}")
    await command(low, "sort title asc")
    read = await titles_read(low, key)
    assert len(read) == len(set(read)) == ITEMS
    assert read == sorted(read, key=str.lower)
