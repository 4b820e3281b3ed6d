"""Readers for the listing pages of particular sites, one module per site, registered in `SITES`."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from inforadar.stages.discover.pages.listing import PageReader
from inforadar.stages.discover.pages.sites import habr
from inforadar.urls import hostname

SITES: dict[str, PageReader] = {"habr.com": habr.parse_page}
"""Readers by host, without `www`. Pages of any other site are read by the feed's selectors."""

_FEED_PATH = re.compile(r"/(?:rss|feed|atom)(?:/|$)|\.(?:xml|rss|atom|json)$")


def site_reader(url: str) -> PageReader | None:
    """The reader written for the site of `url`, if there is one."""
    return SITES.get(hostname(url).removeprefix("www."))


def is_listing(url: str) -> bool:
    """Whether a URL is a page of a site with a reader, and not one of its feeds."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return (parts.hostname or "").removeprefix("www.") in SITES and not _FEED_PATH.search(parts.path)


def topic_of(url: str) -> str | None:
    """The default topic for a listing of a site with a reader."""
    return habr.topic_of(url) if is_listing(url) else None
