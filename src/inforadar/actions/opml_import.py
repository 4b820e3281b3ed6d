"""Import a list of feeds, the same from the command line, the terminal and the page."""

from __future__ import annotations

from inforadar.actions.opml import parse_opml
from inforadar.actions.subscribe import subscribe_all
from inforadar.config import FetcherSettings
from inforadar.model.feed import Feed
from inforadar.model.subscription import LIVE, Imported, WantedFeed
from inforadar.store.database import Database

FEEDS_PER_TRANSACTION = 200


async def import_opml(database: Database, fetcher: FetcherSettings, data: bytes) -> Imported:
    """Add every feed of the list; feeds that already exist stay as they are."""
    document = parse_opml(data)
    added: list[Feed] = []
    known: list[Feed] = []
    wanted = [WantedFeed(url=one.url, topic=one.topic, title=one.title) for one in document.feeds]
    for start in range(0, len(wanted), FEEDS_PER_TRANSACTION):
        portion = wanted[start : start + FEEDS_PER_TRANSACTION]
        for saved in await subscribe_all(database, fetcher, portion, LIVE):
            (added if saved.is_new else known).append(saved.feed)
    return Imported(added=tuple(added), known=tuple(known), skipped=document.skipped)
