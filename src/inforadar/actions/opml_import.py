"""Importing a list of feeds, the same from the command line, the terminal and the page."""

from __future__ import annotations

from inforadar.actions.opml import parse_opml
from inforadar.actions.subscribe import subscribe_all
from inforadar.config import FetcherSettings
from inforadar.model.feed import Feed
from inforadar.model.subscription import LIVE, Imported, WantedFeed
from inforadar.store.database import Database

PORTION = 200
"""Feeds of a list that are added in one transaction."""


async def import_opml(database: Database, fetcher: FetcherSettings, data: bytes) -> Imported:
    """Subscribe to every feed of the list; those that exist already stay as they are."""
    document = parse_opml(data)
    added: list[Feed] = []
    known: list[Feed] = []
    wanted = [WantedFeed(url=one.url, topic=one.topic, title=one.title) for one in document.feeds]
    for start in range(0, len(wanted), PORTION):
        for saved in await subscribe_all(database, fetcher, wanted[start : start + PORTION], LIVE):
            (added if saved.is_new else known).append(saved.feed)
    return Imported(added=tuple(added), known=tuple(known), skipped=document.skipped)
