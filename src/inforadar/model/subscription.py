"""Adding feeds: what discovery found on a site, and the result of importing a list."""

from __future__ import annotations

from dataclasses import dataclass

from inforadar.model.feed import Feed, FeedKind
from inforadar.model.item import Listing


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFeed:
    """A feed that a site has."""

    url: str
    kind: FeedKind
    how: str
    """Where it was found: "the address itself", "named by the page"."""
    listing: Listing | None = None
    """What it lists, if it was fetched to find it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What became of a list of feeds."""

    added: tuple[Feed, ...]
    known: tuple[Feed, ...]
    skipped: tuple[tuple[str, str], ...]
    """(what, why)."""
