"""A fresh sample has stories and a briefing: events that several outlets tell, in several languages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from inforadar.app.stories import load_brief, load_shown_stories
from inforadar.config import load_settings
from inforadar.sample.install import add_sample
from inforadar.store.database import open_database
from inforadar.store.stories.queries import StoryFilter
from inforadar.store.upkeep.upgrade import upgrade_database


async def test_a_fresh_sample_has_stories_and_a_briefing(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    settings = load_settings(tmp_path, {}).replaced(ai={"type": "mock"})
    async with open_database(settings.database_url) as database:
        await upgrade_database(database)
        await add_sample(database, settings, lambda: now)
        stories = await load_shown_stories(database, StoryFilter())
        brief = await load_brief(database, now - timedelta(hours=24), 10, now)
    assert len(stories) >= 3
    assert sum(len(story.languages) > 1 for story in stories) >= 2
    assert max(len(story.sources) for story in stories) >= 3
    assert len(brief.stories) >= 2
    assert any("In conflict" in fact for one in brief.stories for fact in one.facts)
