"""Network access on the reader's request, each call with its own database and worker.

A separate module, because its imports are slow: `run_in_thread` does them in its thread.
"""

from __future__ import annotations

from inforadar.actions.refresh import refresh_article, refreshed_sentence
from inforadar.app.lookups import open_discovery
from inforadar.app.store import open_store
from inforadar.app.worker import open_worker
from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.model.item import Item, shares_its_page
from inforadar.model.subscription import FoundFeed
from inforadar.pipeline.worker import Stage
from inforadar.sample.install import add_sample, serving_sample
from inforadar.store.items.one_row import load_shown_item
from inforadar.urls import uid


async def get_text(settings: Settings, item: Item) -> str:
    """Fetch the article of an item and analyze it; return a sentence with the result.

    An entry that shares its page has the feed's own text, and is only analyzed.
    """
    sentences: list[str] = []
    async with (
        open_store(settings) as database,
        serving_sample(database),
        open_worker(settings, database, stages=frozenset({Stage.CANONICAL, Stage.ANALYZE})) as worker,
    ):
        if not shares_its_page(item.url):
            sentence = refreshed_sentence(await refresh_article(worker.canonicalizer, uid(item.url)))
            sentences.append(sentence[0].upper() + sentence[1:])
        await worker.analysis.run_once(only=[item.id])
        if fresh := await database.read(load_shown_item, item.id):
            sentences.append(analyzed_sentence(fresh))
    return " ".join(sentences)


def analyzed_sentence(item: Item) -> str:
    """`Scored 0.41 slanted.`, or why there is no score."""
    if item.score is not None:
        return f"Scored {item.score:.2f} {item.score_word}."
    if item.score_word:
        return f"{item.score_word.capitalize()} in this language."
    return "Not analyzed yet."


async def find_feeds(settings: Settings, url: str) -> list[FoundFeed]:
    async with open_store(settings) as database, open_discovery(settings, database) as discovery:
        return await discovery.discover(url)


async def get_sample(settings: Settings) -> int:
    """Add the sample with its past; return its number of feeds."""
    async with open_store(settings) as database:
        return len(await add_sample(database, settings, utc_now))
