"""What goes out to the web because the reader asked, each with a database and an engine of its own.

Apart, since the engine takes long to import: `run_apart` does that in its thread too.
"""

from __future__ import annotations

from inforadar.actions.refresh import refresh_article, refreshed_sentence
from inforadar.app.lookups import open_discovery
from inforadar.app.store import open_store
from inforadar.app.worker import open_worker
from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.model.item import Item
from inforadar.model.subscription import FoundFeed
from inforadar.pipeline.worker import Stage
from inforadar.sample.install import add_sample, serving_sample
from inforadar.urls import uid


async def get_text(settings: Settings, item: Item) -> str:
    """Fetches the article of an item; a sentence says what came of it."""
    async with (
        open_store(settings) as database,
        serving_sample(database),
        open_worker(settings, database, stages=frozenset({Stage.CANONICAL})) as worker,
    ):
        refreshed = await refresh_article(worker.canonicalizer, uid(item.url))
    sentence = refreshed_sentence(refreshed)
    return sentence[0].upper() + sentence[1:]


async def find_feeds(settings: Settings, url: str) -> list[FoundFeed]:
    async with open_store(settings) as database, open_discovery(settings, database) as discovery:
        return await discovery.discover(url)


async def get_sample(settings: Settings) -> int:
    """Adds the sample with its past; returns how many feeds it has."""
    async with open_store(settings) as database:
        return len(await add_sample(database, settings, utc_now))
