"""Mark items as read, starred or archived, and clear these marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from inforadar.model.ids import UrlHash
from inforadar.store.database import Database
from inforadar.store.people.marks import Marks
from inforadar.store.people.save_marks import save_marks, save_marks_of


async def mark(database: Database, url: str, changes: Mapping[str, bool], at: datetime) -> Marks:
    """Set and clear the named marks of one item; return the marks it has now."""
    return await database.write(save_marks, url, changes, at)


async def mark_all(
    database: Database, urls: Sequence[str], changes: Mapping[str, bool], at: datetime
) -> Mapping[UrlHash, Marks]:
    """Set and clear marks of several items in one transaction."""
    return await database.write(save_marks_of, urls, changes, at)
