"""Stories in the terminal: the list, one story with its facts, and the way to its articles and back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from inforadar.config import Settings
from inforadar.store.database import Database
from inforadar.tui.screens.articles import ArticlesScreen
from inforadar.tui.screens.stories import StoriesScreen
from inforadar.tui.screens.story import StoryScreen
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.terminal import Terminal, opened
from tests.support.faces.told import tell


@pytest.fixture
async def stories(newsroom: Newsroom, web_settings: Settings) -> AsyncIterator[Terminal]:
    await tell(newsroom)
    async with opened(web_settings, newsroom.database, (100, 40), lambda: datetime.now(UTC)) as terminal:
        await terminal.press("S")
        yield terminal


async def test_the_list_has_each_event_once_in_either_order(stories: Terminal) -> None:
    assert isinstance(stories.app.screen, StoriesScreen)
    text = stories.text
    assert text.index("Sorrenia passes budget") < text.index("Earthquake in Grandel")
    assert "3 outlets · 0.20 to 0.90" in text
    assert "2 stories · newest first" in stories.status
    await stories.press("greater_than_sign")
    text = stories.text
    assert text.index("Earthquake in Grandel") < text.index("Sorrenia passes budget")
    await stories.press("escape")
    assert isinstance(stories.app.screen, ArticlesScreen)


async def test_a_story_shows_who_says_what_and_leads_to_its_articles(stories: Terminal) -> None:
    await stories.press("j", "enter")
    assert isinstance(stories.app.screen, StoryScreen)
    text = stories.text
    assert "0.90 loaded" in text
    (dead,) = (line for line in text.splitlines() if line.strip().startswith("dead"))
    assert "7!¹" in dead
    assert "9!" in dead
    assert "<b>Torvald</b>" in text
    await stories.press("e")
    await stories.press("space", "space")
    assert "Two: " in stories.text
    await stories.press("e", "n", "enter")
    assert "Nine dead as quake hits Grandel" in stories.text
    await stories.press("p")
    assert "Earthquake in Grandel: mayor" in stories.text
    await stories.press("S")
    assert isinstance(stories.app.screen, StoryScreen)
    await stories.press("escape")
    await stories.press("escape", "G", "space", "space")
    assert "Timeline" in stories.text
    assert "joined because: names" in stories.text
    assert "copied by Three" in stories.text


async def test_without_stories_it_says_so(database: Database, web_settings: Settings) -> None:
    async with opened(web_settings, database) as terminal:
        await terminal.press("escape", "S")
        assert "No story was told" in terminal.status
        await terminal.press("j", "enter", "escape")
