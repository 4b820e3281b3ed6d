"""A list of feeds as OPML has it, and the names of our own attributes there."""

from __future__ import annotations

from dataclasses import dataclass

from inforadar.model.feed import FeedKind
from inforadar.model.feed_options import NO_OPTIONS, FeedOptions

OPML_NAMESPACE = "urn:inforadar:opml"
"""Namespace of the attributes that only Info Radar understands; other readers ignore them."""
OPML_PREFIX = "inforadar"
MAX_OPML_BYTES = 20 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class OpmlFeed:
    """One feed of a list."""

    url: str
    title: str | None
    topic: str | None
    """The name of its folder; None if it is in none."""
    site_url: str | None = None
    kind: FeedKind | None = None
    source: str | None = None
    options: FeedOptions = NO_OPTIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class Opml:
    """A parsed list."""

    feeds: tuple[OpmlFeed, ...]
    skipped: tuple[tuple[str, str], ...]
    """(what, why)."""
    is_cut_off: bool = False
    """The file ends too early: feeds may be missing."""
