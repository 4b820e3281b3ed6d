"""Discover: what a feed lists. `DISCOVERERS` names the reader of each kind of feed."""

from __future__ import annotations

from collections.abc import Callable

from inforadar.model.feed import FeedKind
from inforadar.model.item import Listing
from inforadar.stages.discover.feed import parse_feed

DISCOVERERS: dict[FeedKind, Callable[[bytes, str, str], Listing]] = {FeedKind.FEED: parse_feed}
"""(body, url, content type) -> listing, by kind."""
