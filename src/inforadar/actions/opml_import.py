"""Import a list of feeds, the same from the command line, the terminal and the page."""

from __future__ import annotations

from inforadar.actions.opml import parse_opml
from inforadar.actions.subscribe import subscribe_all, with_defaults
from inforadar.clock import utc_now
from inforadar.config import FetcherSettings
from inforadar.errors import UsageError
from inforadar.model.feed import Feed
from inforadar.model.feed_options import NO_OPTIONS
from inforadar.model.opml import OpmlFeed
from inforadar.model.subscription import LIVE, Imported, WantedFeed
from inforadar.store.database import Database

FEEDS_PER_TRANSACTION = 200


async def import_opml(database: Database, fetcher: FetcherSettings, data: bytes) -> Imported:
    """Add every feed of the list; feeds that already exist stay as they are."""
    document = parse_opml(data)
    added: list[Feed] = []
    known: list[Feed] = []
    twins: list[tuple[str, Feed]] = []
    wanted: list[WantedFeed] = []
    skipped = list(document.skipped)
    for one in document.feeds:
        try:
            wanted.append(_wanted(one))
        except UsageError as fault:
            skipped.append((one.title or one.url, str(fault)))
    for start in range(0, len(wanted), FEEDS_PER_TRANSACTION):
        portion = wanted[start : start + FEEDS_PER_TRANSACTION]
        for saved in await subscribe_all(database, fetcher, portion, LIVE):
            (added if saved.is_new else known).append(saved.feed)
            if saved.is_twin:
                twins.append((saved.url, saved.feed))
    return Imported(
        added=tuple(added),
        known=tuple(known),
        skipped=tuple(skipped),
        twins=tuple(twins),
        is_cut_off=document.is_cut_off,
    )


def _wanted(one: OpmlFeed) -> WantedFeed:
    if one.options != NO_OPTIONS:
        # Raises an error for options that cannot be used, before any feed is added.
        with_defaults(one.url, kind=one.kind, options=one.options, now=utc_now())
    return WantedFeed(
        url=one.url,
        kind=one.kind,
        source=one.source,
        topic=one.topic,
        title=one.title,
        site_url=one.site_url,
        options=one.options,
    )
