"""Importing a list of feeds, the same from the command line, the terminal and the page."""

from __future__ import annotations

from inforadar.actions.admin import split_credentials, with_defaults
from inforadar.actions.opml import OpmlFeed, parse_opml
from inforadar.clock import utc_now
from inforadar.model.feed import Feed
from inforadar.model.subscription import Imported
from inforadar.store.database import Database
from inforadar.store.feeds.subscriptions import Subscription, save_subscriptions

PORTION = 200
"""Feeds of a list that are added in one transaction."""


async def import_opml(database: Database, data: bytes) -> Imported:
    """Subscribes to every feed of the list; those that are there already stay as they are."""
    document = parse_opml(data)
    added: list[Feed] = []
    known: list[Feed] = []
    wanted = [_subscription(listed) for listed in document.feeds]
    for start in range(0, len(wanted), PORTION):
        for feed, is_new in await database.write(save_subscriptions, wanted[start : start + PORTION]):
            (added if is_new else known).append(feed)
    return Imported(added=tuple(added), known=tuple(known), skipped=document.skipped)


def _subscription(listed: OpmlFeed) -> Subscription:
    address, headers = split_credentials(listed.url)
    new = with_defaults(address, topic=listed.topic, now=utc_now())
    return Subscription(
        url=address,
        headers=headers,
        kind=new.kind,
        topic=new.topic,
        title=listed.title,
        options=new.options,
        defaulted=new.defaulted,
    )
