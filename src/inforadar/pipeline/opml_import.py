"""Importing a list of feeds, the same from the command line and the page."""

from __future__ import annotations

from dataclasses import dataclass

from inforadar.model.feed import Feed
from inforadar.pipeline.admin import subscribe
from inforadar.pipeline.opml import parse_opml
from inforadar.store.engine import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What became of a list of feeds."""

    added: tuple[Feed, ...]
    known: tuple[Feed, ...]
    skipped: tuple[tuple[str, str], ...]
    """(what, why)."""


async def import_opml(database: Database, data: bytes) -> Imported:
    """Subscribes to every feed of the list; those that are there already stay as they are."""
    document = parse_opml(data)
    added: list[Feed] = []
    known: list[Feed] = []
    for listed in document.feeds:
        feed, is_new = await subscribe(database, listed.url, topic=listed.topic, title=listed.title)
        (added if is_new else known).append(feed)
    return Imported(added=tuple(added), known=tuple(known), skipped=document.skipped)
