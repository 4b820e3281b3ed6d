"""Finding a site's feeds, for `feed add --discover`."""

from __future__ import annotations

from inforadar.app.lookups import open_discovery
from inforadar.cli.terminal.output import print_json, print_line, safe
from inforadar.cli.terminal.run import on_store
from inforadar.config import Settings
from inforadar.model.subscription import FoundFeed
from inforadar.store.database import Database


def find_feeds(url: str) -> list[FoundFeed]:
    """Find the feeds of a site with at most three polite requests."""

    async def work(database: Database, settings: Settings) -> list[FoundFeed]:
        async with open_discovery(settings, database) as discovery:
            return await discovery.discover(url)

    return on_store(work)


def print_several(found: list[FoundFeed], *, as_json: bool) -> None:
    """List the feeds that were found, for the person to choose one."""
    if as_json:
        print_json({"found": [{"url": feed.url, "kind": feed.kind.value, "how": feed.how} for feed in found]})
        return
    print_line(f"The site has {len(found)} feeds. Add the one you want:")
    for feed in found:
        print_line(f"  inforadar feed add {safe(feed.url)} --kind {feed.kind.value}    # {feed.how}")
